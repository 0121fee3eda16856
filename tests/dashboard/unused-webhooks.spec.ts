import type { Page } from "@playwright/test";
import { sql } from "../support/rows";
import { accountWebhook, inboundWebhook } from "../support/webhooks";
import { postWebhook, provisionWorkspace, type TestWorkspace } from "../support/workspace";
import { accessibilityFaultsInBothSchemes, expect, openSignedIn, test } from "./dashboard-test";

const WRITER = "447700900456";
const NUMBER = "442079460123";

const post = async (body: unknown) => expect((await postWebhook(body)).status).toBe(200);

const fill = async (workspace: TestWorkspace) => {
  const metadata = { display_phone_number: NUMBER, phone_number_id: workspace.whatsappPhoneNumberId };
  const calls = accountWebhook(workspace, "calls", { metadata, calls: [{ from: WRITER }] });
  await post(calls);
  await post(calls);
  await post(inboundWebhook(workspace, [{ from: WRITER, type: "revoke" }]));
  await post(accountWebhook(workspace, "brand_new", { mark: WRITER }));
  await sql`
      insert into unhandled_webhooks (id, kind, reason, whatsapp_phone_number_id, body)
      values (${`wh_${workspace.workspaceId}`}, 'notStored', 'x', ${workspace.whatsappPhoneNumberId}, 'x')`;
  await post(accountWebhook(workspace, "messages", { metadata, errors: [{ code: 131042, title: "Payment issue" }] }));
  await post(accountWebhook(workspace, "security", { display_phone_number: NUMBER, event: "PIN_CHANGED" }));
};

const expectFit = async (page: Page, width: number) => {
  await page.setViewportSize({ width, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`).toBe(true);
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
};

test("an admin sees what had no effect, what failed first, with a sentence and no contents", async ({
  page,
  complaints,
}) => {
  const workspace = await provisionWorkspace();
  await fill(workspace);
  await openSignedIn(page, workspace.admin, "/dashboard/webhooks");
  await page.getByRole("link", { name: "Unused webhooks" }).click();
  const unused = page.getByRole("region", { name: "Without effect" });
  await expect(unused.getByRole("heading", { level: 3 })).toHaveText([
    "Problem: Not stored",
    "Field without use brand_new",
    "Message without effect messages",
    "Field without use calls",
  ]);
  const calls = unused.getByRole("listitem").filter({ hasText: "Calls to and from a number." }).first();
  await expect(calls).toContainText("Remove the field from the app’s webhook settings at Meta");
  await expect(calls).toContainText(/Line main: 2 webhooks, first .*, last /);
  await expect(unused).toContainText(`Account ${workspace.whatsappBusinessAccountId}: 1 webhook, last`);
  expect(await page.content()).not.toContain(WRITER);
  for (const width of [320, 375, 1280]) await expectFit(page, width);
  expect(complaints).toEqual([]);
});

test("a changed PIN and an account error warn on the page and at the line", async ({ page }) => {
  const workspace = await provisionWorkspace();
  await fill(workspace);
  await openSignedIn(page, workspace.owner, "/dashboard/webhooks/unused");
  const reports = page.getByRole("region", { name: "Account errors and security events" });
  await expect(reports.getByRole("heading", { level: 3 })).toHaveText([
    "Warning: PIN changed",
    "Problem: Error 131042",
  ]);
  await reports.getByRole("link", { name: "Line main" }).first().click();
  await expect(page.getByText("If your team did not do this, review who has access").first()).toBeVisible();
  await expect(page.getByText("the business account has a payment problem").first()).toBeVisible();
});

test("a member sees neither the link nor the page", async ({ page }) => {
  const workspace = await provisionWorkspace();
  await fill(workspace);
  await openSignedIn(page, workspace.member, "/dashboard/webhooks");
  await expect(page.getByRole("heading", { name: "WhatsApp connection" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Unused webhooks" })).toHaveCount(0);
  expect((await page.goto("/dashboard/webhooks/unused"))?.status()).toBe(404);
});
