import { onRows } from "../support/rows";
import { sweep } from "../support/sweep";
import { accessibilityFaultsInBothSchemes, expect, test } from "./dashboard-test";

test("a dead token is found out in two clicks from any page: bell, alert, and the button that fixes it", async ({
  page,
  signIn,
  workspace,
}) => {
  await onRows(
    (sql) => sql`
      update phone_numbers set token_problem = 'Session has expired', token_checked_at = now()
      where workspace_id = ${workspace.workspaceId}`,
  );
  await sweep();
  await signIn("owner", "/dashboard/messages");
  const bell = page.getByRole("link", { name: /^Alerts/ });
  await expect(bell).toContainText(/[1-9]/);
  await bell.click();
  const alert = page.getByRole("listitem").filter({ hasText: "WhatsApp refuses this line’s token" });
  await alert.getByRole("link", { name: "Replace the token" }).click();
  await expect(page).toHaveURL(new RegExp(workspace.phoneNumberId));
  await page.goto("/dashboard/alerts");
  await expect(page.getByRole("link", { name: "Alerts", exact: true })).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
});

test("a Slack channel is added by its URL, which is not shown again", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/settings/webhooks?mode=live");
  await page.getByRole("button", { name: "Add Slack channel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label").fill("#alerts");
  await dialog.getByLabel("Webhook URL").fill("https://hooks.slack.com/services/T0/B0/the-credential");
  await dialog.getByRole("button", { name: "Add channel" }).click();
  await page.getByRole("link", { name: "#alerts" }).click();
  await expect(page.getByRole("heading", { name: "#alerts" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Rotate secret" })).toHaveCount(0);
  expect(await page.content()).not.toContain("the-credential");
});
