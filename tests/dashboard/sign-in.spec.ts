import { awayFromWindowEdge } from "../support/limits";
import { submitSignIn as failToSignIn } from "../support/session";
import { expect, inAnyMode, submitSignIn, test } from "./dashboard-test";

test.describe("signing in", () => {
  test("the right password opens the dashboard of the workspace", async ({ page, workspace }) => {
    await submitSignIn(page, workspace.owner);
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await expect(page).toHaveURL(inAnyMode("/dashboard"));
  });

  test("a wrong password and an unknown address read the same, and keep the address typed", async ({
    page,
    workspace,
  }) => {
    for (const email of [workspace.owner.email, "nobody@example.test"]) {
      await submitSignIn(page, { email, password: "not the password" });
      await expect(page.getByRole("alert").filter({ hasText: "do not match an account" })).toBeVisible();
      await expect(page.getByLabel("E-mail")).toHaveValue(email);
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

  test("a callback to another host leads to our own dashboard", async ({ page, workspace }) => {
    await page.goto("/sign-in?callbackUrl=https%3A%2F%2Fevil.example%2Fdashboard");
    await page.getByLabel("E-mail").fill(workspace.owner.email);
    await page.getByLabel("Password").fill(workspace.owner.password);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(inAnyMode("/dashboard"));
  });

  test("signing out ends the session in this browser", async ({ page, signIn }) => {
    await signIn("owner");
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL("/sign-in");
    await page.goto("/dashboard");
    await expect(page).toHaveURL(/\/sign-in/);
  });

  test("a made-up session cookie is no session", async ({ page, context, baseURL }) => {
    await context.addCookies([{ name: "next-auth.session-token", value: "e30.e30.e30", url: baseURL ?? "" }]);
    await page.goto("/dashboard");
    await expect(page).toHaveURL(/\/sign-in/);
  });
});
