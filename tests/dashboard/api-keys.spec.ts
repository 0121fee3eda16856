import { readFileSync } from "node:fs";
import { freshAddress } from "../support/limits";
import { whileLocked } from "../support/row-lock";
import { sql } from "../support/rows";
import { request, type TestWorkspace } from "../support/workspace";
import { accessibilityFaultsInBothSchemes, expect, OPEN_DIALOG, test } from "./dashboard-test";

const PAGE = "/dashboard/settings/api-keys";

const statusOf = async ({ baseUrl }: TestWorkspace, { apiKey, apiSecret }: { apiKey: string; apiSecret: string }) => {
  const headers = { apiKey, apiSecret, "x-forwarded-for": freshAddress() };
  return (await request("GET", `${baseUrl}/api/v1/public/templates`, { headers })).status;
};

test.describe("a new key", () => {
  test("shows its secret once, in a dialog that only Done closes", async ({ page, signIn, workspace }) => {
    await signIn("owner", PAGE);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Label").fill("staging");
    await page.getByLabel("Mode", { exact: true }).selectOption("live");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Key created" });
    await expect(dialog).toBeVisible();
    const [apiKey = "", hidden = ""] = await dialog.locator("dd code").allInnerTexts();
    expect(hidden).toMatch(/^sk_live_•+$/);
    // A mask that is copied by hand would be sent for the secret.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.evaluate((whole) => getSelection()?.selectAllChildren(whole));
    await page.keyboard.press("ControlOrMeta+c");
    const selected = await page.evaluate(() => navigator.clipboard.readText());
    expect(selected).toContain(apiKey);
    expect(selected).toContain('-H "apiSecret: $CHAT_API_SECRET"');
    expect(selected).not.toContain("•");
    await dialog.getByRole("button", { name: "Show" }).click();
    const apiSecret = await dialog.locator("dd code").nth(1).innerText();
    expect(apiSecret).toMatch(/^sk_live_\w{40,}$/);

    await page.keyboard.press("Escape");
    await page.mouse.click(2, 2);
    await expect(dialog).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Done" })).toBeDisabled();

    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download .env" }).click();
    const file = readFileSync(await (await download).path(), "utf8");
    expect(file).toBe(
      `# Switchboard, live key "staging" of ${workspace.baseUrl}\nCHAT_API_KEY=${apiKey}\nCHAT_API_SECRET=${apiSecret}\n`,
    );
    expect(await statusOf(workspace, { apiKey, apiSecret })).toBe(200);
    expect(await statusOf(workspace, workspace)).toBe(200);
    await dialog.getByRole("button", { name: /curl/ }).click();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(curl).toContain(`-H "apiSecret: ${apiSecret}"`);
    expect(curl).toMatch(/-H "Idempotency-Key: first-call-\w{6}"/);
    expect(curl, "a live call names nobody").toContain('"phone": "YOUR_OWN_NUMBER"');

    const bodies: string[] = [];
    page.on("response", async (response) => bodies.push(await response.text().catch(() => "")));
    await dialog.getByLabel("I stored the secret").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("rowheader", { name: "staging" })).toBeVisible();
    await page.reload();
    expect(await page.content()).not.toContain(apiSecret);
    expect(bodies.join("")).not.toContain(apiSecret);
    const [row] = await sql`select * from api_keys where api_key = ${apiKey}`;
    expect(JSON.stringify(row)).not.toContain(apiSecret);
  });

  test("asks before the page is left with the secret not stored", async ({ page, signIn }) => {
    await signIn("owner", PAGE);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Label").fill("staging");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await expect(page.getByRole("dialog", { name: "Key created" })).toBeVisible();
    const asked = page.waitForEvent("dialog");
    const leaving = page.reload().catch(() => {});
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.accept();
    await leaving;
  });
});

test.describe("limits", () => {
  test("open behind one line of the form, and say at the field which range is wrong", async ({
    page,
    signIn,
    workspace,
  }) => {
    await signIn("owner", PAGE);
    await page.getByRole("button", { name: "Create key" }).click();
    const form = page.getByRole("dialog", { name: "Create a key" });
    await form.getByLabel("Label").fill("codes");
    await form.getByLabel("Mode", { exact: true }).selectOption("live");
    await expect(form.getByRole("group", { name: "Permissions" })).toBeHidden();
    await form.getByText("Limits", { exact: false }).first().click();
    const may = form.getByRole("group", { name: "Permissions" });
    for (const box of await may.getByRole("checkbox").all()) await expect(box).toBeChecked();
    await may.getByLabel("List templates").uncheck();
    await form.getByRole("group", { name: "Lines" }).getByLabel("Line main").check();
    await form.getByLabel("IP ranges").fill("203.0.113.0/24\n1.2.3.4/33");
    await form.getByLabel("Messages a month").fill("5000");
    await form.getByRole("button", { name: "Create key" }).click();
    await expect(form.getByLabel("IP ranges")).toHaveAccessibleDescription(/Line 2: "1\.2\.3\.4\/33" must end with/);
    expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
    // What was typed stays, and the section open.
    await expect(form.getByLabel("IP ranges")).toHaveValue("203.0.113.0/24\n1.2.3.4/33");
    await form.getByLabel("IP ranges").fill("203.0.113.0/24");
    await form.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Key created" });
    await expect(dialog).toBeVisible();
    const [apiKey = ""] = await dialog.locator("dd code").allInnerTexts();
    const [row] = await sql`select limits from api_keys where api_key = ${apiKey}`;
    expect(row?.limits).toEqual({
      permissions: ["send", "status"],
      phoneNumberIds: [workspace.phoneNumberId],
      ipRanges: ["203.0.113.0/24"],
      monthlyCap: 5_000,
    });
    await dialog.getByLabel("I stored the secret").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("rowheader", { name: "codes" })).toContainText("Limited");
  });

  test("are changed on the key’s page, apply at once, and are said there and in the log of requests", async ({
    page,
    signIn,
    workspace,
  }) => {
    await signIn("owner", PAGE);
    await page.getByRole("rowheader", { name: "main", exact: true }).getByRole("link").click();
    await expect(page.getByText("None: every call, no expiry")).toBeVisible();
    await page.getByRole("button", { name: "Change limits" }).click();
    const form = page.getByRole("dialog", { name: "Limits of main" });
    await form.getByLabel("List templates").uncheck();
    await form.getByLabel("Last day").fill("2090-03-01");
    await form.getByRole("button", { name: "Save limits" }).click();
    await expect(page.getByText("Sends and reads statuses only, until 1 Mar 2090.")).toBeVisible();
    expect(await statusOf(workspace, workspace)).toBe(403);

    await expect
      .poll(
        async () =>
          (await sql`select from api_requests where workspace_id = ${workspace.workspaceId} and status = 403`).length,
      )
      .toBe(1);
    await page.goto("/dashboard/requests?code=FORBIDDEN&mode=live");
    await page.getByRole("rowheader").getByRole("link").first().click();
    await expect(page.getByText("Refused by the permissions of this key.")).toBeVisible();
    await expect(page.getByRole("link", { name: "See or change its limits" })).toBeVisible();

    await page.goto(PAGE);
    await page.getByRole("rowheader", { name: "main" }).getByRole("link").click();
    await page.getByRole("button", { name: "Change limits" }).click();
    await expect(form.getByLabel("List templates")).not.toBeChecked();
    await expect(form.getByLabel("Last day")).toHaveValue("2090-03-01");
    await form.getByLabel("List templates").check();
    await form.getByLabel("Last day").fill("");
    await form.getByRole("button", { name: "Save limits" }).click();
    await expect(page.getByText("None: every call, no expiry")).toBeVisible();
    expect(await statusOf(workspace, workspace)).toBe(200);
  });
});

test("the list distinguishes keys, and says that one was used just now and another never", async ({
  page,
  signIn,
  workspace,
}) => {
  await sql`
      insert into api_keys (workspace_id, id, label, mode, api_key, secret_hash)
      values (${workspace.workspaceId}, 'key_idle', 'idle', 'live', ${`pk_live_idle${Date.now()}`}, '\\x00')`;
  await signIn("owner", PAGE);
  const used = page.getByRole("row").filter({ hasText: `…${workspace.apiKey.slice(-4)}` });
  await expect(used).toContainText("just now");
  await expect(page.getByRole("row").filter({ hasText: "idle" })).toContainText("Never used");
});

test("revoking a key in use shows that it is, asks for its label, and acts at once", async ({
  page,
  signIn,
  workspace,
}) => {
  // What was called is in the log a moment later.
  await expect
    .poll(async () => (await sql`select from api_requests where workspace_id = ${workspace.workspaceId}`).length)
    .toBeGreaterThan(0);
  await signIn("owner", PAGE);
  await page.getByRole("rowheader", { name: "main", exact: true }).getByRole("link").click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(/Used (once|\d+ times) in 24 hours, last/);
  await expect(dialog.getByRole("button", { name: "Revoke key" })).toBeDisabled();
  await dialog.getByLabel(/^Type/).fill("main");
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await expect(dialog).toBeHidden();
  expect(await statusOf(workspace, workspace)).toBe(401);
});

test("a revocation that the database does not take is said to have failed, and the key goes on", async ({
  page,
  signIn,
  workspace,
}) => {
  const { apiKey, apiSecret } = workspace.keys.other ?? workspace;
  await signIn("owner", PAGE);
  await page.getByRole("rowheader", { name: "other" }).getByRole("link").click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog");
  const revoke = async () => {
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await expect(dialog.getByRole("alert")).toContainText("The database did not respond");
  };
  await whileLocked(new URL(page.url()).pathname.split("/").at(-1) ?? "", revoke, "api_keys");
  await page.reload();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Revoke…" })).toBeVisible();
  expect(await statusOf(workspace, { apiKey, apiSecret })).toBe(200);
});

test.describe("a member", () => {
  test("sees neither keys nor webhooks nor the audit log, in the menu or by address", async ({ page, signIn }) => {
    await signIn("member");
    await expect(page.getByRole("link", { name: "Members" })).toBeVisible();
    for (const name of ["API keys", "Audit log", "Webhooks"])
      await expect(page.getByRole("link", { name, exact: true })).toHaveCount(0);
    for (const path of [PAGE, "/dashboard/settings/audit-log", "/dashboard/settings/webhooks"]) {
      await page.goto(path);
      await expect(page.getByText("Ask an owner or admin: Olga Owner, Ada Admin.")).toBeVisible();
    }
  });
});
