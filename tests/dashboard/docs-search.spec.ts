import type { Page } from "@playwright/test";
import { accessibilityFaults, accessibilityFaultsInBothSchemes, expect, overflowOf, test } from "./dashboard-test";

const field = (page: Page) => page.getByRole("combobox", { name: "Search the docs" });
const options = (page: Page) => page.getByRole("option");

/** A key that is pressed before the page's script is there reaches no one. */
const openSearch = (page: Page) =>
  expect(async () => {
    await page.keyboard.press("/");
    await expect(field(page)).toBeFocused({ timeout: 1_000 });
  }).toPass();

test.describe("the search of the docs", () => {
  test("finds the page of a code first, from the keyboard alone", async ({ page, complaints }) => {
    await page.goto("/docs");
    await openSearch(page);
    await page.keyboard.type("131026");
    await expect(options(page).first()).toHaveAttribute("aria-selected", "true");
    await expect(options(page).first()).toContainText("131026 The recipient cannot be reached");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/docs\/errors\/platform\/131026$/);
    await expect(options(page)).toHaveCount(0);
    expect(complaints).toEqual([]);
  });

  test("moves with the arrows, names the active option, and leads to a heading", async ({ page }) => {
    await page.goto("/docs/polling");
    await openSearch(page);
    await page.keyboard.type("template variables");
    await expect(options(page).first()).toBeVisible();
    for (const [key, index] of [
      ["ArrowDown", 1],
      ["ArrowUp", 0],
      ["ArrowUp", -1],
    ] as const) {
      await page.keyboard.press(key);
      const active = options(page).nth(index);
      await expect(active).toHaveAttribute("aria-selected", "true");
      await expect(field(page)).toHaveAttribute("aria-activedescendant", (await active.getAttribute("id")) ?? "none");
    }
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/docs\/templates#variables$/);
    await expect(page.getByRole("heading", { name: "Variables" })).toBeInViewport();
  });

  test("says that there are no results, and what to try; Escape closes, then empties", async ({ page }) => {
    await page.goto("/docs");
    await openSearch(page);
    await page.keyboard.type("zzzqqq");
    await expect(page.getByText("No results. Try fewer words").first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("No results. Try fewer words")).toHaveCount(0);
    await expect(field(page)).toHaveValue("zzzqqq");
    await page.keyboard.press("Escape");
    await expect(field(page)).toHaveValue("");
  });

  test("loads nothing before it is used, and needs no server after", async ({ page, context }) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/docs", { waitUntil: "networkidle" });
    expect(asked).not.toContain("/docs/search-index.json");
    const before = asked.length;
    const index = page.waitForResponse("**/docs/search-index.json");
    await openSearch(page);
    await index;
    await page.waitForLoadState("networkidle");
    // Its own code, besides the index.
    expect(asked.slice(before).filter((path) => path.startsWith("/_next/static/"))).not.toEqual([]);
    await page.keyboard.type("carousel");
    await expect(options(page).first()).toBeVisible();
    await context.setOffline(true);
    await field(page).fill("idempotency");
    await expect(options(page).first()).toContainText("IDEMPOTENCY_CONFLICT");
  });

  test("says so where it could not be loaded, and tries again", async ({ page }) => {
    await page.route("**/docs/search-index.json", (route) => route.abort());
    await page.goto("/docs");
    await openSearch(page);
    await page.keyboard.type("poll");
    await expect(page.getByText("Search could not be loaded.").first()).toBeVisible();
    await page.unroute("**/docs/search-index.json");
    await page.keyboard.type("i");
    await expect(options(page).first()).toContainText("Statuses and polling");
  });

  test("leaves `/` alone where the reader has turned shortcuts off", async ({ page, signIn, baseURL }) => {
    await page.context().addCookies([{ name: "shortcuts", value: "off", url: baseURL ?? "" }]);
    await signIn("owner", "/docs");
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("/");
    await expect(field(page)).not.toBeFocused();
    await expect(field(page)).not.toHaveAttribute("aria-keyshortcuts");
  });

  test("passes axe in both schemes at 375 px, with results and without", async ({ page, complaints }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto("/docs/templates");
    await openSearch(page);
    await page.keyboard.type("template");
    await expect(options(page).first()).toBeVisible();
    expect(await accessibilityFaultsInBothSchemes(page, "search")).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await field(page).fill("zzzqqq");
    await expect(page.getByText("No results.").first()).toBeVisible();
    expect(await accessibilityFaults(page, { within: "search" })).toEqual([]);
    // A heading of the page that is open is one, too.
    await field(page).fill("template variables");
    await options(page).first().click();
    await expect(page).toHaveURL(/\/docs\/templates#variables$/);
    await expect(page.getByRole("heading", { name: "Variables" })).toBeInViewport();
    expect(complaints).toEqual([]);
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("there is no field", async ({ page }) => {
    await page.goto("/docs/polling");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(field(page)).toBeHidden();
  });
});

test.describe("the headings of a page", () => {
  const outline = (page: Page) => page.getByRole("navigation", { name: "On this page" });

  for (const [path, width, heading] of [
    ["/docs/templates", 1280, "Constraints"],
    ["/docs/reference", 1600, "Limits"],
  ] as const) {
    test(`are beside the text of ${path} at ${width} px, with the one being read marked`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(path);
      await outline(page).getByRole("link", { name: heading }).click();
      await expect(page).toHaveURL(new RegExp(`#${heading.toLowerCase()}$`));
      await expect(outline(page).getByRole("link", { name: heading })).toHaveAttribute("aria-current", "location");
      await expect(outline(page).locator("[aria-current]")).toHaveCount(1);
    });
  }

  test("are folded above the text on a phone, and left out where there are fewer than three", async ({ page }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto("/docs/polling");
    const link = outline(page).getByRole("link", { name: "Polling schedule" });
    await expect(link).toBeHidden();
    await outline(page).getByText("On this page").click();
    expect(await accessibilityFaultsInBothSchemes(page, "nav[aria-label='On this page']")).toEqual([]);
    await link.click();
    await expect(page.getByRole("heading", { name: "Polling schedule" })).toBeInViewport();
    await page.goto("/docs");
    await expect(outline(page)).toHaveCount(0);
  });
});
