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

test("a page that loads is announced until it is there: behind the menu of a phone", async ({ page, signIn }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await signIn("owner", "/dashboard/settings");
  const letGo = await holdPages(page, "/dashboard/messages");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Messages" }).click();
  await expect(loading(page)).toBeVisible();
  letGo();
  await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
  await expect(loading(page)).toHaveCount(0);
});

test("a page that loads is announced until it is there: behind the menu, a filter and a row", async ({
  page,
  signIn,
}) => {
  await signIn("owner", "/dashboard/settings");
  const letGoOfList = await holdPages(page, "/dashboard/messages");
  const menu = page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Messages" });
  await test.step("not for a link to another window", async () => {
    await menu.click({ modifiers: ["ControlOrMeta"] });
    await expect(loading(page)).toHaveCount(0);
  });
  await menu.click();
  await expect(loading(page)).toBeVisible();
  letGoOfList();
  await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
  await expect(loading(page)).toHaveCount(0);

  await test.step("behind a row, whose list stays in sight", async () => {
    const link = page.getByRole("rowheader").first().getByRole("link");
    const letGo = await holdPages(page, new URL((await link.getAttribute("href")) ?? "", page.url()).pathname);
    await link.click();
    await expect(loading(page)).toBeVisible();
    await expect(link).toBeInViewport();
    letGo();
    await expect(page.getByRole("dialog", { name: /^Message to/ })).toBeVisible();
    await expect(loading(page)).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: /^Message to/ })).toHaveCount(0);
  });

  await test.step("behind a filter", async () => {
    const letGo = await holdPages(page, "/dashboard/messages");
    const search = page.getByRole("searchbox", { name: "Search messages" });
    await search.fill("order-8812");
    await search.press("Enter");
    await expect(loading(page)).toBeVisible();
    letGo();
    await expect(page).toHaveURL(/q=order-8812/);
    await expect(loading(page)).toHaveCount(0);
  });
});

test("a page asks the server for no other page before its link is used", async ({ page, signIn }) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (searchParams.has("_rsc")) asked.push(pathname);
  });
  await signIn("owner", "/dashboard/messages");
  await page.waitForLoadState("networkidle");
  // The page itself may be asked for once more: its address gets the tab's mode.
  expect(asked.filter((pathname) => pathname !== "/dashboard/messages")).toEqual([]);
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Contacts" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Contacts" })).toBeVisible();
  expect(asked).toContain("/dashboard/contacts");
});
