import type { Locator, Page } from "@playwright/test";
import { accessibilityFaultsInBothSchemes, expect, test } from "./dashboard-test";

const example = (page: Page, label: string): Locator =>
  page.getByRole("group", { name: `Language: ${label}`, exact: true });
const choose = (page: Page, label: string, language: string) =>
  example(page, label).getByText(language, { exact: true }).click();
const figure = (page: Page, label: string) => page.locator("figure:visible", { hasText: label }).first();

test.describe("the reference", () => {
  test("shows fields on the left, and request and response on the right", async ({ page, complaints }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto("/docs/reference");
    for (const [heading, code] of [
      ["Template message", "Template message"],
      ["Response 201", "Example of a 201"],
    ] as const) {
      const text = await page.getByRole("heading", { name: heading, exact: true }).boundingBox();
      const block = await figure(page, code).boundingBox();
      expect(block?.x, heading).toBeGreaterThan((text?.x ?? 0) + 400);
      expect(Math.abs((block?.y ?? 0) - (text?.y ?? 0)), heading).toBeLessThan(100);
    }
    // The example of a message with many fields stays in sight.
    await page.getByText("carousel.cards[].bodyValues", { exact: true }).scrollIntoViewIfNeeded();
    await expect(figure(page, "Template message")).toBeInViewport({ ratio: 1 });
    expect(complaints).toEqual([]);
  });

  test("has one column at 375 px, and nothing but code scrolls sideways", async ({ page }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto("/docs/reference");
    const text = await page.getByRole("heading", { name: "Response 201", exact: true }).boundingBox();
    const block = await figure(page, "Example of a 201").boundingBox();
    expect(block?.y).toBeGreaterThan((text?.y ?? 0) + 300);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });

  test("remembers the language for every block, page and visit", async ({ page, complaints }) => {
    await page.goto("/docs/reference");
    await expect(figure(page, "Text message")).toContainText("curl -X POST");
    await choose(page, "Template message", "TypeScript");
    await expect(figure(page, "Text message")).toContainText('from "./client.ts"');
    await expect(figure(page, "List the approved templates")).toContainText("client.listTemplates()");
    await page.getByRole("navigation", { name: "Docs" }).getByRole("link", { name: "Quickstart" }).click();
    await expect(figure(page, "POST /api/v1/public/messages/send")).toContainText("await fetch(");
    await choose(page, "POST /api/v1/public/messages/send", "Python");
    await page.goto("/docs/reference");
    await expect(figure(page, "Text message")).toContainText("from switchboard_client import Switchboard");
    await page.goto("/");
    await expect(figure(page, "Send a message")).toContainText("from urllib import");
    expect(complaints).toEqual([]);
  });

  test("copies the example that is in sight", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/docs/reference");
    await choose(page, "Text message", "Python");
    await figure(page, "Text message").getByRole("button", { name: "Copy Text message" }).click();
    await expect(figure(page, "Text message").getByText("Copied").first()).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^import os\n\nfrom switchboard_client import Switchboard\n/);
  });

  for (const width of [1600, 375]) {
    test(`passes axe in both schemes at ${width} px in each language`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.goto("/docs/reference");
      for (const language of ["curl", "TypeScript", "Python"]) {
        await choose(page, "Text message", language);
        expect(await accessibilityFaultsInBothSchemes(page), language).toEqual([]);
      }
    });
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("every example is shown with curl, in colours", async ({ page }) => {
    await page.goto("/docs/reference");
    await expect(figure(page, "Text message")).toContainText("curl -X POST");
    expect(await figure(page, "Text message").locator("code span").count()).toBeGreaterThan(5);
  });
});
