import { awayFromWindowEdge } from "../support/limits";
import { submitSignIn as failToSignIn } from "../support/session";
import { expect, inAnyMode, submitSignIn, test } from "./dashboard-test";

test.describe("signing in", () => {
  test("the right password opens the dashboard, and signing out ends the session in this browser", async ({
    page,
    workspace,
  }) => {
    await submitSignIn(page, workspace.owner);
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await expect(page).toHaveURL(inAnyMode("/dashboard"));
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL("/sign-in");
    await page.goto("/dashboard");
    await expect(page).toHaveURL(/\/sign-in/);
  });

  test("a wrong password and an unknown address read the same, and keep the address typed", async ({
    page,
    workspace,
  }) => {
    for (const email of [workspace.owner.email, "nobody@example.test"]) {
      await submitSignIn(page, { email, password: "not the password" });
      await expect(page.getByRole("alert").filter({ hasText: "do not match an account" })).toBeVisible();
      await expect(page.getByLabel("E-mail")).toHaveValue(email);
      await expect(page.getByText("Forgot your password? Ask an owner of your workspace")).toBeVisible();
    }
    await page.goto("/dashboard");
    await expect(page).toHaveURL(/\/sign-in/);
  });

  test("after too many failures the form says how long to wait, for the right password, too", async ({
    page,
    workspace,
  }) => {
    await awayFromWindowEdge();
    for (let i = 0; i < 10; i++) await failToSignIn({ ...workspace.admin, password: "not the password" });
    await submitSignIn(page, workspace.admin);
    await expect(page.getByRole("alert").filter({ hasText: /Too many attempts.*Try again in \d+ min/ })).toBeVisible();
    await expect(page).toHaveURL(/\/sign-in/);
  });

  test("a deep link survives signing in", async ({ page, workspace }) => {
    await page.goto("/dashboard/templates");
    await expect(page).toHaveURL("/sign-in?callbackUrl=%2Fdashboard%2Ftemplates");
    await page.getByLabel("E-mail").fill(workspace.member.email);
    await page.getByLabel("Password").fill(workspace.member.password);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(inAnyMode("/dashboard/templates"));
  });
});
