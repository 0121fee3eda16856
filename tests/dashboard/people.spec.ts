import type { Locator, Page } from "@playwright/test";
import { accessibilityFaults, expect, inAnyMode, openMenu, openSignedIn, submitSignIn, test } from "./dashboard-test";

/** Opens the menu of a row, unless it is open. */
const openActions = async (row: Locator): Promise<void> => {
  const menu = row.getByRole("button", { name: /^Actions/ });
  if (!(await row.locator(":popover-open").count())) await menu.click();
};

test.describe("an invitation", () => {
  test("is a link, not e-mailed, by which someone new joins", async ({ page, signIn, browser, baseURL }) => {
    await signIn("owner", "/dashboard/settings/members");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("anyone with the link can sign up as this address");
    await dialog.getByLabel("Role").selectOption("admin");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await expect(dialog).toContainText("Nothing was e-mailed");
    const link = (await dialog.locator("code").textContent()) ?? "";
    await page.keyboard.press("Escape");
    await expect(dialog).toBeVisible();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("rowheader", { name: "Anyone with the link" })).toBeVisible();

    const context = await browser.newContext({ baseURL: baseURL ?? "" });
    const theirs = await context.newPage();
    await theirs.goto(link);
    await expect(theirs.getByText("Olga Owner invites you as admin")).toBeVisible();
    await theirs.getByLabel("Your name").fill("Nina New");
    await theirs.getByLabel("E-mail").fill(`nina-${crypto.randomUUID()}@example.test`);
    await theirs.getByLabel("Password").fill("a long sentence of hers");
    await theirs.getByRole("button", { name: /^Create account and join/ }).click();
    await expect(theirs).toHaveURL(inAnyMode("/dashboard"));
    await theirs.goto(link);
    await expect(theirs.getByRole("heading", { name: /^You are in/ })).toBeVisible();
    await context.close();

    await page.reload();
    await expect(page.getByRole("rowheader", { name: "Nina New" })).toBeVisible();
    await expect(page.getByText("Used by Nina New")).toBeVisible();
  });
});

test.describe("members", () => {
  test("get another role, which signs them out with the reason, and are removed, after a question", async ({
    page,
    signIn,
    workspace,
    browser,
    baseURL,
  }) => {
    const theirs = await browser.newPage(baseURL ? { baseURL } : {});
    await openSignedIn(theirs, workspace.member);
    await expect(theirs.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await signIn("owner", "/dashboard/settings/members");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "Max Member" }) });
    await openActions(row);
    await row.getByRole("button", { name: "Change role…" }).click();
    await page.getByRole("dialog").getByLabel("Role").selectOption("admin");
    await page.getByRole("dialog").getByRole("button", { name: "Save role" }).click();
    await expect(row.getByRole("cell", { name: "Admin", exact: true })).toBeVisible();
    await theirs.goto("/dashboard/messages");
    await expect(theirs).toHaveURL(/\/sign-in/);
    await expect(theirs.getByText("You were signed out: your role or password was changed")).toBeVisible();
    await theirs.context().close();
    await openActions(row);
    await row.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await expect(row).toHaveCount(0);
    await expect(page.getByText("Last owner: cannot leave")).toBeVisible();
  });
});

test.describe("a forgotten password", () => {
  test("is replaced with a link that an owner hands over", async ({ page, signIn, browser, baseURL, workspace }) => {
    await signIn("owner", "/dashboard/settings/members");
    const own = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /\(you\)/ }) });
    await expect(own.getByRole("button", { name: /^Actions/ })).toHaveCount(0);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "Max Member" }) });
    await openActions(row);
    await row.getByRole("button", { name: "Reset password…" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("ask the operator");
    await dialog.getByRole("button", { name: "Create reset link" }).click();
    await expect(dialog).toContainText("Nothing was e-mailed");
    const link = (await dialog.locator("code").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await accessibilityFaults(page)).toEqual([]);

    const context = await browser.newContext({ baseURL: baseURL ?? "" });
    const theirs = await context.newPage();
    const asked: string[] = [];
    theirs.on("request", (request) => asked.push(request.url(), request.headers().referer ?? ""));
    await theirs.goto(link);
    await expect(theirs.getByText(`For ${workspace.member.email}.`)).toBeVisible();
    expect(await accessibilityFaults(theirs)).toEqual([]);
    await theirs.getByLabel("New password").fill("a new and long sentence");
    await theirs.getByRole("button", { name: "Save password and sign in" }).click();
    await expect(theirs).toHaveURL(inAnyMode("/dashboard"));
    const token = link.split("#")[1] ?? "";
    expect([token.length, asked.filter((address) => address.includes(token))]).toEqual([43, []]);
    await theirs.goto("/docs");
    await theirs.goto(link);
    await expect(theirs.getByRole("alert").filter({ hasText: "This link no longer works." })).toBeVisible();
    await context.close();
  });
});

test.describe("an account", () => {
  test("lists its sessions, and ends the others", async ({ page, signIn, workspace, browser, baseURL }) => {
    await signIn("owner");
    const context = await browser.newContext({ baseURL: baseURL ?? "" });
    const theirs = await context.newPage();
    await submitSignIn(theirs, workspace.owner);
    await expect(theirs).toHaveURL(inAnyMode("/dashboard"));
    await page.goto("/dashboard/account");
    const rows = page.getByRole("table", { name: /^Open sessions/ }).getByRole("row");
    await expect(rows.filter({ hasText: "This session" })).toHaveCount(1);
    const others = rows.filter({ hasText: "Chrome on Windows" });
    await expect(others).toHaveCount(1);
    await others.getByRole("button", { name: "Sign out Chrome on Windows" }).click();
    await expect(others).toHaveCount(0);
    await theirs.goto("/dashboard");
    await expect(theirs).toHaveURL(/\/sign-in/);
    await context.close();
    await page.getByRole("button", { name: "Sign out everywhere", exact: true }).click();
    await expect(page).toHaveURL("/sign-in");
  });

  test("chooses dark, which is the first thing painted, before any script", async ({ page, signIn, context }) => {
    await page.emulateMedia({ colorScheme: "light" });
    await signIn("owner", "/dashboard/account");
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.getByRole("group", { name: "Theme" }).locator("xpath=ancestor::form").getByRole("button").click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
    await context.route("**/*.js", (route) => route.abort());
    for (const path of ["/dashboard", "/docs"]) {
      await page.goto(path);
      expect(await lightBlocks(page), path).toBe(0);
    }
    await context.clearCookies({ name: "theme" });
    await page.goto("/docs");
    expect(await lightBlocks(page)).toBeGreaterThan(0);
  });

  test("switches shortcuts off, and on again", async ({ page, signIn }) => {
    await signIn("owner");
    for (const [choice, lands] of [
      ["Off", "/dashboard/account"],
      ["On", "/dashboard/messages"],
    ] as const) {
      await page.goto("/dashboard/account");
      const shortcuts = page.getByRole("group", { name: "Single-letter shortcuts" });
      await shortcuts.getByRole("radio", { name: choice }).check();
      await shortcuts.locator("xpath=ancestor::form").getByRole("button").click();
      const expected = choice === "Off" ? "off" : "on";
      await expect
        .poll(async () => (await page.context().cookies()).find(({ name }) => name === "shortcuts")?.value)
        .toBe(expected);
      await page.goto("/dashboard/account");
      await page.getByRole("heading", { level: 1 }).click();
      // The menu opens once the page's script takes keys.
      await openMenu(page);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toBeHidden();
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      // A key that would have led away has done so by the time the menu opens.
      if (choice === "Off") await openMenu(page);
      await expect(page).toHaveURL(inAnyMode(lands));
    }
  });
});

test("a member sees what owners and admins can do, disabled or absent, and who can", async ({
  page,
  signIn,
  workspace,
}) => {
  await signIn("member");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  for (const [path, disabled, absent] of [
    ["/dashboard/settings/members", "Invite", "Remove…"],
    ["/dashboard/contacts", undefined, "Add contact"],
    [`/dashboard/phone-numbers/${workspace.phoneNumberId}`, "Disconnect…", undefined],
    ["/dashboard/templates", "New template", undefined],
    ["/dashboard/templates/new", undefined, "Submit for review"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByText("Only owners and admins can do this.").first(), path).toBeVisible();
    if (disabled) await expect(button(disabled), path).toBeDisabled();
    if (absent) await expect(button(absent), path).toHaveCount(0);
  }
});

test("“e-mail” takes one line, however narrow the page", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/account");
  const broken: string[] = [];
  for (const path of ["/confirm-email", "/dashboard/account", "/dashboard/settings/members"]) {
    await page.goto(path);
    if (path.endsWith("members")) await page.getByRole("button", { name: "Invite" }).click();
    for (let width = 320; width <= 640; width += 5) {
      await page.setViewportSize({ width, height: 800 });
      broken.push(...(await page.evaluate(brokenEmail)).map((words) => `${path} at ${width}: ${words}`));
    }
  }
  expect(broken).toEqual([]);
});

/** Where “e-mail” takes two lines, with the words around it. */
const brokenEmail = () => {
  const range = document.createRange();
  const broken: string[] = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const { 0: word, index } of (node.textContent ?? "").matchAll(/e-mail\w*/gi)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
      if (lines.size > 1) broken.push(node.textContent ?? "");
    }
  }
  return broken;
};

test("a workspace has one time zone, which its lists name; an owner who types its name deletes it and loses access at once", async ({
  page,
  signIn,
}) => {
  await signIn("owner", "/dashboard/settings");
  await page.getByLabel("Time zone").fill("Asia/Kathmandu");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await page.goto("/dashboard/settings/api-keys");
  await expect(page.getByRole("table", { name: /times in Asia\/Kathmandu/ })).toBeVisible();

  await page.goto("/dashboard/settings");
  const name = await page.getByLabel("Name").inputValue();
  await page.getByRole("button", { name: "Delete workspace…" }).click();
  const dialog = page.getByRole("dialog");
  const confirm = dialog.getByRole("button", { name: "Delete workspace", exact: true });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(`Type ${name} to delete it`).fill(name);
  await confirm.click();
  await expect(page).toHaveURL(/\/sign-in\?error=NoWorkspace/);
});

/** How many blocks of 32 × 32 points of the page as it looks now are light all over. */
const lightBlocks = async (page: Page): Promise<number> => {
  const picture = (await page.screenshot()).toString("base64");
  const blank = await page.context().newPage();
  const count = await blank.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    if (!canvas) throw new Error("no canvas");
    canvas.drawImage(image, 0, 0);
    const isLight = (x: number, y: number) => {
      const { data: points } = canvas.getImageData(x, y, 32, 32);
      return points.every((value) => value > 200);
    };
    let light = 0;
    for (let x = 0; x + 32 <= image.width; x += 32) {
      for (let y = 0; y + 32 <= image.height; y += 32) light += isLight(x, y) ? 1 : 0;
    }
    return light;
  }, picture);
  await blank.close();
  return count;
};
