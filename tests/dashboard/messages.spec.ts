import type { Page } from "@playwright/test";
import { reaching } from "../support/awaiting";
import { auditEntries } from "../support/rows";
import { graphError, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../support/workspace";
import { expect, openSignedIn, RECIPIENT, scriptHasRun, shownOf, test } from "./dashboard-test";

/** The recipients of the rows that are shown, top to bottom. */
const recipients = (page: Page) => page.getByRole("table").getByRole("rowheader").allTextContents();

/** Sends to a test number of the sandbox, which reports its statuses by webhooks. */
const sendInTestMode = async (workspace: TestWorkspace, phone: string) =>
  (await workspace.send({ type: "text", phone, content: "Hi" })).body.data.id;

test.describe("the list", () => {
  test("three filters survive a reload, Back and another browser, and each can be removed", async ({
    page,
    browser,
    signIn,
    workspace,
  }) => {
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(131026), graphError(131047)]);
    await workspace.send({ type: "text", phone: "447700900777", content: "One" });
    await workspace.send({ type: "text", phone: "447700900778", content: "Two" });
    await signIn("owner", "/dashboard/messages");
    await expect.poll(() => recipients(page)).toHaveLength(4);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByLabel("Status").selectOption("FAILED");
    await expect(page).toHaveURL(/status=FAILED/);
    await page.getByLabel("Type").selectOption("text");
    await expect(page).toHaveURL(/type=text/);
    await page.getByLabel("error code").fill("131047");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page).toHaveURL(/code=131047/);
    await expect.poll(() => recipients(page)).toEqual(["+447700900778"]);
    await expect(page.getByText("1 result", { exact: true })).toBeVisible();

    await page.reload();
    await expect.poll(() => recipients(page)).toEqual(["+447700900778"]);
    const other = await (await browser.newContext({ storageState: await page.context().storageState() })).newPage();
    await other.goto(page.url());
    await expect.poll(() => recipients(other)).toEqual(["+447700900778"]);
    await other.context().close();
    await page.getByRole("rowheader").getByRole("link").click();
    await expect(page.getByRole("dialog", { name: /^Message to/ })).toBeVisible();
    await page.goBack();
    await expect.poll(() => recipients(page)).toEqual(["+447700900778"]);
    await page.getByRole("link", { name: /error code: 131047/ }).click();
    await expect.poll(() => recipients(page)).toEqual(["+447700900778", "+447700900777"]);
  });

  test("the way to the other mode leaves behind what belongs to one", async ({ page, signIn, workspace }) => {
    await signIn("owner", `/dashboard/messages?status=READ&line=${workspace.phoneNumberId}&mode=live`);
    const other = page.getByRole("link", { name: "look among test messages" });
    await expect(other).toHaveAttribute("href", "/dashboard/messages?status=READ&mode=test");
  });

  test("nothing yet, nothing that matches and the end are three different things", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages?status=READ");
    await expect(page.getByRole("heading", { name: "No message matches" })).toBeVisible();
    await page.getByRole("link", { name: "Clear the filters" }).click();
    await expect(page.getByRole("rowheader")).toHaveCount(2);
    const empty = await provisionWorkspace();
    await page.context().clearCookies();
    await openSignedIn(page, empty.owner, "/dashboard/messages");
    await expect(page.getByRole("heading", { name: "No live message yet" })).toBeVisible();
  });

  test("auto-refresh is off at first; then new rows show a bar and move nothing", async ({
    page,
    signIn,
    workspace,
  }) => {
    await signIn("owner", "/dashboard/messages");
    const live = page.getByRole("switch", { name: "Auto-refresh" });
    await expect(live).not.toBeChecked();
    await live.click();
    await expect(live).toBeChecked();
    await workspace.send({ type: "text", phone: "447700900777", content: "New" });
    const bar = page.getByRole("button", { name: "1 new: show" });
    await expect(bar).toBeVisible();
    await expect(page.getByRole("rowheader")).toHaveCount(2);
    await bar.click();
    await expect.poll(() => recipients(page)).toEqual(["+447700900777", `+${RECIPIENT}`, `+${RECIPIENT}`]);
    await expect(bar).toBeHidden();
  });

  test("auto-refresh stays on when a filter is chosen, removed or cleared", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages?refresh=on");
    const live = page.getByRole("switch", { name: "Auto-refresh" });
    await scriptHasRun(page);
    await page.getByLabel("Status").selectOption("FAILED");
    await expect(page).toHaveURL(/status=FAILED/);
    await expect(live).toBeChecked();
    await page.getByRole("link", { name: "Clear all" }).click();
    await expect(page).not.toHaveURL(/status=/);
    await expect(live).toBeChecked();
  });
});

test.describe("a message's timeline", () => {
  test("a delivery after a failure is shown after it, with what it means", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const id = await sendInTestMode(workspace, "447700900009");
    expect((await reaching(workspace, id, "DELIVERED")).status).toBe("DELIVERED");
    await openSignedIn(page, workspace.owner, `/dashboard/messages/${id}`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    const items = timeline.getByRole("listitem");
    const rows = [/^Received/, /^Accepted/, /^Failed/, /^Delivered/];
    for (const [at, row] of rows.entries()) await expect(items.nth(at)).toContainText(row);
    await expect(items).toHaveCount(rows.length);
    await expect(timeline).toContainText("DELIVERED after FAILED");
    await expect(page.getByRole("status").filter({ hasText: /^Delivered$/ })).toBeVisible();
  });
});

test.describe("roles", () => {
  test("a member sees the mask everywhere; an owner who shows the body leaves an audit entry", async ({
    page,
    signIn,
    workspace,
  }) => {
    await signIn("member", "/dashboard/messages");
    const href = await page.getByRole("rowheader").first().getByRole("link").getAttribute("href");
    await page.getByRole("rowheader").first().getByRole("link").click();
    await expect(page.getByRole("dialog")).toHaveAccessibleName("Message to 44770•••0123");
    expect(await page.content()).not.toContain(RECIPIENT);
    await page.goto(href ?? "");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("44770•••0123");
    expect(await page.content()).not.toContain(RECIPIENT);
    await expect(page.getByRole("button", { name: "Show the body" })).toHaveCount(0);

    await page.context().clearCookies();
    await signIn("owner", href ?? "");
    await page.getByRole("button", { name: "Show the body" }).click();
    await expect(page.getByText(`"phone": "${RECIPIENT}"`)).toBeVisible();
    const noted = (await auditEntries(workspace.workspaceId)).filter(({ action }) => action === "message.revealed");
    expect(noted).toMatchObject([{ target_id: href?.split("?", 1)[0]?.split("/").at(-1), after: { part: "request" } }]);
  });
});

test("a message's page leads to the events about it that were posted to endpoints, for those who see endpoints", async ({
  page,
  signIn,
  workspace,
}) => {
  const { messageId, deliveryId } = await shownOf(workspace);
  await signIn("owner", `/dashboard/messages/${messageId}`);
  await page
    .getByRole("table", { name: /^Events about this message/ })
    .getByRole("link")
    .click();
  await expect(page).toHaveURL(new RegExp(`/deliveries/${deliveryId}`));
  await page.context().clearCookies();
  await signIn("member", `/dashboard/messages/${messageId}`);
  await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible();
  await expect(page.getByRole("table", { name: /^Events about this message/ })).toHaveCount(0);
});

test.describe("without JavaScript", () => {
  test("list and message read as they are", async ({ page, browser, signIn }) => {
    await signIn("owner");
    const context = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const plain = await context.newPage();
    await plain.goto(new URL("/dashboard/messages?status=SENT", page.url()).href);
    await expect(plain.getByRole("rowheader")).toHaveCount(2);
    await plain.getByRole("rowheader").first().getByRole("link").click();
    await expect(plain.getByText("Accepted by WhatsApp")).toBeVisible();
    await context.close();
  });
});
