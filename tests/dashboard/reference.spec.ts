import type { Locator, Page } from "@playwright/test";
import { sql } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";
import { accessibilityFaults, accessibilityFaultsInBothSchemes, expect, overflowOf, test } from "./dashboard-test";

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
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
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

  test("has enough contrast in both schemes in another language", async ({ page }) => {
    await page.goto("/docs/reference");
    await choose(page, "Text message", "TypeScript");
    await figure(page, "Text message").evaluate((element) => element.setAttribute("data-looked-at", ""));
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      const scope = { rules: ["color-contrast"], within: "[data-looked-at]" };
      expect(await accessibilityFaults(page, scope), colorScheme).toEqual([]);
    }
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("every example is shown with curl, in colours", async ({ page }) => {
    await page.goto("/docs/reference");
    await expect(figure(page, "Text message")).toContainText("curl -X POST");
    expect(await figure(page, "Text message").locator("code span").count()).toBeGreaterThan(5);
  });
});

const trial = (page: Page, name: string) => page.getByRole("region", { name: `Try it: ${name}` });
const openTrial = async (page: Page, name: string): Promise<Locator> => {
  await trial(page, name).getByRole("button", { name: "Try it" }).click();
  // Its code is loaded with the first of them.
  await expect(trial(page, name).locator("form")).toBeVisible();
  return trial(page, name);
};
const outcome = (within: Locator) => within.locator("p[role=status]");
const response = (within: Locator) => within.locator("figure", { hasText: "Response body" });
const keysOf = ({ workspaceId }: { workspaceId: string }) => sql<{ id: string; mode: string; minutes: number }[]>`
  select id, mode, round(extract(epoch from expires_at - now()) / 60)::int as minutes from api_keys
  where workspace_id = ${workspaceId} and trial_of is not null`;

test.describe("Try it", () => {
  test.use({ workspace: async ({ page: _ }, use) => use(await provisionWorkspace({ mode: "test" })) });

  test("sends, replays, reads and lists with a test key that expires and is stored nowhere", async ({
    page,
    signIn,
    workspace,
    complaints,
  }) => {
    await signIn("owner", "/docs/reference");
    const send = await openTrial(page, "Send a message");
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(outcome(send)).toContainText(/^201 Created in \d+ ms$/);
    await expect(response(send)).toContainText('"idempotentReplay": false');
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(outcome(send)).toContainText(/^200 OK in \d+ ms$/);
    await expect(response(send)).toContainText('"idempotentReplay": true');
    const id = /"id": "(msg_\w+)"/.exec((await response(send).textContent()) ?? "")?.[1] ?? "";

    const read = await openTrial(page, "Read a message and its status");
    await expect(read.getByLabel("messageId")).toHaveValue(id);
    await read.getByRole("button", { name: "Send request" }).click();
    await expect(response(read)).toContainText(id);
    const list = await openTrial(page, "List the approved templates");
    await list.getByRole("button", { name: "Send request" }).click();
    await expect(response(list)).toContainText('"templates": [');
    await expect(list.locator("figure", { hasText: "Response headers" })).toContainText("RateLimit-Remaining: ");

    expect(await keysOf(workspace)).toMatchObject([{ mode: "test", minutes: 30 }]);
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, location.href]),
    );
    expect(kept).not.toContain("sk_test_");
    expect(complaints).toEqual([]);
    await send.getByRole("link", { name: "Open in the request log" }).click();
    await expect(page).toHaveURL(/\/dashboard\/requests\/req_/);
  });

  test("a changed body is another message; a fault is shown as the API explains it", async ({ page, signIn }) => {
    await signIn("admin", "/docs/reference");
    const send = await openTrial(page, "Send a message");
    const key = send.getByLabel("Idempotency-Key");
    const first = await key.inputValue();
    await send.getByText("Interactive", { exact: true }).click();
    await expect(key).toHaveValue(first);
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(outcome(send)).toContainText("201");
    await send.getByLabel("Body", { exact: true }).fill('{ "type": "text" }');
    await expect(key).not.toHaveValue(first);
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(outcome(send)).toContainText("400 Bad Request");
    await expect(response(send)).toContainText("`phone` is required.");
    await send.getByRole("link", { name: "What VALIDATION_ERROR means" }).click();
    await expect(page).toHaveURL(/\/docs\/errors\/VALIDATION_ERROR$/);
  });

  test("a body that is changed while the one before is being sent is another message too", async ({ page, signIn }) => {
    await signIn("owner", "/docs/reference");
    const send = await openTrial(page, "Send a message");
    const first = await send.getByLabel("Idempotency-Key").inputValue();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/api/v1/public/messages/send", async (route) => {
      await held;
      await route.continue();
    });
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(send.getByRole("button", { name: "Sending…" })).toBeVisible();
    await send.getByText("Interactive", { exact: true }).click();
    await expect(send.getByLabel("Idempotency-Key")).not.toHaveValue(first);
    letGo();
    await expect(outcome(send)).toContainText("201");
    const second = page.waitForResponse((answer) => answer.url().endsWith("/messages/send"));
    await send.getByRole("button", { name: "Send test message" }).click();
    expect((await second).status()).toBe(201);
  });

  test("forms that are started at once share one secret, and no call is refused", async ({ page, signIn }) => {
    await signIn("owner", "/docs/reference");
    const forms = [
      await openTrial(page, "List the approved templates"),
      await openTrial(page, "Read a message and its status"),
      await openTrial(page, "Send a message"),
    ];
    await page.getByLabel("messageId").fill("msg_unknown");
    const refused: string[] = [];
    page.on("response", (answer) => void (answer.status() === 401 && refused.push(answer.url())));
    let actions = 0;
    page.on("request", (request) => void (request.headers()["next-action"] && actions++));
    await page.evaluate(() => {
      for (const form of document.querySelectorAll<HTMLFormElement>("section[aria-label^='Try it'] form"))
        form.requestSubmit();
    });
    for (const form of forms) await expect(outcome(form)).toContainText(/^(20[01]|404) /);
    expect({ refused, actions }).toEqual({ refused: [], actions: 1 });
  });

  test("a key that was revoked is replaced", async ({ page, signIn, workspace }) => {
    await signIn("owner", "/docs/reference");
    const list = await openTrial(page, "List the approved templates");
    const ask = () => list.getByRole("button", { name: "Send request" }).click();
    await ask();
    await expect(outcome(list)).toContainText("200");
    await sql`update api_keys set revoked_at = now() where workspace_id = ${workspace.workspaceId} and trial_of is not null`;
    const again = page.waitForResponse((answer) => answer.url().endsWith("/templates") && answer.status() === 200);
    await ask();
    await again;
    expect(await keysOf(workspace)).toHaveLength(1);
  });

  test("says what to do where no response comes", async ({ page, signIn }) => {
    await signIn("owner", "/docs/reference");
    const send = await openTrial(page, "Send a message");
    await page.route("**/api/v1/public/messages/send", (route) => route.abort());
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(send.getByRole("alert")).toHaveText(
      "No response came. Send again unchanged: with the same key a message is never sent twice.",
    );
  });

  test("a visitor signs in first and comes back to the endpoint", async ({ page, workspace }) => {
    await page.goto("/docs/reference");
    await trial(page, "List the approved templates").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("E-mail").fill(workspace.owner.email);
    await page.getByLabel("Password").fill(workspace.owner.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/docs\/reference#try-listTemplates$/);
    await expect(trial(page, "List the approved templates").getByRole("button", { name: "Try it" })).toBeVisible();
  });

  test("passes axe in both schemes, open and answered, and fits 375 px", async ({ page, signIn }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await signIn("owner", "/docs/reference");
    const send = await openTrial(page, "Send a message");
    await send.getByRole("button", { name: "Send test message" }).click();
    await expect(outcome(send)).toContainText("201");
    expect(await accessibilityFaultsInBothSchemes(page, "section[aria-label^='Try it']")).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  });
});
