import type { Locator, Page } from "@playwright/test";
import { sql } from "../support/rows";
import { provisionWorkspace, scriptPlatform } from "../support/workspace";
import { expect, inAnyMode, openMenu, openSignedIn, RECIPIENT, test } from "./dashboard-test";

// No mouse anywhere: the five main tasks with the keys that a keyboard has, each stop of it visible.

const MAX_STOPS = 120;

/** Moves on with Tab until the focus is where it is wanted, as a person does who sees the focus ring. */
const tabTo = async (page: Page, wanted: Locator) => {
  await expect(wanted).toBeVisible();
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) {
      expect(await wanted.evaluate((element) => element.matches(":focus-visible"))).toBe(true);
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${wanted}`);
};

const goTo = async (page: Page, word: string) => {
  await openMenu(page);
  await page.keyboard.type(word);
  await page.keyboard.press("Enter");
};

const signInByKeys = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.goto("/sign-in");
  await tabTo(page, page.getByLabel("E-mail"));
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Password")).toBeFocused();
  await page.keyboard.type(password);
  await tabTo(page, page.getByRole("button", { name: "Sign in", exact: true }));
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard");
};

test.describe("with the keyboard alone", () => {
  test("one signs in", async ({ page, workspace }) => {
    await signInByKeys(page, workspace.member);
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  });

  test("one finds a message by its phone", async ({ page, workspace }) => {
    await workspace.send({ type: "text", phone: "447700900777", content: "Look for me." });
    await openSignedIn(page, workspace.owner);
    await goTo(page, "+44 7700 900 777");
    await page.waitForURL(/\/dashboard\/messages\?/);
    await expect(page.getByRole("rowheader")).toHaveCount(1);
    await tabTo(page, page.getByRole("rowheader").getByRole("link"));
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Message to +447700900777" })).toBeFocused();
    expect(await page.getByRole("main").textContent()).not.toContain(RECIPIENT);
  });

  test("one creates a key and stores its secret", async ({ page, workspace }) => {
    await openSignedIn(page, workspace.owner);
    await goTo(page, "create api");
    const form = page.getByRole("dialog", { name: "Create a key" });
    await tabTo(page, form.getByLabel("Label"));
    await page.keyboard.type("by keyboard");
    await tabTo(page, form.getByRole("button", { name: "Create key" }));
    await page.keyboard.press("Enter");
    const made = page.getByRole("dialog", { name: "Key created" });
    await expect(made).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(made).toBeVisible();
    await tabTo(page, made.getByLabel("I stored the secret"));
    await page.keyboard.press("Space");
    await tabTo(page, made.getByRole("button", { name: "Done" }));
    await page.keyboard.press("Enter");
    await expect(made).toBeHidden();
    await expect(page.getByRole("rowheader", { name: "by keyboard" })).toBeVisible();
    const keys =
      await sql`select 1 from api_keys where workspace_id = ${workspace.workspaceId} and label = 'by keyboard'`;
    expect(keys).toHaveLength(1);
  });

  test("one sends a test and reads the answer", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await openSignedIn(page, workspace.member);
    await goTo(page, "send message");
    await page.waitForURL(inAnyMode("/dashboard/send"));
    await tabTo(page, page.getByLabel("To", { exact: true }));
    await tabTo(page, page.getByRole("button", { name: "Send test message" }));
    await page.keyboard.press("Enter");
    const answer = page.getByRole("region", { name: "Response" });
    await expect(answer.getByRole("status").first()).toHaveText(/^201 Created in \d+ ms$/);
  });

  test("one syncs the templates", async ({ page, workspace }) => {
    await scriptPlatform(workspace.whatsappBusinessAccountId, "message_templates", [
      {
        json: {
          data: [
            {
              id: "5900010001",
              name: "order_ready",
              language: "en_US",
              status: "PAUSED",
              category: "UTILITY",
              components: [{ type: "BODY", text: "Your order is ready." }],
            },
          ],
        },
      },
    ]);
    await openSignedIn(page, workspace.owner);
    await goTo(page, "templates");
    await page.waitForURL(inAnyMode("/dashboard/templates"));
    await tabTo(page, page.getByRole("button", { name: "Sync now" }));
    await page.keyboard.press("Enter");
    await expect(page.getByText("1 template read.")).toBeVisible();
    await expect(page.getByRole("row", { name: /order_ready.*Paused/ })).toBeVisible();
  });
});
