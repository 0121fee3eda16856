import type { Page } from "@playwright/test";
import { reaching } from "../support/awaiting";
import { runProgram, serverEnvironment, TRIGGER } from "../support/programs";
import { auditEntries } from "../support/rows";
import { graphError, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../support/workspace";
import { expect, openSignedIn, RECIPIENT, test } from "./dashboard-test";

/** The recipients of the rows that are shown, top to bottom. */
const recipients = (page: Page) =>
  page
    .getByRole("table")
    .getByRole("cell", { name: /^\+\d+$/ })
    .allTextContents();

/** Sends to a test number of the sandbox, which tells by webhooks what became of it. */
const sendInTestMode = async (workspace: TestWorkspace, phone: string) =>
  (await workspace.send({ type: "text", phone, content: "Hi" })).body.data.id;

test.describe("the list", () => {
  test("three filters survive a reload, Back and another browser, and each can be removed", async ({
    page,
    browser,
    signIn,
    workspace,
  }) => {
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(131026), graphError(131047)]);
    await workspace.send({ type: "text", phone: "447700900777", content: "One" });
    await workspace.send({ type: "text", phone: "447700900778", content: "Two" });
    await signIn("owner");
    await page.goto("/dashboard/messages");
    await expect.poll(() => recipients(page)).toHaveLength(4);
    await page.getByText("Filters", { exact: true }).click();
    await page.getByLabel("Status").selectOption("FAILED");
    await expect(page).toHaveURL(/status=FAILED/);
    await page.getByLabel("Type").selectOption("text");
    await expect(page).toHaveURL(/type=text/);
    await page.getByLabel("error code").fill("131047");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL(/code=131047/);
    await expect.poll(() => recipients(page)).toEqual(["+447700900778"]);
    await expect(page.getByText("1 result", { exact: true })).toBeVisible();

    await page.reload();
    await expect.poll(() => recipients(page)).toEqual(["+447700900778"]);
    const other = await (await browser.newContext({ storageState: await page.context().storageState() })).newPage();
    await other.goto(page.url());
    await expect.poll(() => recipients(other)).toEqual(["+447700900778"]);
    await other.context().close();
    await page.getByRole("rowheader").getByRole("link").click();
    await expect(page.getByRole("dialog", { name: /^Message to/ })).toBeVisible();
    await page.goBack();
    await expect.poll(() => recipients(page)).toEqual(["+447700900778"]);
    await page.getByRole("link", { name: /error code: 131047/ }).click();
    await expect.poll(() => recipients(page)).toEqual(["+447700900778", "+447700900777"]);
  });

  test("any id and any way to write a number finds the message", async ({ page, signIn, workspace }) => {
    const sent = await workspace.send(
      { type: "text", phone: "447700900126", content: "One" },
      { "Idempotency-Key": "order-8812" },
    );
    const { id, chatMessageId } = sent.body.data;
    await signIn("member");
    await page.goto("/dashboard/messages");
    const search = page.getByLabel("Search messages");
    for (const held of [id, chatMessageId, sent.headers.get("x-request-id"), "order-8812", "+44 7700 900 126"]) {
      await search.fill(held ?? "");
      await search.press("Enter");
      await expect(page.getByRole("link", { name: /^Search: / })).toContainText(held ?? "");
      await expect(page.getByRole("rowheader")).toHaveCount(1);
      expect(await page.getByRole("rowheader").getByRole("link").getAttribute("href")).toContain(id);
      await page.getByRole("link", { name: "Clear all" }).click();
      await expect(page.getByRole("rowheader")).toHaveCount(3);
    }
  });

  test("nothing yet, nothing that matches and the end are three different things", async ({ page, signIn }) => {
    await signIn("owner");
    await page.goto("/dashboard/messages?status=READ");
    await expect(page.getByRole("heading", { name: "No message matches" })).toBeVisible();
    await page.getByRole("link", { name: "Clear the filters" }).click();
    await expect(page.getByRole("rowheader")).toHaveCount(2);
    const empty = await provisionWorkspace();
    await page.context().clearCookies();
    await openSignedIn(page, empty.owner);
    await page.goto("/dashboard/messages");
    await expect(page.getByRole("heading", { name: "No live message yet" })).toBeVisible();
  });

  test("live is off until it is asked for; then new rows raise a bar and move nothing", async ({
    page,
    signIn,
    workspace,
  }) => {
    await signIn("owner");
    await page.goto("/dashboard/messages");
    const live = page.getByRole("switch", { name: "Auto-refresh" });
    await expect(live).not.toBeChecked();
    await live.click();
    await expect(live).toBeChecked();
    await workspace.send({ type: "text", phone: "447700900777", content: "New" });
    const bar = page.getByRole("button", { name: "1 new: show" });
    await expect(bar).toBeVisible();
    await expect(page.getByRole("rowheader")).toHaveCount(2);
    await bar.click();
    await expect.poll(() => recipients(page)).toEqual(["+447700900777", `+${RECIPIENT}`, `+${RECIPIENT}`]);
    await expect(bar).toBeHidden();
  });
});

test.describe("a message's timeline", () => {
  const TOLD: Record<string, { phone: string; status: string; rows: RegExp[]; note: string }> = {
    "sent, delivered, read": {
      phone: "447700900003",
      status: "READ",
      note: "Webhook received",
      rows: [/^Received/, /^Accepted/, /^Sent/, /^Delivered/, /^Read/],
    },
    "read without delivered": {
      phone: "447700900004",
      status: "READ",
      note: "Implied by Read",
      rows: [/^Received/, /^Accepted/, /^Sent/, /^Delivered/, /^Read/],
    },
    "in reverse order": {
      phone: "447700900005",
      status: "READ",
      note: "Arrived late. Shown in the timeline; the status stays READ.",
      rows: [/^Received/, /^Accepted/, /^Read/],
    },
    "every webhook three times": {
      phone: "447700900006",
      status: "READ",
      note: "Received 2 more times; ignored.",
      rows: [/^Received/, /^Accepted/, /^Sent/, /^Delivered/, /^Read/],
    },
    "delivered after failed": {
      phone: "447700900009",
      status: "DELIVERED",
      note: "DELIVERED after FAILED",
      rows: [/^Received/, /^Accepted/, /^Failed/, /^Delivered/],
    },
  };

  for (const [name, { phone, status, rows, note }] of Object.entries(TOLD)) {
    test(`${name}: the rows of ${phone} and where they lead`, async ({ page }) => {
      const workspace = await provisionWorkspace({ mode: "test" });
      const id = await sendInTestMode(workspace, phone);
      expect((await reaching(workspace, id, status)).status).toBe(status);
      // The last of the late ones arrives a moment after the status is reached.
      await page.waitForTimeout(1_000);
      await openSignedIn(page, workspace.owner);
      await page.goto(`/dashboard/messages/${id}`);
      const timeline = page.getByRole("region", { name: "Timeline" });
      const items = timeline.getByRole("listitem");
      for (const [at, row] of rows.entries()) await expect(items.nth(at)).toContainText(row);
      await expect(items).toHaveCount(name === "in reverse order" ? 5 : rows.length);
      await expect(timeline).toContainText(note);
      await expect(page.getByRole("status").filter({ hasText: new RegExp(`^${status}$`, "i") })).toBeVisible();
    });
  }

  test("the open page moves to Read by itself", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await openSignedIn(page, workspace.member);
    const id = await sendInTestMode(workspace, "447700900003");
    await page.goto(`/dashboard/messages/${id}`);
    let reloads = 0;
    page.on("domcontentloaded", () => {
      reloads += 1;
    });
    await expect(page.getByRole("status").filter({ hasText: /^Read$/ })).toBeVisible({ timeout: 20_000 });
    expect(reloads).toBe(0);
  });

  test("what the trigger shows moves the open page, without a reload", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await openSignedIn(page, workspace.member);
    const id = await sendInTestMode(workspace, "447700900001");
    await reaching(workspace, id, "SENT");
    await page.goto(`/dashboard/messages/${id}`);
    await expect(page.getByRole("status").filter({ hasText: /^Sent$/ })).toBeVisible();
    let reloads = 0;
    page.on("domcontentloaded", () => {
      reloads += 1;
    });
    const trigger = [...TRIGGER, "read", "--workspace", workspace.workspaceId, "--message", id];
    expect(await runProgram(trigger, serverEnvironment())).toMatchObject({ exitCode: 0, stderr: "" });
    await expect(page.getByRole("status").filter({ hasText: /^Read$/ })).toBeVisible({ timeout: 20_000 });
    expect(reloads).toBe(0);
  });

  test("a failure says why, who can do what and whether to retry, and leads to the code's page", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const id = await sendInTestMode(workspace, "447700900147");
    await reaching(workspace, id, "FAILED");
    await openSignedIn(page, workspace.member);
    await page.goto(`/dashboard/messages/${id}`);
    for (const text of ["131047 ·", "Send an approved template instead", "The line’s owner can", "WhatsApp said"]) {
      await expect(page.getByText(text).first()).toBeVisible();
    }
    await page.getByRole("link", { name: "More about 131047" }).click();
    await expect(page).toHaveURL(/\/docs\/errors\/platform\/131047$/);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("24 hours");
  });
});

test.describe("roles", () => {
  test("a member sees the mask everywhere; an owner's look at what was sent is noted", async ({
    page,
    signIn,
    workspace,
  }) => {
    await signIn("member");
    await page.goto("/dashboard/messages");
    const href = await page.getByRole("rowheader").first().getByRole("link").getAttribute("href");
    await page.goto(href ?? "");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("44770•••0123");
    expect(await page.content()).not.toContain(RECIPIENT);
    await expect(page.getByRole("button", { name: "Show the body" })).toHaveCount(0);

    await page.context().clearCookies();
    await signIn("owner");
    await page.goto(href ?? "");
    await page.getByRole("button", { name: "Show the body" }).click();
    await expect(page.getByText(`"phone": "${RECIPIENT}"`)).toBeVisible();
    const noted = (await auditEntries(workspace.workspaceId)).filter(({ action }) => action === "message.revealed");
    expect(noted).toMatchObject([{ target_id: href?.split("?", 1)[0]?.split("/").at(-1), after: { part: "request" } }]);
  });
});

test.describe("without JavaScript", () => {
  test("list and message read as they are", async ({ page, browser, signIn }) => {
    await signIn("owner");
    const context = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const plain = await context.newPage();
    await plain.goto(new URL("/dashboard/messages?status=SENT", page.url()).href);
    await expect(plain.getByRole("rowheader")).toHaveCount(2);
    await plain.getByRole("rowheader").first().getByRole("link").click();
    await expect(plain.getByText("Accepted by WhatsApp")).toBeVisible();
    await context.close();
  });
});
