import type { BrowserContext, Page } from "@playwright/test";
import { sql } from "../support/rows";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";
import { expect, menuField, openMenu, openSignedIn, test } from "./dashboard-test";

const TEST_PHONE = "447700900003";
const LIVE_PHONE = "447700900777";

/** A workspace with a line, a key and a message of each mode. */
const inBothModes = async (): Promise<TestWorkspace> => {
  const workspace = await provisionWorkspace({
    mode: "test",
    lines: [{ ref: "trial" }, { ref: "support", mode: "live", whatsappBusinessAccountId: "102200001" }],
  });
  const send = (key: { apiKey: string; apiSecret: string }, phone: string) =>
    workspace.call("POST", "/api/v1/public/messages/send", { key, body: { type: "text", phone, content: "Hello" } });
  await send(workspace.keys.main ?? { apiKey: "", apiSecret: "" }, TEST_PHONE);
  await send(workspace.keys.other ?? { apiKey: "", apiSecret: "" }, LIVE_PHONE);
  return workspace;
};

const twoTabs = async (page: Page, context: BrowserContext): Promise<{ workspace: TestWorkspace; other: Page }> => {
  const workspace = await inBothModes();
  await openSignedIn(page, workspace.owner);
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  return { workspace, other: await context.newPage() };
};

const menu = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name, exact: true });

const switchTo = (page: Page, mode: "Test" | "Live") =>
  page.getByRole("navigation", { name: "Mode" }).getByRole("link", { name: mode, exact: true }).click();

const recipient = (page: Page, phone: string) => page.getByRole("rowheader", { name: `+${phone}` });

test("two tabs keep their own modes, through pages that have none, reloads and the command menu", async ({
  page,
  context,
}) => {
  const { other } = await twoTabs(page, context);
  await page.goto("/dashboard/messages");
  await expect(page, "an address without a mode is given one").toHaveURL("/dashboard/messages?mode=live");
  await other.goto("/dashboard/messages?mode=live");
  await switchTo(other, "Test");
  await expect(recipient(other, TEST_PHONE)).toBeVisible();
  await page.reload();
  await expect(recipient(page, LIVE_PHONE)).toBeVisible();
  for (const [tab, mode, phone] of [
    [page, "live", LIVE_PHONE],
    [other, "test", TEST_PHONE],
  ] as const) {
    for (const name of ["Contacts", "Members"]) {
      await menu(tab, name).click();
      await expect(tab.getByRole("heading", { level: 1, name })).toBeVisible();
      await expect(tab.getByRole("navigation", { name: "Mode" })).toHaveCount(0);
    }
    await tab.reload();
    await menu(tab, "Messages").click();
    await expect(tab).toHaveURL(`/dashboard/messages?mode=${mode}`);
    await expect(recipient(tab, phone)).toBeVisible();
    await openMenu(tab);
    await menuField(tab).fill("requests");
    await tab.keyboard.press("Enter");
    await expect(tab).toHaveURL(`/dashboard/requests?mode=${mode}`);
  }
});

test("the mode stays with filters, a side panel and Back", async ({ page, context }) => {
  await twoTabs(page, context);
  await page.goto("/dashboard/messages?mode=test");
  await page.getByRole("searchbox").fill(TEST_PHONE);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dashboard\/messages\?(?=.*\bq=447700900003)(?=.*\bmode=test)/);
  await page.getByRole("switch", { name: "Auto-refresh" }).click();
  await expect(page).toHaveURL(/(?=.*\brefresh=on)(?=.*\bmode=test)/);
  const list = page.url();
  await page.getByRole("rowheader").first().getByRole("link").click();
  await expect(page.getByRole("dialog").getByText("Received by the API")).toBeVisible();
  await expect(page).toHaveURL(/\/messages\/msg_\w+\?mode=test$/);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(list);
  await expect(recipient(page, TEST_PHONE)).toBeVisible();
});

test("a page to send from that was opened in test mode sends in test mode, whatever another tab shows", async ({
  page,
  context,
}) => {
  const { workspace, other } = await twoTabs(page, context);
  await page.goto("/dashboard/send?mode=test");
  await other.goto("/dashboard/send?mode=test");
  await switchTo(other, "Live");
  await expect(other.getByRole("button", { name: "Send live message" })).toBeVisible();
  await page.getByLabel("To", { exact: true }).fill("447700900002");
  await page.getByRole("button", { name: "Send test message" }).click();
  const answer = page.getByRole("region", { name: "Response" });
  await expect(answer.getByRole("status").first()).toHaveText(/^201 Created/);
  await expect(page).toHaveURL(/sent=msg_\w+&mode=test/);
  const rows = await sql<{ mode: string }[]>`
      select mode from messages where workspace_id = ${workspace.workspaceId} and phone = '447700900002'`;
  expect(rows).toEqual([{ mode: "test" }]);
});
