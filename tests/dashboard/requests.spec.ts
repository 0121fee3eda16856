import type { Page } from "@playwright/test";
import { awayFromWindowEdge, callInParallel } from "../support/limits";
import { requestRows } from "../support/request-rows";
import type { TestWorkspace } from "../support/workspace";
import { expect, inAnyMode, RECIPIENT, test } from "./dashboard-test";

const TEXT = { type: "text", phone: RECIPIENT, content: "a heron on one leg" };

/** Beside the two sends that every workspace here has: a replay, a 400, a 401 and a 404. */
const callAll = async (workspace: TestWorkspace) => {
  const wrong = { apiKey: workspace.apiKey, apiSecret: `${workspace.apiSecret}x` };
  for (let i = 0; i < 2; i++) await workspace.send(TEXT, { "Idempotency-Key": "order-8812" });
  const invalid = await workspace.send({ ...TEXT, phone: "0770", colour: "red" });
  const refused = await workspace.call("GET", "/api/v1/public/templates", { key: wrong });
  const absent = await workspace.status("msg_none");
  await requestRows(workspace, 7);
  const idOf = (answer: typeof invalid) => answer.body.details.requestId;
  return { invalid: idOf(invalid), refused: idOf(refused), absent: idOf(absent) };
};

const rows = (page: Page) => page.getByRole("table").getByRole("rowheader");
const filter = (page: Page, label: string) => page.getByLabel(label, { exact: true });

test.describe("the request log", () => {
  test("has every call, also those that never became a message, which the messages have not", async ({
    page,
    signIn,
    workspace,
  }) => {
    await callAll(workspace);
    await signIn("owner");
    await page.goto("/dashboard/requests");
    await expect(rows(page)).toHaveCount(7);
    for (const text of ["UNAUTHORIZED", "VALIDATION_ERROR", "NOT_FOUND", "Replay"]) {
      await expect(page.getByRole("table").getByText(text, { exact: true })).toHaveCount(1);
    }
    await page.goto("/dashboard/messages");
    await expect(rows(page)).toHaveCount(3);
  });

  test("has the call that was over the limit, which the messages have not", async ({ page, signIn, workspace }) => {
    await awayFromWindowEdge();
    const { headers } = await workspace.status("msg_none");
    await callInParallel(Number(headers.get("ratelimit-remaining")), () => workspace.status("msg_none"));
    expect((await workspace.send(TEXT)).status).toBe(429);
    await signIn("owner");
    await expect
      .poll(async () => {
        await page.goto("/dashboard/requests?code=RATE_LIMIT_EXCEEDED");
        return rows(page).count();
      })
      .toBe(1);
    await expect(page.getByRole("table").getByText("429", { exact: true })).toBeVisible();
    await page.goto("/dashboard/messages");
    await expect(rows(page)).toHaveCount(2);
  });

  test("keeps its filters in the address: through a reload, Back and another browser", async ({
    page,
    browser,
    signIn,
    workspace,
  }) => {
    await callAll(workspace);
    await signIn("owner");
    await page.goto("/dashboard/requests");
    await page.getByText("Filters", { exact: true }).click();
    await filter(page, "Answer").selectOption("2xx");
    await expect(rows(page)).toHaveCount(4);
    await filter(page, "Endpoint").selectOption("send");
    await expect(page).toHaveURL(/operation=send/);
    await filter(page, "Replay").selectOption("yes");
    await expect(rows(page)).toHaveCount(1);
    const address = page.url();

    await page.reload();
    await expect(rows(page)).toHaveCount(1);
    await page.getByRole("link", { name: /Replay: Yes/ }).click();
    await expect(rows(page)).toHaveCount(4);
    await page.goBack();
    await expect(page).toHaveURL(inAnyMode(address));
    await expect(rows(page)).toHaveCount(1);

    const context = await browser.newContext({ storageState: await page.context().storageState() });
    const elsewhere = await context.newPage();
    await elsewhere.goto(address);
    await expect(rows(elsewhere)).toHaveCount(1);
    await context.close();
  });

  test("distinguishes nothing yet from nothing that matches", async ({ page, signIn, workspace }) => {
    await callAll(workspace);
    await signIn("owner");
    await page.goto("/dashboard/requests?code=PLAN_LIMIT_EXCEEDED");
    await expect(page.getByRole("heading", { name: "No call matches" })).toBeVisible();
    await page.getByRole("link", { name: "Test", exact: true }).click();
    await expect(page.getByRole("heading", { name: "No test call yet" })).toBeVisible();
    await expect(page.getByText("$CHAT_API_SECRET")).toBeVisible();
  });

  test("reads without a script", async ({ browser, page, signIn, workspace }) => {
    const { invalid } = await callAll(workspace);
    await signIn("owner");
    const context = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const plain = await context.newPage();
    await plain.goto("/dashboard/requests?status=4xx");
    await expect(rows(plain)).toHaveCount(3);
    await plain.goto(`/dashboard/requests/${invalid}`);
    await expect(plain.getByRole("heading", { level: 1 })).toContainText("POST /api/v1/public/messages/send");
    await context.close();
  });
});

test.describe("a call", () => {
  test("shows an owner each field at fault, the body without its values, and the call again", async ({
    page,
    signIn,
    workspace,
  }) => {
    const { invalid } = await callAll(workspace);
    await signIn("owner");
    await page.goto(`/dashboard/requests/${invalid}`);
    const faults = page.getByRole("listitem");
    await expect(faults.filter({ hasText: "colour" })).toContainText("is not a field");
    await expect(faults.filter({ hasText: "phone" })).toContainText("looks like a national number");
    await expect(page.getByRole("figure", { name: "What was sent, without its values" })).toContainText(
      "<18 characters>",
    );
    await expect(page.getByRole("figure", { name: "The call in a shell" })).toContainText(workspace.apiKey);
    await expect(page.getByRole("link", { name: "What to do about it" })).toHaveAttribute(
      "href",
      "/docs/errors/VALIDATION_ERROR",
    );
    expect(await page.content()).not.toContain(TEXT.content);
    expect(await page.content()).not.toContain(workspace.apiSecret);
  });

  test("shows a member no body, no answer and no key, and who may see them", async ({ page, signIn, workspace }) => {
    const { invalid } = await callAll(workspace);
    await signIn("member");
    await page.goto(`/dashboard/requests/${invalid}`);
    await expect(page.getByText("Only owners and admins can do this.")).toBeVisible();
    await expect(page.getByText("VALIDATION_ERROR").first()).toBeVisible();
    const content = await page.content();
    for (const hidden of ["characters&gt;", "colour", workspace.apiKey]) expect(content).not.toContain(hidden);
  });
});
