import type { Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { CALLS_OF } from "@/lib/docs/calls";
import { freshAddress } from "../support/limits";
import { requestRows } from "../support/request-rows";
import { setUsed, sql } from "../support/rows";
import { runInShell } from "../support/shell";
import { sweep } from "../support/sweep";
import { taskClock } from "../support/tasks";
import { provisionWorkspace, request, type TestWorkspace } from "../support/workspace";
import { expect, inAnyMode, openMenu, openSignedIn, paste, test } from "./dashboard-test";

// One after the other in one process, so that the table at the end has them all.
test.describe.configure({ mode: "default" });

const clock = taskClock();

test.afterAll(() => console.log(`\n${clock.table()}\n`));

const clipboardOf = async (page: Page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return () => page.evaluate(() => navigator.clipboard.readText());
};

const listTemplates = async ({ baseUrl }: TestWorkspace, key: { apiKey: string; apiSecret: string }) =>
  (
    await request("GET", `${baseUrl}/api/v1/public/templates`, {
      headers: { ...key, "x-forwarded-for": freshAddress() },
    })
  ).status;

test("“the customer says it never came”: from the number to the cause and the next step in 3 actions", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const sent = await workspace.send({ type: "text", phone: "447700900147", content: "Your order is ready." });
  await expect
    .poll(async () => (await workspace.status(sent.body.data.id)).body.data.status, { timeout: 20_000 })
    .toBe("FAILED");
  await openSignedIn(page, workspace.owner);

  const task = clock.start("The customer says it never came", "≤ 3 actions, ≤ 20 s");
  await task.act(() => openMenu(page));
  await task.act(async () => {
    await paste(page, "+44 7700 900 147");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/dashboard\/messages\?/);
  });
  await expect(page.getByRole("rowheader")).toHaveCount(1);
  await task.act(() => page.getByRole("rowheader").getByRole("link").click());
  for (const reported of ["131047 ·", "Send an approved template instead", "The line’s owner can"]) {
    await expect(page.getByText(reported).first()).toBeVisible();
  }
  await expect(page.getByText(/Retry/).first()).toBeVisible();
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(3);
  await expect(page.getByText("WhatsApp said").first()).toBeVisible();
  await page.getByRole("link", { name: "More about 131047" }).click();
  await expect(page).toHaveURL(/\/docs\/errors\/platform\/131047$/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("24 hours");
});

test("“we got req_… 400”: one paste leads to the field at fault", async ({ page, signIn, workspace }) => {
  const refused = await workspace.send({ type: "text", phone: "0770", content: "Hi" });
  await requestRows(workspace, 3);
  await signIn("owner");

  const task = clock.start("We got req_… 400", "1 paste in ⌘K");
  await openMenu(page);
  await task.act(async () => {
    await paste(page, refused.body.details.requestId);
    await page.keyboard.press("Enter");
  });
  await expect(page).toHaveURL(inAnyMode(`/dashboard/requests/${refused.body.details.requestId}`));
  const fault = page.getByRole("main").getByText(/looks like a national number/);
  await expect(fault.first()).toBeVisible();
  await expect(page.getByRole("main")).toContainText("phone");
  task.done();
  expect(task.actions()).toBe(1);
});

test("a leaked key is replaced on its page, and no call is refused while that happens", async ({
  page,
  signIn,
  workspace,
}) => {
  const { apiKey, apiSecret: leaked } = workspace;
  const refusals: number[] = [];
  const call = async (apiSecret: string) => {
    const status = await listTemplates(workspace, { apiKey, apiSecret });
    if (status !== 200) refusals.push(status);
  };
  await signIn("owner", "/dashboard/settings/api-keys");
  const row = page.getByRole("row").filter({ hasText: `…${apiKey.slice(-4)}` });

  const task = clock.start("Replace a leaked key", "≤ 2 min, one page");
  await task.act(() => row.getByRole("rowheader").getByRole("link").click());
  await expect(page).toHaveURL(/\/api-keys\/key_/);
  const address = page.url();
  await task.act(() => page.getByRole("button", { name: "Rotate secret" }).click());
  await task.act(() => page.getByLabel("Keep the previous secret valid for").selectOption("15m"));
  await task.act(() => page.getByRole("button", { name: "Rotate", exact: true }).click());
  const dialog = page.getByRole("dialog", { name: "New secret" });
  await task.act(() => dialog.getByRole("button", { name: "Show" }).click());
  const secret = await dialog.locator("dd code").nth(1).innerText();
  await task.act(() => dialog.getByLabel("I stored the secret").check());
  await task.act(() => dialog.getByRole("button", { name: "Done" }).click());
  await expect(dialog).toBeHidden();
  // The servers change over one by one: for a while both secrets are in use.
  await Promise.all([call(leaked), call(secret), call(leaked), call(secret)]);
  expect(refusals).toEqual([]);
  expect(page.url()).toBe(address);
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(7);
  await sql`update api_keys set previous_secret_ends_at = now() where api_key = ${apiKey}`;
  expect(await listTemplates(workspace, { apiKey, apiSecret: leaked })).toBe(401);
  expect(await listTemplates(workspace, { apiKey, apiSecret: secret })).toBe(200);
});

test("“shall we run out this month?” is answered by the Overview alone", async ({ page }) => {
  const workspace = await provisionWorkspace({ plan: "starter" });
  // A pace is shown from the second day of a month on.
  const isFirstDay = new Date().getUTCDate() === 1;
  const tooEarly = "too early in the month to estimate";
  await setUsed(workspace, 9_999);
  await openSignedIn(page, workspace.owner);
  const task = clock.start("Shall we run out this month?", "Overview alone, no arithmetic");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  const used = page.getByText("99 % used");
  await expect(used).toContainText(isFirstDay ? tooEarly : /used up about \d+ \w+ at this pace/);
  task.done();
  expect(task.actions()).toBe(0);
  await setUsed(workspace, 100);
  await page.reload();
  await expect(page.getByText(isFirstDay ? tooEarly : "enough for this month at this pace")).toBeVisible();
});

test("on an empty installation, the first 201 takes 4 actions, and step 5 of the quickstart works at once", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ lines: [], templates: [] });
  await sql`delete from api_keys where workspace_id = ${workspace.workspaceId}`;
  const clipboard = await clipboardOf(page);
  await openSignedIn(page, workspace.owner);

  const task = clock.start("First 201 on an empty installation", "≤ 4 actions, ≤ 30 s");
  await task.act(() => page.getByRole("link", { name: "Get started" }).first().click());
  await task.act(() => page.getByRole("button", { name: "Create test line and key" }).click());
  const made = page.getByRole("dialog", { name: "Your test key" });
  await expect(made.getByText("First call: the button copies it with the secret")).toBeVisible();
  await task.act(() => made.getByRole("button", { name: /curl/ }).click());
  const curl = await clipboard();
  expect(await task.act(() => runInShell(curl, {}))).toBe("201");
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(4);
  expect(task.seconds()).toBeLessThanOrEqual(30);

  // The page refreshes itself, and leaves the dialog alone.
  await page.waitForTimeout(3_500);
  await made.getByLabel("I stored the secret").check();
  await made.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("status").filter({ hasText: "1 of 5 done" })).toBeVisible();
  expect(await page.content()).not.toContain("sk_test_");

  const apiKey = /apiKey: (pk_test_\w+)/.exec(curl)?.[1] ?? "";
  const apiSecret = /apiSecret: (sk_test_\w+)/.exec(curl)?.[1] ?? "";
  await page.goto("/docs/quickstart");
  await expect(page.getByText(`the calls here carry ${apiKey}`)).toBeVisible();
  const sent = await request("POST", `${workspace.baseUrl}/api/v1/public/messages/send`, {
    headers: { apiKey, apiSecret, "content-type": "application/json", "x-forwarded-for": freshAddress() },
    body: JSON.stringify(CALLS_OF.sendMessage?.template?.body),
  });
  expect(sent.status).toBe(201);
});

test("a token that died is found out from any page: bell, alert, and the button that fixes it", async ({
  page,
  signIn,
  workspace,
}) => {
  await sql`
      update phone_numbers set token_problem = 'Session has expired', token_checked_at = now()
      where workspace_id = ${workspace.workspaceId}`;
  await sweep();
  await signIn("owner", "/dashboard/messages");

  const task = clock.start("Find out that a token died", "≤ 2 actions");
  const bell = page.getByRole("link", { name: /^Alerts: \d+ new/ });
  await task.act(() => bell.click());
  const alert = page.getByRole("listitem").filter({ hasText: "WhatsApp refuses this line’s token" });
  await task.act(() => alert.getByRole("link", { name: "Replace the token" }).click());
  await expect(page).toHaveURL(new RegExp(workspace.phoneNumberId));
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(2);
  await page.goto("/dashboard/alerts");
  await expect(page.getByRole("link", { name: "Alerts", exact: true })).toBeVisible();
});

test("a colleague gets a key for one line", async ({ page }) => {
  const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "other" }] });
  await openSignedIn(page, workspace.owner, "/dashboard/settings/api-keys?mode=live");

  const task = clock.start("Give a colleague a key for one line", "≤ 7 actions");
  await task.act(() => page.getByRole("button", { name: "Create key" }).click());
  const dialog = page.getByRole("dialog", { name: "Create a key" });
  await task.act(() => dialog.getByLabel("Label").fill("Support desk"));
  await task.act(() =>
    dialog
      .getByText(/^Limits/)
      .first()
      .click(),
  );
  const line = dialog.getByRole("group", { name: "Lines" }).getByRole("checkbox").first();
  await task.act(() => line.check());
  await task.act(() => dialog.getByRole("button", { name: "Create key" }).click());
  const made = page.getByRole("dialog", { name: "Key created" });
  await task.act(() => made.getByLabel("I stored the secret").check());
  await task.act(() => made.getByRole("button", { name: "Done" }).click());
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(7);
  const [key] = await sql<{ lines: number }[]>`
      select jsonb_array_length(limits -> 'phoneNumberIds') as lines from api_keys
      where workspace_id = ${workspace.workspaceId} and label = 'Support desk'`;
  expect(key?.lines).toBe(1);
});

test("why a template was rejected is read on its page", async ({ page, signIn, workspace }) => {
  await sql`
      update templates set rejected_reason = 'INVALID_FORMAT'
      where workspace_id = ${workspace.workspaceId} and status = 'REJECTED'`;
  await signIn("owner", "/dashboard/templates?mode=live");

  const task = clock.start("Read why a template was rejected", "≤ 1 action");
  await task.act(() => page.getByRole("link", { name: "spring_sale" }).click());
  await expect(page.getByRole("heading", { level: 1, name: "spring_sale" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText(/format/i);
  task.done();
  expect(task.actions()).toBe(1);
});

test("a member's first test call is one click on the reference, and stands in the request log under her name", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await openSignedIn(page, workspace.member, "/docs/reference");

  const task = clock.start("A member's first test call", "≤ 3 actions, ≤ 30 s");
  const trial = page.getByRole("region", { name: "Try it: Send a message" });
  await task.act(() => trial.getByRole("button", { name: "Try it" }).click());
  await task.act(() => trial.getByRole("button", { name: "Send test message" }).click());
  await expect(trial.getByText("201 Created")).toBeVisible();
  await requestRows(workspace, 1);
  await task.act(() => trial.getByRole("link", { name: "Open in the request log" }).click());
  await expect(page.getByRole("main").getByText("Max Member")).toBeVisible();
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(3);
  await expect(page.getByText(/pk_test_/)).toHaveCount(0);
});

test("a file of Google Contacts in German is imported with a country to choose, and nothing else", async ({ page }) => {
  const workspace = await provisionWorkspace();
  await openSignedIn(page, workspace.owner, "/dashboard/contacts");

  const task = clock.start("Import Google Contacts in German", "≤ 4 actions, ≤ 30 s");
  await task.act(() => page.getByRole("link", { name: "Import CSV" }).click());
  const file = new URL("../files/google-de.csv", import.meta.url).pathname;
  await task.act(() => page.getByLabel("File").setInputFiles(file));
  await task.act(() => page.getByLabel("Country of national numbers").selectOption("DE"));
  await expect(page.getByText("4 rows, 3 to import, 1 to leave out. Nothing is saved yet.")).toBeVisible();
  await task.act(() => page.getByRole("button", { name: "Import", exact: true }).click());
  await expect(page.getByText(/^4 rows: .*1 left out\.$/)).toBeVisible();
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(4);
  const people = await sql<{ phone: string; name: string }[]>`
      select phone, name from contacts where workspace_id = ${workspace.workspaceId} order by phone`;
  expect(people.map(({ phone, name }) => `${phone} ${name}`)).toEqual([
    "33639981234 Maman",
    "4915228817386 Łucja Öztürk",
    "491713920012 Jürgen Groß",
  ]);
});

test("a second factor is set up with an app, and asked for at the next sign-in", async ({ page }) => {
  const { owner } = await provisionWorkspace();
  await openSignedIn(page, owner, "/dashboard/account");
  await page.getByRole("link", { name: "Set up" }).click();
  await expect(page.getByRole("img", { name: /QR code/ })).toBeVisible();
  const secret = Secret.fromBase32((await page.locator("[data-copyable] code").innerText()).replaceAll(" ", ""));
  const codeOf = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await page.getByLabel("Password").fill(owner.password);
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByText(/^Wrong code/)).toBeVisible();
  await page.getByLabel("Code", { exact: true }).fill(codeOf(0));
  await page.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog", { name: "Recovery codes" });
  await expect(dialog.locator("code")).toHaveText(/^(?:[a-z2-7]{4}(?:-[a-z2-7]{4}){3}\s*){10}$/);
  await dialog.getByRole("button", { name: "I stored the codes" }).click();
  await expect(page).toHaveURL(inAnyMode("/dashboard"));
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");

  await page.goto("/dashboard/templates");
  const task = clock.start("A sign-in with a second factor", "≤ 5 actions, ≤ 15 s");
  await task.act(() => page.getByLabel("E-mail").fill(owner.email));
  await task.act(() => page.getByLabel("Password").fill(owner.password));
  await task.act(() => page.keyboard.press("Enter"));
  await expect(page.getByLabel("Code", { exact: true })).toBeFocused();
  await task.act(() => page.keyboard.type(codeOf(1)));
  await task.act(() => page.keyboard.press("Enter"));
  await expect(page).toHaveURL(inAnyMode("/dashboard/templates"));
  task.done();
  expect(task.actions()).toBeLessThanOrEqual(5);
});
