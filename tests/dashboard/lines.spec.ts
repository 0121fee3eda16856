import type { Page } from "@playwright/test";
import { freshAccount, workspaceOfAccount } from "../support/line-actions";
import { sql } from "../support/rows";
import { signatureOf } from "../support/webhooks";
import { postWebhook, provisionWorkspace, statusWebhook, type TestWorkspace } from "../support/workspace";
import { accessibilityFaultsInBothSchemes, expect, openSignedIn, overflowOf, test } from "./dashboard-test";

const openLine = (page: Page, { owner, phoneNumberId }: TestWorkspace) =>
  openSignedIn(page, owner, `/dashboard/phone-numbers/${phoneNumberId}`);
const attention = (page: Page) => page.getByRole("region", { name: "What needs attention" });
/** Six calls to WhatsApp, one after the other. */
const runCheck = async (page: Page) => {
  await page.getByRole("button", { name: "Run check" }).last().click();
  await expect(page.getByText("Asking WhatsApp…")).toHaveCount(0, { timeout: 25_000 });
};

test.describe("a line's health in plain words: one sentence, one button", () => {
  test("an expired token", async ({ page }) => {
    const workspace = await workspaceOfAccount({ accessToken: "expired-token" });
    await openLine(page, workspace);
    await runCheck(page);
    await expect(attention(page).getByText("WhatsApp refuses this line’s token")).toBeVisible();
    await attention(page).getByRole("link", { name: "Replace token" }).click();
    await page.getByLabel("New access token").fill("EAAlasting0123456789");
    await page.getByRole("button", { name: "Replace token" }).click();
    await expect(page.getByText("Replaced: WhatsApp accepts the new token.")).toBeVisible();
    await expect(attention(page).getByText("WhatsApp refuses")).toHaveCount(0);
  });

  test("a missing subscription, which the button fixes", async ({ page }) => {
    const workspace = await workspaceOfAccount();
    await openLine(page, workspace);
    await runCheck(page);
    await attention(page).getByRole("button", { name: "Subscribe the app" }).click();
    await expect(page.getByText("Our app is not subscribed")).toHaveCount(0);
    await page.getByText("All details").click();
    await expect(page.getByText("Confirmed")).toBeVisible();
  });
});

test.describe("connecting a line", () => {
  const check = async (page: Page, token: string, account: string) => {
    await page.getByLabel("Access token").fill(token);
    await page.getByLabel("WhatsApp business account id").fill(account);
    await page.getByRole("button", { name: "Check", exact: true }).click();
  };

  test("a refused token is reported in WhatsApp's words; a good one leads to the numbers and to the line", async ({
    page,
  }) => {
    const workspace = await provisionWorkspace({ lines: [] });
    const { whatsappBusinessAccountId: account } = freshAccount("000003");
    await openSignedIn(page, workspace.owner, "/dashboard/phone-numbers");
    await page.getByRole("link", { name: "Connect line" }).click();
    await check(page, "expired-token", account);
    await expect(page.getByText("Session has expired")).toBeVisible();
    await expect(page.getByRole("radio")).toHaveCount(0);

    await check(page, "EAAlasting0123456789", account);
    await expect(page.getByText("The token never expires")).toBeVisible();
    await expect(page.getByRole("radio")).toHaveCount(3);
    await page.getByRole("radio").nth(1).check();
    await page.getByLabel("Name of the line").fill("Support");
    await page.getByRole("button", { name: "Connect line" }).click();
    await page.waitForURL("**/dashboard/phone-numbers/pn_*");
    await expect(page.getByRole("heading", { level: 1, name: "Support" })).toBeVisible();
    expect(await page.content()).not.toContain("EAAlasting");
  });

  test("a test line is one click", async ({ page }) => {
    const workspace = await provisionWorkspace({ lines: [] });
    await openSignedIn(page, workspace.owner, "/dashboard/phone-numbers/new");
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.getByRole("button", { name: "Add test line" }).click();
    await page.waitForURL("**/dashboard/phone-numbers/pn_*");
    await expect(page.getByRole("heading", { level: 1, name: "Test line" })).toBeVisible();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goto("/dashboard/templates?mode=test");
    await expect(page.getByRole("link", { name: "order_ready" }).first()).toBeVisible();
  });
});

test("the list shows what is wrong in a line that cannot send, never green, and never scrolls sideways", async ({
  page,
}) => {
  const workspace = await workspaceOfAccount();
  await sql`
      update phone_numbers set token_problem = '190: Session has expired', label = ${"Support for the whole of Europe ".repeat(3)}
      where id = ${workspace.phoneNumberId} and workspace_id = ${workspace.workspaceId}`;
  await openSignedIn(page, workspace.owner);
  for (const width of [375, 640, 760, 900, 1024, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/dashboard/phone-numbers");
    const row = page.getByRole("list", { name: "Lines of this workspace" }).getByRole("listitem");
    await expect(row.getByText("Cannot send")).toBeVisible();
    await expect(row.getByText("Active")).toHaveCount(0);
    await expect(row.getByRole("link", { name: "Replace token" })).toBeVisible();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    if (width >= 640) expect((await row.boundingBox())?.height).toBeLessThan(64);
  }
  await page.getByText("Token refused").click({ force: true });
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Support for");
});

test("pausing asks first, and says what was sent lately", async ({ page }) => {
  const workspace = await workspaceOfAccount();
  await openLine(page, workspace);
  await page.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("button", { name: "Pause sending…" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause sending from Line main?" });
  await expect(dialog.getByText("Nothing was sent from it in the last 7 days.")).toBeVisible();
  await dialog.getByRole("button", { name: "Pause sending" }).click();
  await expect(page.getByText("Paused")).toBeVisible();
});

test("a form whose server cannot be reached keeps what was typed, and is sent again", async ({ page, context }) => {
  const workspace = await provisionWorkspace();
  await openLine(page, workspace);
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Front desk");
  const save = page.getByRole("button", { name: "Save name" });
  await context.setOffline(true);
  await save.click();
  await expect(page.getByText("No valid response from the server.")).toBeVisible();
  await expect(name).toHaveValue("Front desk");
  await context.setOffline(false);
  await save.click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(page.getByText("No valid response from the server.")).toHaveCount(0);
});

test("disconnecting asks first, and only the server's word closes the dialog", async ({ page }) => {
  const workspace = await workspaceOfAccount();
  await openLine(page, workspace);
  await page.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("button", { name: "Disconnect…" }).click();
  const dialog = page.getByRole("dialog", { name: "Disconnect Line main?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Disconnect…" }).click();
  await dialog.getByRole("button", { name: "Disconnect", exact: true }).click();
  await expect(page.getByText("This line is disconnected")).toBeVisible();
});

test("a bad signature counts on the open page within 10 s, with its hint", async ({ page }) => {
  const workspace = await provisionWorkspace();
  await openSignedIn(page, workspace.owner, "/dashboard/webhooks");
  await expect(page.getByText("0 bad signature")).toBeVisible();
  const body = JSON.stringify(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]));
  await postWebhook(body, { "x-hub-signature-256": signatureOf(body, "a wrong secret") });
  await expect(page.getByText("1 bad signature")).toBeVisible({ timeout: 10_000 });
  await expect(page.getByText("The app secret differs from WHATSAPP_APP_SECRET").first()).toBeVisible();
});

test("the first step ticks itself when its call is made, without a reload", async ({ page }) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await openSignedIn(page, workspace.owner, "/dashboard/get-started");
  await expect(page.getByText("0 of 5 done.")).toBeVisible();
  await expect(page.getByText(workspace.apiKey).first()).toBeVisible();
  await workspace.send({ type: "text", phone: "447700900003", content: "Your order is ready." });
  await expect(page.getByText("1 of 5 done.")).toBeVisible({ timeout: 10_000 });
  await expect(page.getByRole("link", { name: "Open message" })).toBeVisible();
});

test("the messaging limit is shown once per portfolio, with its use, in words that axe and a telephone can read", async ({
  page,
}) => {
  const [first, second, third] = [freshAccount(), freshAccount(), freshAccount()].map(
    ({ whatsappBusinessAccountId }) => whatsappBusinessAccountId,
  );
  const workspace = await provisionWorkspace({
    lines: [
      { ref: "orders", whatsappBusinessAccountId: first ?? "" },
      { ref: "support", whatsappBusinessAccountId: second ?? "" },
      { ref: "wholesale", whatsappBusinessAccountId: third ?? "" },
    ],
  });
  const { workspaceId } = workspace;
  await sql`
    update phone_numbers set token_checked_at = now(), subscribed_at = now(), last_webhook_at = now(),
      messaging_limit = case when whatsapp_business_account_id = ${third ?? ""} then 'TIER_UNLIMITED' else 'TIER_2K' end
    where workspace_id = ${workspaceId}`;
  await sql`
    update template_reads set people_begun = 1640, portfolio_id = '5005', portfolio_name = 'Acme Plants and Gardens International'
    where workspace_id = ${workspaceId} and whatsapp_business_account_id <> ${third ?? ""}`;
  await sql`
    with people as (
      insert into contacts (workspace_id, id, phone)
      select ${workspaceId}, 'ct_limit' || i, (447700300000 + i)::text from generate_series(1, 1640) i returning id)
    insert into conversation_starts (workspace_id, whatsapp_business_account_id, contact_id, started_at)
    select ${workspaceId}, ${first ?? ""}, id, now() from people`;
  await openSignedIn(page, workspace.owner);
  for (const [path, within] of [
    ["/dashboard/phone-numbers", page.getByRole("region", { name: "Messaging limits" })],
    ["/dashboard?mode=live", page.getByRole("region", { name: "Limits and speed" })],
  ] as const) {
    await page.goto(path);
    await expect(within.getByText("1,640 of 2,000 people in 24 hours")).toHaveCount(1);
    await expect(within.getByText("Any number of people a day")).toHaveCount(1);
    await expect(within.getByRole("progressbar", { name: /Acme Plants/ })).toHaveJSProperty("value", 1_640);
    expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    }
  }
  await expect(page.getByText("1,640 of 2,000 people were messaged first in the last 24 hours")).toBeVisible();
  await page.getByRole("link", { name: "See the limit" }).click();
  await page.waitForURL("**/dashboard/phone-numbers?mode=live#limits");
});
