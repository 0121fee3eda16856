import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { carouselRecord } from "../support/template-records";
import { provisionWorkspace } from "../support/workspace";
import { expect, submitSignIn, test } from "./dashboard-test";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const WIDTHS = [1280, 375];
const NARROWEST = 320;

const PUBLIC_PATHS = ["/", "/sign-in", "/docs", "/docs/errors", "/docs/errors/CHAT_GRAPH_ERROR", "/no-such-page"];

const DASHBOARD_PATHS = [
  "/dashboard",
  "/dashboard/messages",
  "/dashboard/requests",
  "/dashboard/requests?status=4xx",
  "/dashboard/phone-numbers",
  "/dashboard/phone-numbers/new",
  "/dashboard/webhooks",
  "/dashboard/get-started",
  "/dashboard/templates",
  "/dashboard/templates/new",
  "/dashboard/settings/api-keys",
  "/dashboard/messages/msg_none",
];

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });

    for (const path of PUBLIC_PATHS) {
      test(`${path} passes axe and fits 320 px`, async ({ page, complaints }) => {
        await expectAccessible(page, path);
        expect(unexpected(complaints)).toEqual([]);
      });
    }

    for (const path of DASHBOARD_PATHS) {
      test(`${path} passes axe and fits 320 px`, async ({ page, signIn, complaints }) => {
        await signIn("owner");
        await expectAccessible(page, path);
        expect(unexpected(complaints)).toEqual([]);
      });
    }

    test("a message's and a line's own page pass axe and fit 320 px", async ({
      page,
      signIn,
      workspace,
      complaints,
    }) => {
      await signIn("owner");
      await page.goto("/dashboard/messages");
      const message = await page.getByRole("rowheader").first().getByRole("link").getAttribute("href");
      await expectAccessible(page, message ?? "");
      await expectAccessible(page, `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
      expect(unexpected(complaints)).toEqual([]);
    });

    test("a template's own page passes axe and fits 320 px", async ({ page, complaints }) => {
      const { owner, templates } = await provisionWorkspace({ mode: "test", templates: [carouselRecord(3)] });
      await submitSignIn(page, owner);
      await page.waitForURL("**/dashboard");
      await expectAccessible(page, `/dashboard/templates/${Object.values(templates)[0]}`);
      expect(unexpected(complaints)).toEqual([]);
    });

    test("the open drawer passes axe, closes with Esc and gives the focus back", async ({ page, signIn }) => {
      await page.setViewportSize({ width: 375, height: 800 });
      await signIn("owner");
      const button = page.getByRole("button", { name: "Menu" });
      await button.click();
      await expect(page.getByRole("link", { name: "Templates", exact: true })).toBeVisible();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("link", { name: "Templates", exact: true })).toBeHidden();
      await expect(button).toBeFocused();
    });

    test("the page is painted in the scheme's own colour, without a script", async ({ page }) => {
      await page.goto("/");
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(background).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(14, 17, 20)");
    });
  });
}

test("every error code has a page", async ({ request }) => {
  for (const code of ERROR_CODES) expect((await request.get(`/docs/errors/${code}`)).status(), code).toBe(200);
});

test("the first stop of the keyboard skips to the content", async ({ page, signIn }) => {
  await signIn("owner");
  await page.goto("/dashboard/messages");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the docs read as they are", async ({ page }) => {
    await page.goto("/docs");
    await expect(page.getByRole("heading", { name: "Quickstart" })).toBeVisible();
  });
});

const expectAccessible = async (page: Page, path: string) => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(path);
    expect(await violations(page), `${path} at ${width} px`).toEqual([]);
  }
  await page.setViewportSize({ width: NARROWEST, height: 800 });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${path} at ${NARROWEST} px`).toBeLessThanOrEqual(0);
};

const violations = async (page: Page): Promise<string[]> => {
  const result = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
};

/** The browser reports the 404 of a page that is meant to be one. */
const unexpected = (complaints: string[]): string[] =>
  complaints.filter((complaint) => !complaint.includes("the server responded with a status of 404"));
