import type { Page } from "@playwright/test";
import { endpointWithDelivery } from "../support/endpoint-rows";
import { sql } from "../support/rows";
import { expect, inAnyMode, openMenu, RECIPIENT, scriptHasRun, test } from "./dashboard-test";

const rows = (page: Page) =>
  page
    .getByRole("table")
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader") });
/** Over any of its words lies the link, so a click is not made on the cell itself. */
const clickEnd = (page: Page, button: "left" | "middle" = "left") =>
  rows(page).first().getByRole("cell").last().click({ force: true, button });
const panel = (page: Page) => page.getByRole("main").getByRole("dialog");

test("a row is one link: a click on any cell opens it, and a middle click opens a tab", async ({
  page,
  context,
  signIn,
}) => {
  for (const list of ["messages", "contacts"]) {
    await signIn("owner", `/dashboard/${list}`);
    await clickEnd(page);
    await expect(panel(page)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(panel(page)).toHaveCount(0);
  }
  const [tab] = await Promise.all([context.waitForEvent("page"), clickEnd(page, "middle")]);
  await expect(tab).toHaveURL(/\/dashboard\/contacts\/ct_/);
  await expect(page).toHaveURL(inAnyMode("/dashboard/contacts"));
  await signIn("owner", "/dashboard/templates");
  await clickEnd(page);
  await expect(page).toHaveURL(/\/dashboard\/templates\/tpl_/);
});

test("messages stand under their day, with the person's name and the first words for those who may see contents", async ({
  page,
  signIn,
  workspace,
}) => {
  const { workspaceId } = workspace;
  await sql`update contacts set name = 'Ada Lovelace' where workspace_id = ${workspaceId}`;
  await sql`
      update messages set created_at = created_at - interval '400 days', request = null where workspace_id = ${workspaceId}
        and id = (select min(id) from messages where workspace_id = ${workspaceId})`;
  const table = page.getByRole("table");
  // Found by the number: counts by hour, which lead to messages by time, know nothing of a moved one.
  const list = `/dashboard/messages?q=${RECIPIENT}`;
  await signIn("owner", list);
  await expect(table.getByText("Today", { exact: true })).toBeVisible();
  await expect(table.getByText(/^\w{3} \d+ \w+ \d{4}$/)).toBeVisible();
  await expect(rows(page).first()).toContainText(/Ada Lovelace \+447700900123/);
  await expect(rows(page).first()).toContainText("It waits at the counter.");
  await expect(rows(page).first().locator("time")).toHaveText(/^\d\d:\d\d$/);
  await expect(rows(page).last(), "whose contents were deleted").toContainText("Text");

  await page.context().clearCookies();
  await signIn("member", list);
  await expect(rows(page).first()).toContainText("Ada Lovelace 44770•••0123");
  expect(await page.content()).not.toContain("It waits at the counter.");
});

test("at 375 px a message takes two lines", async ({ page, signIn }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await signIn("owner", "/dashboard/messages");
  const box = await rows(page).first().boundingBox();
  expect(box?.height).toBeLessThan(80);
  await expect(rows(page).first()).toContainText("It waits at the counter.");
  await expect(rows(page).first().locator("time")).toBeVisible();
});

test("filters apply themselves, stay in focus, and leave no empty parameter", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/messages");
  await scriptHasRun(page);
  await page.getByLabel("Status").selectOption("FAILED");
  await expect(page).toHaveURL(inAnyMode("/dashboard/messages?status=FAILED"));
  await expect(page.getByLabel("Status")).toHaveValue("FAILED");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByLabel("From").fill("2026-01-01");
  await page.getByLabel("From").blur();
  await expect(page).toHaveURL(inAnyMode("/dashboard/messages?status=FAILED&from=2026-01-01"));
  await page.getByRole("link", { name: /^From: 2026-01-01/ }).click();
  await expect(page).toHaveURL(inAnyMode("/dashboard/messages?status=FAILED"));
  await expect(page.getByLabel("From")).toHaveValue("");
  await expect(page.getByRole("button", { name: "Apply" })).toHaveCount(0);
  await page.goBack();
  await expect(page.getByLabel("From")).toHaveValue("2026-01-01");
});

test("a filter from a link that no choice offers any more is shown, and stays when another is chosen", async ({
  page,
  signIn,
}) => {
  await signIn("owner", "/dashboard/templates?language=de&mode=live");
  await expect(page.getByRole("heading", { name: "No template matches" })).toBeVisible();
  await page.getByRole("button", { name: "More" }).click();
  await expect(page.getByLabel("Language")).toHaveValue("de");
  await page.getByLabel("Status").selectOption("APPROVED");
  await expect(page).toHaveURL(/status=APPROVED/);
  await expect(page).toHaveURL(/language=de/);
});

test("a page beyond the last row says that it is the end, not that nothing was found", async ({ page, signIn }) => {
  const beyond = "older=1000000000000-none";
  await signIn("owner");
  for (const [list, title] of [
    ["requests", "No older calls"],
    ["contacts", "No older contacts"],
    ["settings/audit-log", "No older entries"],
  ] as const) {
    await page.goto(`/dashboard/${list}?${beyond}`);
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
    await page.getByRole("link", { name: "Back to the newest" }).click();
    await expect(page).toHaveURL(inAnyMode(`/dashboard/${list}`));
  }
});

test("the focus stays on a row that a refresh moves down", async ({ page, signIn, workspace }) => {
  const { endpointId, deliveryId } = await endpointWithDelivery(workspace, { mode: "live" });
  await signIn("owner", `/dashboard/settings/webhooks/${endpointId}`);
  const link = rows(page).first().getByRole("link").first();
  await link.focus();
  await expect(link).toBeFocused();
  await sql`
      insert into webhook_deliveries (
        workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts, settled_at)
      select workspace_id, id || '2', endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts,
        settled_at from webhook_deliveries where id = ${deliveryId}`;
  await expect(rows(page)).toHaveCount(2);
  await expect(
    page.locator(`a[href*="/deliveries/${deliveryId}?"], a[href$="/deliveries/${deliveryId}"]`),
  ).toBeFocused();
});

test("a delivery's next attempt on another day has its day", async ({ page, signIn, workspace }) => {
  const { endpointId, deliveryId } = await endpointWithDelivery(workspace, { mode: "live" });
  await sql`
      update webhook_deliveries set state = 'PENDING', settled_at = null, next_attempt_at = now() + interval '30 hours'
      where id = ${deliveryId}`;
  await sql`update webhook_endpoints set paused_at = null, paused_by = null where id = ${endpointId}`;
  await signIn("owner", `/dashboard/settings/webhooks/${endpointId}`);
  await expect(rows(page).first()).toContainText(/next \d+ \w{3,4} \d{4},? /);
});

test("messages of one moment stand in their order also in a conversation", async ({ page, signIn, workspace }) => {
  const { workspaceId } = workspace;
  const sent = await sql<{ id: string; contact: string }[]>`
      update messages set created_at = date_trunc('hour', now()) where workspace_id = ${workspaceId}
      returning id, contact_id as contact`;
  await signIn("owner", `/dashboard/contacts/${sent[0]?.contact}`);
  const links = page.getByRole("region", { name: "Conversation" }).getByRole("listitem").getByRole("link");
  await expect(links).toHaveCount(2);
  const shown = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")?.match(/msg_\w+/)?.[0]));
  expect(shown).toEqual(sent.map(({ id }) => id).toSorted());
});

test("without JavaScript every filter is in sight, and a button applies them", async ({ page, browser, signIn }) => {
  await signIn("owner", "/dashboard/messages");
  const storageState = await page.context().storageState();
  const context = await browser.newContext({ javaScriptEnabled: false, storageState });
  const plain = await context.newPage();
  await plain.goto(page.url());
  await expect(plain.getByRole("button", { name: "More" })).toBeHidden();
  await plain.getByLabel("Recipient").fill("447700900999");
  await plain.getByRole("button", { name: "Search", exact: true }).click();
  await expect(plain.getByRole("heading", { name: "No message matches" })).toBeVisible();
  await plain.goto(new URL("/dashboard/usage", page.url()).href);
  await plain.getByLabel("Range").selectOption({ index: 0 });
  await plain.getByRole("button", { name: "Apply" }).click();
  await expect(plain).toHaveURL(/[?&]range=/);
  await context.close();
});

test("in a window of 800 px nothing of the menu is below the fold", async ({ page, signIn }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await signIn("owner");
  const menu = page.locator("#menu");
  for (const link of await menu.getByRole("link").all()) await expect(link).toBeInViewport({ ratio: 1 });
  await expect(menu.getByRole("button", { name: "Sign out" })).toBeInViewport({ ratio: 1 });
  // A lower window scrolls the pages, and the person stays.
  await page.setViewportSize({ width: 1280, height: 500 });
  await expect(menu.getByRole("button", { name: "Sign out" })).toBeInViewport({ ratio: 1 });
});

test("a dialog takes what is typed, and no key closes or triggers anything", async ({ page, signIn, workspace }) => {
  await signIn("owner", "/dashboard/settings/api-keys?create=1");
  const dialog = page.getByRole("dialog", { name: "Create a key" });
  await expect(dialog).toBeVisible();
  await page.keyboard.type("Web shop");
  await expect(dialog.getByLabel("Label")).toHaveValue("Web shop");
  await page.goto("/dashboard/settings/members");
  const row = page.getByRole("row", { name: /Max Member/ });
  await row.getByRole("button", { name: /^Actions/ }).click();
  await row.getByRole("button", { name: "Change role…" }).click();
  const roles = page.getByRole("dialog", { name: "Role of Max Member" });
  await expect(roles).toBeVisible();
  await page.keyboard.type("owner of the shop");
  await page.keyboard.press("Enter");
  await expect(roles).toBeVisible();
  await expect(roles.getByLabel("Role")).toHaveValue("member");
  expect(workspace.workspaceId).toBeTruthy();
});

test("a refused form keeps what was typed", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/settings");
  await page.getByLabel("Name", { exact: true }).fill("Acme Plants");
  await page.getByLabel("Time zone").fill("Middle/Earth");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText(/Choose a time zone from the list/)).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Acme Plants");
  await expect(page.getByLabel("Time zone")).toHaveValue("Middle/Earth");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Acme Plants");

  await page.goto("/dashboard/account");
  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill("a new long sentence");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Wrong password.")).toBeVisible();
  await expect(page.getByLabel("Current password")).toHaveValue("not the password");
  await expect(page.getByLabel("New password")).toHaveValue("a new long sentence");

  await page.goto("/dashboard/contacts?create=1");
  const dialog = page.getByRole("dialog", { name: "Add a contact" });
  await dialog.getByLabel("Phone").fill("07700 900555");
  await dialog.getByLabel("Name").fill("Ada");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByText(/looks like a national number/)).toBeVisible();
  await expect(dialog.getByLabel("Phone")).toHaveValue("07700 900555");
  await expect(dialog.getByLabel("Name")).toHaveValue("Ada");
});

test("the menu finds actions and error codes", async ({ page, signIn }) => {
  await signIn("owner");
  for (const [typed, option] of [
    ["invite", "Invite member"],
    ["new template", "New template"],
    ["connect", "Connect a line"],
    ["dark", "Dark theme"],
    ["sign out", "Sign out"],
  ] as const) {
    await openMenu(page);
    await page.keyboard.type(typed);
    await expect(page.getByRole("option", { name: option, exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
  }
  await openMenu(page);
  await page.keyboard.type("dark theme");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await openMenu(page);
  await page.keyboard.insertText("131047");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/docs\/errors\/platform\/131047/);
});
