import type { Page } from "@playwright/test";
import { requestRows } from "../support/request-rows";
import { sql } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";
import {
  accessibilityFaultsInBothSchemes,
  expect,
  inAnyMode,
  menuField,
  OPEN_DIALOG,
  openMenu,
  paste,
  RECIPIENT,
  test,
} from "./dashboard-test";

const dialog = (page: Page) => page.getByRole("dialog", { name: "Search or jump to…" });

test.describe("the command menu", () => {
  test("moves through its list, names the active option, and opens a page by its name, from the keyboard alone", async ({
    page,
    signIn,
  }) => {
    await signIn("owner");
    await openMenu(page);
    for (const [key, name] of [
      ["ArrowDown", "Messages"],
      ["ArrowDown", "Requests"],
      ["ArrowUp", "Messages"],
    ]) {
      await page.keyboard.press(key ?? "");
      const active = page.getByRole("option", { name: name ?? "", exact: true });
      await expect(active).toHaveAttribute("aria-selected", "true");
      const id = (await active.getAttribute("id")) ?? "none";
      await expect(menuField(page)).toHaveAttribute("aria-activedescendant", id);
    }
    await page.keyboard.type("keys");
    await expect(page.getByRole("option", { name: "API keys", exact: true })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/dashboard\/settings\/api-keys/);
    await expect(dialog(page)).toBeHidden();
  });

  test("opens the page of a pasted id, also where Enter comes before the answer", async ({
    page,
    signIn,
    workspace,
  }) => {
    const sent = await workspace.send({ type: "text", phone: RECIPIENT, content: "Hi" }, { "Idempotency-Key": "o-1" });
    const refused = await workspace.send({ type: "text", phone: "0770", content: "Hi" });
    await requestRows(workspace, 4);
    const { id, chatMessageId } = sent.body.data;
    const { requestId } = refused.body.details;
    await signIn("owner");
    // No two in a row lead to one address, or the second would seem to be there before it is.
    for (const [pasted, address] of [
      [requestId, `/dashboard/requests/${requestId}`],
      [id, `/dashboard/messages/${id}`],
      [refused.text, `/dashboard/requests/${requestId}`],
      [chatMessageId ?? "", `/dashboard/messages/${id}`],
      [workspace.phoneNumberId, `/dashboard/phone-numbers/${workspace.phoneNumberId}`],
    ]) {
      await openMenu(page);
      await paste(page, pasted ?? "");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(inAnyMode(`${address}`));
      await expect(dialog(page)).toBeHidden();
    }
  });

  test("finds a recipient by the number as written, and an idempotency key", async ({ page, signIn, workspace }) => {
    await workspace.send({ type: "text", phone: RECIPIENT, content: "Hi" }, { "Idempotency-Key": "order 1" });
    await signIn("owner");
    for (const [written, name] of [
      ["+44 7700 900 123", `Messages to +${RECIPIENT}`],
      ["order 1", `Message to +${RECIPIENT}`],
    ]) {
      await openMenu(page);
      await paste(page, written ?? "");
      await expect(
        page.getByRole("option", { name: new RegExp(`^${name?.replace("+", "\\+")}`) }).first(),
      ).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(dialog(page)).toBeHidden();
    }
  });

  test("obeys the role: a member has no keys and no audit log in it", async ({ page, signIn }) => {
    await signIn("member");
    await openMenu(page);
    await expect(page.getByRole("option", { name: "Messages" })).toBeVisible();
    for (const name of ["API keys", "Create API key", "Audit log"]) {
      await expect(page.getByRole("option", { name })).toHaveCount(0);
    }
  });

  test("switches the workspace", async ({ page, signIn, workspace }) => {
    const other = await provisionWorkspace();
    await sql`
        insert into members (workspace_id, user_id, role)
        select ${other.workspaceId}, id, 'member' from users where email = ${workspace.owner.email}`;
    await signIn("owner");
    await openMenu(page);
    await page.keyboard.type("switch");
    await page.keyboard.press("Enter");
    await expect(
      page.getByText("0 of", { exact: false }).or(page.getByText("The newest five appear here")).first(),
    ).toBeVisible();
  });

  test("opens by its button, says so where there are no results, closes with Esc, and gives the focus back", async ({
    page,
    signIn,
  }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await signIn("owner");
    const button = page.getByRole("button", { name: "Search or jump to…" });
    await button.click();
    await expect(menuField(page)).toBeFocused();
    await paste(page, "req_01m7w7dr16j57xj0jhk1qj5zzz");
    await expect(dialog(page).getByText("No results.").first()).toBeVisible();
    await page.route("**/search?*", (route) => route.abort());
    await page.keyboard.type("x");
    await expect(dialog(page).getByText("The search could not be reached.").first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog(page)).toBeHidden();
    await expect(button).toBeFocused();
  });

  test("passes axe in both schemes, as does the list of shortcuts", async ({ page, signIn }) => {
    await signIn("owner");
    await openMenu(page);
    expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(dialog(page)).toBeHidden();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);
  });
});

test.describe("shortcuts", () => {
  test("lead to pages and to the search, and never out of a field", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/account");
    // The menu opens once the page's script takes keys; from then on a letter by itself leads nowhere.
    await openMenu(page);
    await page.keyboard.press("Escape");
    for (let press = 0; press < 3; press++) await page.keyboard.press("m");
    await expect(page).toHaveURL(inAnyMode("/dashboard/account"));
    await expect(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      await expect(page).toHaveURL(inAnyMode("/dashboard/messages"), { timeout: 1_000 });
    }).toPass();
    const rows = page.getByRole("rowheader").getByRole("link");
    for (const [key, row] of [
      ["j", 0],
      ["j", 1],
      ["k", 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect(rows.nth(row)).toBeFocused();
    }
    await page.keyboard.press("/");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("g r ? /");
    await expect(page.getByRole("searchbox")).toHaveValue("g r ? /");
    await expect(page).toHaveURL(inAnyMode("/dashboard/messages"));
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  test("of plain letters do nothing where they are turned off; Ctrl+K still opens the menu", async ({
    page,
    signIn,
    baseURL,
  }) => {
    await page.context().addCookies([{ name: "shortcuts", value: "off", url: baseURL ?? "" }]);
    await signIn("owner");
    for (const key of ["g", "m", "?", "/"]) await page.keyboard.press(key);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page).toHaveURL(inAnyMode("/dashboard"));
    await openMenu(page);
    await expect(page.getByRole("option", { name: "Keyboard shortcuts" })).toHaveCount(0);
  });
});
