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

const loading = (page: Page) => page.getByRole("status").filter({ hasText: "Loading" });

test.describe("a page that is on its way is announced until it is there", () => {
  for (const width of [1280, 375]) {
    test(`behind a link of the menu, ${width} px wide`, async ({ page, signIn }) => {
      await page.setViewportSize({ width, height: 800 });
      await signIn("owner", "/dashboard/settings");
      const letGo = await holdPages(page, "/dashboard/messages");
      if (width < 1024) await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Messages" }).click();
      await expect(loading(page)).toBeVisible();
      letGo();
      await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
      await expect(loading(page)).toHaveCount(0);
    });
  }

  test("behind a row, whose list stays in sight", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages");
    const link = page.getByRole("rowheader").first().getByRole("link");
    const letGo = await holdPages(page, (await link.getAttribute("href")) ?? "");
    await link.click();
    await expect(loading(page)).toBeVisible();
    await expect(link).toBeInViewport();
    letGo();
    await expect(page.getByRole("dialog", { name: /^Message to/ })).toBeVisible();
    await expect(loading(page)).toHaveCount(0);
  });

  test("behind a filter", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages");
    const letGo = await holdPages(page, "/dashboard/messages");
    const search = page.getByRole("searchbox", { name: "Search messages" });
    await search.fill("order-8812");
    await search.press("Enter");
    await expect(loading(page)).toBeVisible();
    letGo();
    await expect(page).toHaveURL(/q=order-8812/);
    await expect(loading(page)).toHaveCount(0);
  });

  test("not behind a link to another window", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/templates");
    await holdPages(page, "/dashboard/messages");
    const link = page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Messages" });
    await link.click({ modifiers: ["ControlOrMeta"] });
    await expect(loading(page)).toHaveCount(0);
  });
});
