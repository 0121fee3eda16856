import type { Page } from "@playwright/test";
import { requestRows } from "../support/request-rows";
import type { TestWorkspace } from "../support/workspace";
import { expect, inAnyMode, RECIPIENT, test } from "./dashboard-test";

const TEXT = { type: "text", phone: RECIPIENT, content: "a heron on one leg" };

/** Beside the two sends that every workspace here has: a replay, a 400, a 401 and a 404. */
const callAll = async (workspace: TestWorkspace) => {
  const wrong = { apiKey: workspace.apiKey, apiSecret: `${workspace.apiSecret}x` };
  for (let i = 0; i < 2; i++) await workspace.send(TEXT, { "Idempotency-Key": "order-8812" });
  const invalid = await workspace.send({ ...TEXT, phone: "0770", colour: "red" });
  await workspace.call("GET", "/api/v1/public/templates", { key: wrong });
  await workspace.status("msg_none");
  await requestRows(workspace, 7);
  return { invalid: invalid.body.details.requestId };
};

const rows = (page: Page) => page.getByRole("table").getByRole("rowheader");
const filter = (page: Page, label: string) => page.getByLabel(label, { exact: true });

test("the request log has every call, keeps its filters in the address, and shows an owner what was wrong", async ({
  page,
  signIn,
  workspace,
}) => {
  const { invalid } = await callAll(workspace);
  await signIn("owner");

  await test.step("also calls that never became a message, which the messages have not", async () => {
    await page.goto("/dashboard/messages");
    await expect(rows(page)).toHaveCount(3);
    await page.goto("/dashboard/requests");
    await expect(rows(page)).toHaveCount(7);
    for (const text of ["UNAUTHORIZED", "VALIDATION_ERROR", "NOT_FOUND", "Replay"]) {
      await expect(page.getByRole("table").getByText(text, { exact: true })).toHaveCount(1);
    }
  });

  await test.step("filters survive a reload and Back", async () => {
    await page.getByRole("button", { name: "More" }).click();
    await filter(page, "Response").selectOption("2xx");
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
  });

  await test.step("nothing that matches is not nothing yet", async () => {
    await page.goto("/dashboard/requests?code=PLAN_LIMIT_EXCEEDED");
    await expect(page.getByRole("heading", { name: "No call matches" })).toBeVisible();
    await page.getByRole("link", { name: "Test", exact: true }).click();
    await expect(page.getByRole("heading", { name: "No test call yet" })).toBeVisible();
    await expect(page.getByText("$CHAT_API_SECRET")).toBeVisible();
  });

  await test.step("a call: each field at fault, the body without its values, and the call again", async () => {
    await page.goto(`/dashboard/requests/${invalid}`);
    const faults = page.getByRole("listitem");
    await expect(faults.filter({ hasText: "colour" })).toContainText("is not a field");
    await expect(faults.filter({ hasText: "phone" })).toContainText("looks like a national number");
    const sent = page.getByRole("figure", { name: "Request, without its values" });
    await expect(sent).toContainText("<18 characters>");
    await expect(page.getByRole("figure", { name: "The same call in a shell" })).toContainText(workspace.apiKey);
    const help = page.getByRole("link", { name: "What to do about it" });
    await expect(help).toHaveAttribute("href", "/docs/errors/VALIDATION_ERROR");
    const content = await page.content();
    for (const hidden of [TEXT.content, workspace.apiSecret]) expect(content).not.toContain(hidden);
  });

  await test.step("a member sees no body, no answer and no key, and who may see them", async () => {
    await page.context().clearCookies();
    await signIn("member", `/dashboard/requests/${invalid}`);
    await expect(page.getByText("Only owners and admins can do this.")).toBeVisible();
    await expect(page.getByText("VALIDATION_ERROR").first()).toBeVisible();
    const content = await page.content();
    for (const hidden of ["characters&gt;", "colour", workspace.apiKey]) expect(content).not.toContain(hidden);
  });
});
