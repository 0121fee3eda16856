import { expect, test } from "./dashboard-test";

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
