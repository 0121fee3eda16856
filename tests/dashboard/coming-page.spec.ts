import type { Page } from "@playwright/test";
import { expect, test } from "./dashboard-test";

/** Holds what the pages ask of the server until it is let go. */
const holdPages = async (page: Page, path: string) => {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(
    (url) => url.pathname === path && url.searchParams.has("_rsc"),
    async (route) => {
      await held;
      await route.continue();
    },
  );
  return letGo;
};

const skeleton = (page: Page) => page.locator(".page-skeleton");

test.describe("a page that is on its way", () => {
  test("shows its layout in grey, says that it loads, and takes its place", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/settings");
    const letGo = await holdPages(page, "/dashboard/messages");
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Messages" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Loading" })).toBeAttached();
    await expect(skeleton(page)).toBeVisible();
    letGo();
    await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
    await expect(skeleton(page)).toHaveCount(0);
  });

  test("that opens beside its list leaves the list in sight", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages");
    const link = page.getByRole("rowheader").first().getByRole("link");
    const letGo = await holdPages(page, (await link.getAttribute("href")) ?? "");
    await link.click();
    await expect(page.getByRole("status").filter({ hasText: "Loading" })).toBeAttached();
    await expect(skeleton(page).locator(".side-panel")).toBeVisible();
    await expect(link).toBeInViewport();
    letGo();
    await expect(page.getByRole("dialog", { name: /^Message to/ })).toBeVisible();
    await expect(skeleton(page)).toHaveCount(0);
  });

  test("of a filter is reported alike, and a filter that changes nothing is not", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages");
    const letGo = await holdPages(page, "/dashboard/messages");
    const search = page.getByRole("searchbox", { name: "Search messages" });
    await search.fill("order-8812");
    await search.press("Enter");
    await expect(skeleton(page)).toBeVisible();
    letGo();
    await expect(page).toHaveURL(/q=order-8812/);
    await expect(skeleton(page)).toHaveCount(0);
    await search.press("Enter");
    await expect(skeleton(page)).toHaveCount(0);
  });

  test("is not announced by a link to where one is, nor by one that opens another window", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/templates");
    const link = page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Templates" });
    await link.click();
    await link.click({ modifiers: ["ControlOrMeta"] });
    await expect(page.getByText("Loading", { exact: true })).toHaveCount(0);
  });
});
