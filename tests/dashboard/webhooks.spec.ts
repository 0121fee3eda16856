import type { Page } from "@playwright/test";
import { callListen, result, startSession } from "../support/listener";
import { addEndpoint, type Delivery, startReceiver, verified } from "../support/receiver";
import { sql } from "../support/rows";
import { noteSecrets } from "../support/run-logs";
import { provisionWorkspace } from "../support/workspace";
import { accessibilityFaultsInBothSchemes, expect, OPEN_DIALOG, openSignedIn, test } from "./dashboard-test";

const PAGE = "/dashboard/settings/webhooks";
const IN_TEST = `${PAGE}?mode=test`;
const within = { timeout: 20_000 };

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const fillEndpoint = async (page: Page, { label, url }: { label: string; url: string }) => {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label").fill(label);
  await dialog.getByLabel("URL").fill(url);
};

/** The secret that a dialog shows, which is then closed. */
const takeSecret = async (page: Page, name: string): Promise<string> => {
  const dialog = page.getByRole("dialog", { name });
  await expect(dialog.locator("dd code")).toHaveText(/^whsec_•+$/);
  await dialog.getByRole("button", { name: "Show" }).click();
  const secret = await dialog.locator("dd code").innerText();
  noteSecrets("a webhook secret", [secret]);
  await expect(dialog.getByRole("button", { name: "Done" })).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  await dialog.getByLabel("I stored the secret").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  return secret;
};

test("an endpoint from its first form to its end: a secret shown once, a test event, a replay, a pause, a deletion", async ({
  page,
  complaints,
}) => {
  const partner = await startReceiver((_, response) => response.writeHead(200).end('{"received":true}'));
  const workspace = await provisionWorkspace({ mode: "test" });
  await openSignedIn(page, workspace.owner, IN_TEST);
  await expect(page.getByRole("heading", { name: "No test endpoint yet" })).toBeVisible();

  await button(page, "Add endpoint").click();
  const dialog = page.getByRole("dialog");
  for (const name of ["message.sent", "message.unknown"]) {
    await expect(dialog.getByRole("checkbox", { name })).toBeChecked();
  }
  await expect(dialog.getByRole("checkbox", { name: "template.paused" })).not.toBeChecked();
  expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
  await fillEndpoint(page, { label: "production", url: "http://10.0.0.1/hook" });
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  await expect(dialog.getByText("One field needs a change.")).toBeVisible();
  await expect(dialog.getByText("The URL must begin with https://."), "a fault is said once").toHaveCount(1);
  await expect(dialog.getByLabel("Label"), "what was typed stays").toHaveValue("production");
  await fillEndpoint(page, { label: "production", url: partner.url });
  await dialog.getByRole("button", { name: "Add endpoint" }).click();

  await expect(page.getByRole("dialog", { name: "Endpoint added" })).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
  const bodies: string[] = [];
  page.on("response", async (response) => bodies.push(await response.text().catch(() => "")));
  const secret = await takeSecret(page, "Endpoint added");
  const row = page.getByRole("row").filter({ hasText: "production" });
  await expect(row).toContainText("All message events");
  await expect(row).toContainText("Active");
  expect(await page.content()).not.toContain(secret);

  await row.getByRole("link", { name: "production" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "production" })).toBeVisible();
  await button(page, "Send test event").click();
  await expect.poll(() => partner.received.length, within).toBe(1);
  const [first] = partner.received as [Delivery];
  expect(verified(first, secret)).toEqual(first.event);

  await page.getByRole("link", { name: "See the delivery" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "webhook.test" })).toBeVisible();
  const main = page.getByRole("main");
  await expect(main.getByText("Delivered", { exact: true })).toBeVisible(within);
  await expect(main.getByText('"received": true')).toBeVisible();
  await expect(main.getByText("Attempt 1")).toBeVisible();
  await expect(main.getByText(`webhook-id: ${first.id}`)).toBeVisible();
  await expect(main.getByText(`webhook-timestamp: ${first.headers["webhook-timestamp"]}`)).toBeVisible();
  await expect(main.getByText('"type": "webhook.test"')).toBeVisible();
  expect(await page.content()).not.toContain(first.headers["webhook-signature"] ?? "");

  await button(page, "Replay").click();
  await expect.poll(() => partner.received.length, within).toBe(2);
  expect(partner.received[1]?.id).toBe(first.id);
  await expect(main.getByText("Attempt 2")).toBeVisible(within);

  await main.getByRole("link", { name: "production" }).click();
  await expect(page.getByRole("cell").getByText('{"received":true}'), "the answer's first line").toBeVisible();
  await expect(page.getByRole("img", { name: "1 delivery in 14 days, 0 of them failed" })).toBeVisible();
  await button(page, "Replay…").click();
  await page.getByLabel("Only failed deliveries").uncheck();
  await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
  await expect(page.getByRole("dialog").getByText("1 delivery is queued.")).toBeVisible();
  await button(page, "Done").click();
  await expect.poll(() => partner.received.length, within).toBe(3);

  await button(page, "Pause").click();
  await expect(page.getByText(/^Paused by a member,/)).toBeVisible();
  await button(page, "Send test event").click();
  await expect(page.getByText("No attempt yet, next after a resume")).toBeVisible();
  await page.getByRole("navigation", { name: "Which deliveries" }).getByRole("link", { name: "Waiting" }).click();
  await expect(page.getByRole("rowheader")).toHaveCount(1);
  expect(partner.received).toHaveLength(3);
  await button(page, "Resume").click();
  await expect.poll(() => partner.received.length, within).toBe(4);
  await expect(page.getByRole("heading", { name: "No waiting delivery" })).toBeVisible(within);

  await button(page, "Delete…").click();
  await button(page, "Delete endpoint").click();
  await expect(page.getByRole("heading", { name: "No test endpoint yet" })).toBeVisible();
  await expect(page).toHaveURL(IN_TEST);
  expect(bodies.join("")).not.toContain(secret);
  expect(complaints).toEqual([]);
  await partner.stop();
});

test("a delivery that waits for its retry is sent at once, unless its endpoint is paused", async ({ page }) => {
  const partner = await startReceiver((_, response) => response.writeHead(500).end());
  const workspace = await provisionWorkspace({ mode: "test" });
  const { id } = await addEndpoint(workspace, partner);
  await openSignedIn(page, workspace.owner, `${PAGE}/${id}`);
  await button(page, "Send test event").click();
  await page.getByRole("link", { name: "See the delivery" }).click();
  const main = page.getByRole("main");
  await expect(main.getByText("Attempt 1")).toBeVisible(within);
  const { workspaceId } = workspace;
  await sql`
    update webhook_deliveries set next_attempt_at = now() + interval '8 hours', leased_until = null
    where workspace_id = ${workspaceId}`;
  await sql`update webhook_endpoints set paused_at = now(), paused_by = 'member' where id = ${id}`;
  await page.reload();
  await expect(button(page, "Send now")).toBeDisabled();
  await expect(main.getByText("Resume the endpoint to send it.")).toBeVisible();
  await sql`update webhook_endpoints set paused_at = null, paused_by = null where id = ${id}`;
  await page.reload();
  partner.answerWith((_, response) => response.writeHead(200).end());
  await button(page, "Send now").click();
  await expect(main.getByText("Delivered", { exact: true })).toBeVisible(within);
  expect(await accessibilityFaultsInBothSchemes(page, "main")).toEqual([]);
  await partner.stop();
});

test("a rotation shows the new secret once; while the previous one works, a further one is offered for a leak only", async ({
  page,
}) => {
  const partner = await startReceiver();
  const workspace = await provisionWorkspace({ mode: "test" });
  const { id, secret } = await addEndpoint(workspace, partner);
  await openSignedIn(page, workspace.admin, `${PAGE}/${id}`);
  await button(page, "Rotate secret").click();
  await button(page, "Rotate").click();
  const next = await takeSecret(page, "New secret");
  await expect(page.getByText(/^works until/)).toBeVisible();
  await button(page, "Send test event").click();
  await expect.poll(() => partner.received.length, within).toBe(1);
  for (const one of [secret, next]) expect(verified(partner.received[0] as Delivery, one)).toBeTruthy();
  await partner.stop();

  await button(page, "Rotate secret").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(/^The previous secret works until .* Rotate again after that/)).toBeVisible();
  await expect(dialog.getByLabel("Keep the previous secret valid for").getByRole("option")).toHaveCount(1);
  expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
  await button(page, "Rotate").click();
  await takeSecret(page, "New secret");
  await expect(page.getByText(/^works until/)).toHaveCount(0);
});

test("a dialog about an endpoint that was deleted meanwhile leads to the page that says so", async ({ page }) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const { id } = await addEndpoint(workspace, { url: "https://partner.test/hooks" });
  await openSignedIn(page, workspace.owner, `${PAGE}/${id}`);
  await button(page, "Rotate secret").click();
  await sql`update webhook_endpoints set deleted_at = now() where id = ${id}`;
  await button(page, "Rotate").click();
  await expect(page.getByRole("heading", { name: "There is nothing at this address" })).toBeVisible(within);
});

test("deliveries are searched by message, narrowed by type, state and time, and replayed between two times", async ({
  page,
  complaints,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const { id } = await addEndpoint(workspace, { url: "https://example.com/hook", events: ["template.paused"] });
  await sql`update webhook_endpoints set paused_at = now(), paused_by = 'member' where id = ${id}`;
  // One every minute from 10:01 UTC on, the last attempts of which took 10, 20, … 400 ms.
  await sql`
      with made as (
        insert into webhook_deliveries (
          workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts, settled_at, created_at)
        select ${workspace.workspaceId}, 'whd_find' || n, ${id}, (array['message.sent', 'message.read'])[1 + n % 2],
          'msg_find' || n / 2, 1, '{"status":"SENT"}', now(), (case when n % 10 = 0 then 'FAILED' else 'DELIVERED' end)::delivery_state,
          1, now(), '2026-11-20T10:00:30Z'::timestamptz + n * interval '1 minute'
        from generate_series(1, 40) n returning workspace_id, id, state
      )
      insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, status_code)
      select workspace_id, id, 1, now(), substr(id, 9)::int * 10, case state when 'FAILED' then 500 else 200 end from made`;
  await openSignedIn(page, workspace.owner, `${PAGE}/${id}`);
  await expect(page.getByText("90% of the last 40 attempts")).toBeVisible();
  await expect(page.getByText("p50 210 ms, p95 380 ms")).toBeVisible();

  const rows = page.getByRole("rowheader");
  const search = page.getByLabel("Search deliveries");
  await search.fill("msg_find7");
  await button(page, "Search").click();
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/q=msg_find7/);
  await page.getByRole("link", { name: "Clear all" }).click();
  await expect(rows).toHaveCount(40);

  await page.getByRole("button", { name: "More" }).click();
  await page.getByLabel("Event", { exact: true }).selectOption("message.sent");
  await expect(rows).toHaveCount(20);
  await page.getByRole("navigation", { name: "Which deliveries" }).getByRole("link", { name: "Failed" }).click();
  await expect(rows).toHaveCount(4);
  await page.getByLabel("From").fill("2026-11-20T10:20");
  await page.getByLabel("To").fill("2026-11-20T10:30");
  await button(page, "Search").click();
  await expect(rows, "the tab and the other filters stay, and the last minute is included").toHaveCount(2);
  await expect(page.getByRole("link", { name: "From: 2026-11-20 10:20" })).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page, "main")).toEqual([]);
  await page.reload();
  await expect(rows).toHaveCount(2);

  await button(page, "Replay…").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Events of")).toHaveValue("between");
  await expect(dialog.getByLabel("From")).toHaveValue("2026-11-20T10:20");
  expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
  await dialog.getByLabel("To").fill("2026-11-20T10:00");
  await dialog.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(dialog.getByText("The end must not be before the start.")).toHaveCount(1);
  await dialog.getByLabel("To").fill("2026-11-20T10:30");
  await dialog.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(dialog.getByText("2 deliveries are queued. Resume the endpoint to send.")).toBeVisible();
  await button(page, "Done").click();
  await expect(page.getByRole("heading", { name: "No failed delivery matches" })).toBeVisible(within);
  await page.getByRole("link", { name: "Clear the filters" }).click();
  await expect(rows).toHaveCount(40);
  expect(complaints).toEqual([]);
});

test("each state of an endpoint is shown by a word and its reason, and on the Overview", async ({ page }) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const states = [
    ["fails", "failing_since = now() - interval '20 minutes'", "Failing", /^since /],
    ["gone", "paused_at = now(), paused_by = 'gone'", "Paused", /^because it returned 410, /],
    ["days", "paused_at = now(), paused_by = 'failing'", "Paused", /^after five days of failures, /],
    ["member", "paused_at = now(), paused_by = 'member'", "Paused", /^by a member, /],
  ] as const;
  for (const [label, change] of states) {
    const { id } = await addEndpoint(workspace, { url: `https://example.com/${label}` });
    await sql.unsafe(`update webhook_endpoints set label = '${label}', ${change} where id = '${id}'`);
  }
  await openSignedIn(page, workspace.owner, IN_TEST);
  for (const [label, , word, reason] of states) {
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: label }) });
    await expect(row.getByText(word, { exact: true })).toBeVisible();
    await expect(row.locator("p").filter({ hasText: reason })).toBeVisible();
  }
  await page.goto("/dashboard?mode=test");
  await expect(page.getByText("3 things need attention")).toBeVisible();
  await expect(page.getByText("Webhook fails has failed for 20 min.")).toBeVisible();
  await page.getByRole("listitem").filter({ hasText: "Webhook gone" }).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: "gone" })).toBeVisible();
  await expect(page.getByText(/because it returned 410 Gone/)).toBeVisible();
});

test("a computer that listens is in the list while it does, takes test events, and has nothing to edit", async ({
  page,
  complaints,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  for (let i = 0; i < 4; i++) await addEndpoint(workspace, { url: `https://example.com/${i}` });
  const session = await startSession(workspace);
  await callListen(workspace, { computer: "printer" });
  await openSignedIn(page, workspace.owner, IN_TEST);
  const row = page.getByRole("row", { name: /listen on test/ });
  await expect(row).toContainText("Listening");
  await expect(row).toContainText("http://localhost:1/hook");
  await expect(page.getByRole("row", { name: /listen on printer/ })).toContainText("None: events are printed");
  await expect(button(page, "Add endpoint"), "a computer takes no endpoint's place").toBeEnabled();
  await row.getByRole("link", { name: "listen on test" }).click();
  await expect(page.getByText("The endpoint is deleted when the command ends.")).toBeVisible();
  for (const name of ["Edit", "Rotate secret"]) await expect(button(page, name)).toHaveCount(0);
  expect(await accessibilityFaultsInBothSchemes(page, "main")).toEqual([]);

  await button(page, "Send test event").click();
  await expect(page.getByRole("row", { name: /webhook\.test/ })).toBeVisible(within);
  const [taken] = await session.take();
  if (!taken) throw new Error("what the page shows is due");
  await session.take({ results: [result(taken, 500, { response: "not yet" })] });
  await expect(page.getByRole("row", { name: /webhook\.test/ })).toContainText("500", within);

  await session.end();
  await page.goto(IN_TEST);
  await expect(page.getByRole("row", { name: /listen on test/ })).toHaveCount(0);
  expect(complaints).toEqual([]);
});
