import type { Page } from "@playwright/test";
import { requestRows } from "../support/request-rows";
import { sql } from "../support/rows";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";
import {
  accessibilityFaultsInBothSchemes,
  expect,
  inAnyMode,
  menuField,
  openMenu,
  openSignedIn,
  test,
} from "./dashboard-test";

const panel = (page: Page) => page.getByRole("main").getByRole("dialog");
const rowLinks = (page: Page) => page.getByRole("rowheader").getByRole("link");
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const scrolledTo = (page: Page) => page.evaluate(() => Math.round(window.scrollY));

/** More than a window shows. */
const addContacts = ({ workspaceId }: TestWorkspace, count: number) => sql`
  insert into contacts (workspace_id, id, phone, name)
  select ${workspaceId}, 'ct_' || i, (447700910000 + i)::text, 'Person ' || i from generate_series(1, ${count}) as i`;

const idIn = (href: string) => href.split("?", 1)[0]?.split("/").at(-1) ?? "";

const openFirst = async (page: Page): Promise<string> => {
  const href = (await rowLinks(page).first().getAttribute("href")) ?? "";
  await rowLinks(page).first().click();
  await expect(page).toHaveURL(inAnyMode(href));
  await expect(panel(page)).toBeVisible();
  return href;
};

test.describe("beside its list", () => {
  test("a detail opens at its own address and with its own title; Back restores filters and place of the list", async ({
    page,
    signIn,
    workspace,
  }) => {
    await addContacts(workspace, 45);
    await signIn("owner", "/dashboard/contacts?q=person");
    await expect(rowLinks(page)).toHaveCount(45);
    const link = page.getByRole("link", { name: "Person 12", exact: true });
    await link.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const place = await scrolledTo(page);
    expect(place).toBeGreaterThan(200);
    const address = page.url();

    await link.click();
    await expect(page).toHaveURL(inAnyMode("/dashboard/contacts/ct_12"));
    await expect(panel(page)).toHaveAccessibleName("Person 12");
    await expect(page).toHaveTitle(/^Contact ct_12 · Contacts · /);
    await expect(rowLinks(page)).toHaveCount(45);
    await expect(heading(page, "Contacts")).toBeVisible();
    expect(await scrolledTo(page)).toBe(place);

    await page.goBack();
    await expect(panel(page)).toHaveCount(0);
    await expect(page).toHaveURL(inAnyMode(address));
    await expect(page).toHaveTitle(/^Contacts · /);
    await expect(rowLinks(page)).toHaveCount(45);
    expect(await scrolledTo(page)).toBe(place);
    await page.goForward();
    await expect(panel(page)).toHaveAccessibleName("Person 12");
  });

  test("Esc, Close and a click on the list close it, and the focus is on the row's link again", async ({
    page,
    signIn,
  }) => {
    await signIn("owner", "/dashboard/messages?status=SENT");
    const address = page.url();
    const ways = [
      () => page.keyboard.press("Escape"),
      () => panel(page).getByRole("button", { name: "Close" }).click(),
      () => heading(page, "Messages").click({ position: { x: 8, y: 8 } }),
    ];
    for (const close of ways) {
      await openFirst(page);
      await close();
      await expect(panel(page)).toHaveCount(0);
      await expect(page).toHaveURL(inAnyMode(address));
      await expect(rowLinks(page).first()).toBeFocused();
    }
  });

  test("another row takes its place, and one Back leads to the list", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages?status=SENT");
    const address = page.url();
    const first = await openFirst(page);
    await expect(rowLinks(page).first()).toHaveAttribute("aria-current", "true");
    const next = (await rowLinks(page).last().getAttribute("href")) ?? "";
    expect(first).not.toContain(next);
    await rowLinks(page).last().click();
    await expect(panel(page).getByText(idIn(next)).first()).toBeVisible();
    await expect(panel(page)).toBeFocused();
    await page.goBack();
    await expect(page).toHaveURL(inAnyMode(address));
    await expect(panel(page)).toHaveCount(0);
  });

  test("filters, pages and the menu leave it behind", async ({ page, signIn, workspace }) => {
    await addContacts(workspace, 2);
    await signIn("owner", "/dashboard/contacts");
    await openFirst(page);
    await page.getByLabel("Search contacts").fill("person 1");
    await page.getByLabel("Search contacts").press("Enter");
    await expect(page).toHaveURL(/[?&]q=person/);
    await expect(panel(page)).toHaveCount(0);
    await openFirst(page);
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Contacts" }).click();
    await expect(page).toHaveURL(inAnyMode("/dashboard/contacts"));
    await expect(panel(page)).toHaveCount(0);
    await openFirst(page);
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href^="/dashboard/contacts/import?"]')?.click());
    await expect(heading(page, "Import contacts")).toBeVisible();
    await expect(panel(page)).toHaveCount(0);
  });

  test("a change in it is in the list at once, and it stays open", async ({ page, signIn, workspace }) => {
    await addContacts(workspace, 2);
    await signIn("owner", "/dashboard/contacts?q=person");
    await page.getByRole("link", { name: "Person 1", exact: true }).click();
    await panel(page).getByRole("textbox", { name: "Name" }).fill("Person Changed");
    await panel(page).getByRole("button", { name: "Save" }).click();
    await expect(panel(page)).toHaveAccessibleName("Person Changed");
    await expect(page.getByRole("link", { name: "Person Changed" })).toBeAttached();
    // Half-written text is not lost to a key that means the field.
    await panel(page).getByRole("textbox", { name: "Name" }).fill("Person Half");
    await page.keyboard.press("Escape");
    await expect(panel(page)).toBeVisible();
    await panel(page).getByRole("button", { name: "Close" }).click();
    await expect(page).toHaveURL(inAnyMode("/dashboard/contacts?q=person"));
  });

  test("live, turned on beside an open message, keeps the list's filters", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages?status=SENT");
    await openFirst(page);
    await page.evaluate(() => document.querySelector<HTMLElement>('[role="switch"]')?.click());
    await expect(page).toHaveURL(inAnyMode("/dashboard/messages?status=SENT&refresh=on"));
  });

  test("live, turned on beside a message that refreshes itself, is not cancelled by the refresh", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await openSignedIn(page, workspace.member);
    await workspace.send({ type: "text", phone: "447700900002", content: "Hi" });
    await page.goto("/dashboard/messages");
    await openFirst(page);
    const refreshed: string[] = [];
    page.on("request", (request) => request.url().includes("look=") && refreshed.push(request.url()));
    await expect.poll(() => refreshed.length, { timeout: 20_000 }).toBeGreaterThan(0);
    // Longer than the panel's interval.
    await page.route(/refresh=on/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      await route.continue();
    });
    await page.evaluate(() => document.querySelector<HTMLElement>('[role="switch"]')?.click());
    await expect(page).toHaveURL(/refresh=on/, { timeout: 20_000 });
  });

  test("a message moves to Read by itself, and the list stays as it was", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await openSignedIn(page, workspace.member);
    await workspace.send({ type: "text", phone: "447700900003", content: "Hi" });
    await page.goto("/dashboard/messages");
    const href = await openFirst(page);
    await workspace.send({ type: "text", phone: "447700900002", content: "Newer" });
    await expect(
      panel(page)
        .getByRole("status")
        .filter({ hasText: /^Read$/ }),
    ).toBeVisible({ timeout: 20_000 });
    await expect(rowLinks(page)).toHaveCount(1);
    await expect(page).toHaveURL(inAnyMode(href));
    await page.goBack();
    await expect(page).toHaveURL(inAnyMode("/dashboard/messages"));
  });

  test("Esc closes it from the moment it is there", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages?status=SENT");
    const address = page.url();
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector('main [role="dialog"]')) return;
        observer.disconnect();
        document.body.dataset.wasOpen = "";
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    await rowLinks(page).first().click();
    await page.waitForSelector("body[data-was-open]");
    await expect(panel(page)).toHaveCount(0);
    await expect(page).toHaveURL(inAnyMode(address));
  });

  test("what was removed since is not found, as on its page", async ({ page, signIn, workspace }) => {
    await addContacts(workspace, 1);
    await signIn("owner", "/dashboard/contacts?q=person");
    await sql`delete from contacts where workspace_id = ${workspace.workspaceId} and id = 'ct_1'`;
    await rowLinks(page).click();
    await expect(page.getByRole("heading", { name: "There is nothing at this address" })).toBeVisible();
  });

  test("passes axe in both schemes, whatever it shows", async ({ page, signIn, workspace, complaints }) => {
    await requestRows(workspace, 2);
    for (const list of ["messages", "requests", "contacts"]) {
      await signIn("owner", `/dashboard/${list}`);
      await openFirst(page);
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      expect(await accessibilityFaultsInBothSchemes(page, "main [role=dialog]"), list).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
});

test.describe("with the keyboard alone", () => {
  test("a row is opened, read and closed; Esc closes what lies on top first", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/contacts");
    await rowLinks(page).first().focus();
    await page.keyboard.press("Enter");
    await expect(panel(page)).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(panel(page).getByRole("link", { name: "Open as page" })).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await expect(panel(page).getByRole("link", { name: "All messages to this contact" })).toBeFocused();

    const time = panel(page).locator("time[tabindex]").last();
    await time.focus();
    await expect(page.getByText("Epoch", { exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("Epoch", { exact: true })).toHaveCount(0);
    await expect(panel(page)).toBeVisible();

    await panel(page).getByRole("button", { name: "Erase this person…" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Erase this person?" });
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(panel(page)).toBeVisible();

    await openMenu(page);
    await page.keyboard.press("Escape");
    await expect(menuField(page)).toBeHidden();
    await expect(panel(page)).toBeVisible();

    await page.keyboard.press("Escape");
    await expect(panel(page)).toHaveCount(0);
    await expect(rowLinks(page).first()).toBeFocused();
  });

  test("shortcuts lead on from it, and an id pasted into the menu takes its place", async ({
    page,
    signIn,
    workspace,
  }) => {
    const sent = await workspace.send({ type: "text", phone: "447700900777", content: "Look for me." });
    await signIn("owner", "/dashboard/messages?q=447700900123");
    const address = page.url();
    await openFirst(page);
    await openMenu(page);
    await page.keyboard.insertText(sent.body.data.id);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(inAnyMode(`/dashboard/messages/${sent.body.data.id}`));
    await expect(panel(page)).toHaveAccessibleName("Message to +447700900777");
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(inAnyMode(address));
    await expect(panel(page)).toHaveCount(0);
    await openFirst(page);
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await expect(heading(page, "Templates")).toBeVisible();
  });
});

test.describe("a page of its own", () => {
  test("is what a reload, another tab and “Open as page” show", async ({ page, context, signIn }) => {
    await signIn("owner", "/dashboard/messages");
    const href = await openFirst(page);
    await page.reload();
    await expect(heading(page, /^Message to/)).toBeVisible();
    await expect(panel(page)).toHaveCount(0);
    await page.goBack();
    await expect(heading(page, "Messages")).toBeVisible();

    await openFirst(page);
    await panel(page).getByRole("link", { name: "Open as page" }).click();
    await expect(heading(page, /^Message to/)).toBeVisible();
    await expect(page).toHaveURL(inAnyMode(href));

    await page.goto("/dashboard/messages");
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      rowLinks(page)
        .first()
        .click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await expect(heading(tab, /^Message to/)).toBeVisible();
    await expect(heading(page, "Messages")).toBeVisible();
    await expect(panel(page)).toHaveCount(0);
  });

  test("leads to another page, not to a panel over itself", async ({ page, signIn, workspace }) => {
    const sent = await workspace.send({ type: "text", phone: "447700900777", content: "Look for me." });
    await signIn("owner", "/dashboard/messages");
    await page.goto((await rowLinks(page).last().getAttribute("href")) ?? "");
    await openMenu(page);
    await page.keyboard.insertText(sent.body.data.id);
    await page.keyboard.press("Enter");
    await expect(heading(page, "Message to +447700900777")).toBeVisible();
    await expect(panel(page)).toHaveCount(0);
  });

  test("is what a click opens in a window of 900 px, and Back leads to the list as it was", async ({
    page,
    signIn,
    workspace,
  }) => {
    await addContacts(workspace, 45);
    await page.setViewportSize({ width: 900, height: 800 });
    await signIn("owner", "/dashboard/contacts?q=person");
    const address = page.url();
    const link = page.getByRole("link", { name: "Person 12", exact: true });
    await link.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const place = await scrolledTo(page);
    await link.click();
    await expect(heading(page, "Person 12")).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Contacts", exact: true })).toBeVisible();
    await expect(rowLinks(page)).toHaveCount(0);
    await expect(panel(page)).toHaveCount(0);
    await expect.poll(() => scrolledTo(page)).toBe(0);
    await page.goBack();
    await expect(page).toHaveURL(inAnyMode(address));
    await expect(rowLinks(page)).toHaveCount(45);
    await expect.poll(() => scrolledTo(page)).toBe(place);
  });

  test("and a panel are one in a window that is dragged", async ({ page, signIn }) => {
    await signIn("owner", "/dashboard/messages");
    await openFirst(page);
    await page.setViewportSize({ width: 1000, height: 800 });
    await expect(heading(page, /^Message to/)).toBeVisible();
    await expect(panel(page)).toHaveCount(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(panel(page)).toBeVisible();
    await expect(heading(page, "Messages")).toBeVisible();
  });
});
