import type { Page } from "@playwright/test";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { messageRows } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";
import { expect, openSignedIn, overflowOf, RECIPIENT, test } from "./dashboard-test";

const ADA = { ref: "ada", phone: "447700900124", name: "Ada" };

const named = (name: string) => FIXTURE_TEMPLATES.filter((template) => template.name === name);

test("a member sends a test, sees the API's own answer, and watches it being read; a replay sends nothing", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await openSignedIn(page, workspace.member, "/dashboard/send");
  await page.getByRole("button", { name: "Send test message" }).click();
  const answer = page.getByRole("region", { name: "Response" });
  await expect(answer.getByRole("status").first()).toHaveText(/^201 Created in \d+ ms$/);
  await expect(answer).toContainText('"success": true');
  await expect(answer).toContainText("req_");
  await expect(
    page
      .getByRole("region", { name: /^Message/ })
      .getByText("Read", { exact: true })
      .first(),
  ).toBeVisible({
    timeout: 20_000,
  });
  await page.getByRole("button", { name: "Replay the same key" }).click();
  await expect(answer.getByRole("status").first()).toHaveText(/^200 OK/);
  await expect(answer).toContainText('"idempotentReplay": true');
  expect(await messageRows(workspace)).toHaveLength(1);
});

test("the form and its JSON are one body; what the form cannot show is not lost", async ({ page }) => {
  const workspace = await provisionWorkspace({ mode: "test", templates: [...named("order_ready")] });
  await openSignedIn(page, workspace.owner, "/dashboard/send");
  await page.getByText("Template", { exact: true }).click();
  await page.getByLabel("{{1}}", { exact: true }).fill("Ada");
  await page.getByText("JSON", { exact: true }).click();
  const json = page.getByLabel("Body of the call");
  await expect(json).toHaveValue(/"templateName": "order_ready"/);
  await expect(json).toHaveValue(/"1": "Ada"/);
  const body = { type: "text", phone: "447700900003", content: "Hi", revalidateFlowSession: true };
  await json.fill(JSON.stringify(body));
  await page.getByText("Form", { exact: true }).click();
  await expect(page.getByText("The form cannot show all of this JSON")).toBeVisible();
  await expect(json).toHaveValue(JSON.stringify(body));
  await page.getByRole("button", { name: "Send test message" }).click();
  await expect(page.getByRole("region", { name: "Response" }).getByRole("status").first()).toHaveText(/^201/);
});

test("a refusal is shown as a program gets it, with the fault beside its field; once fixed it is sent under a new key", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await openSignedIn(page, workspace.owner, "/dashboard/send");
  await page.getByLabel("To", { exact: true }).fill("07700900003");
  await page.getByRole("button", { name: "Send test message" }).click();
  await expect(page.getByRole("region", { name: "Response" }).getByRole("status").first()).toHaveText(
    /^400 Bad Request/,
  );
  await expect(page.getByLabel("To", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByRole("link", { name: "What VALIDATION_ERROR means" })).toBeVisible();
  expect(await messageRows(workspace)).toEqual([]);
  for (const [phone, answer] of [
    ["447700900200", /^400 Bad Request/],
    ["447700900003", /^201 Created/],
  ] as const) {
    await page.getByLabel("To", { exact: true }).fill(phone);
    await page.getByRole("button", { name: "Send test message" }).click();
    await expect(page.getByRole("region", { name: "Response" }).getByRole("status").first()).toHaveText(answer);
  }
});

test("Send again brings the same contents under a new key; a link of a template brings its values", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test", templates: [...named("order_ready")] });
  const sent = await workspace.send({ type: "text", phone: "447700900002", content: "Once more" });
  await openSignedIn(page, workspace.owner, `/dashboard/messages/${sent.body.data.id}`);
  await page.getByRole("link", { name: "Send again" }).click();
  await expect(page.getByLabel("Text", { exact: true }).last()).toHaveValue("Once more");
  await expect(page.getByLabel("To", { exact: true })).toHaveValue("447700900002");
  await page.getByRole("button", { name: "Send test message" }).click();
  await expect(page.getByRole("link", { name: "Open message" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Response" }).getByRole("status").first()).toHaveText(/^201/);
  await expect(page.getByLabel("Text", { exact: true }).last(), "the form stays filled in").toHaveValue("Once more");
  expect(await messageRows(workspace)).toHaveLength(2);

  const template = Object.values(workspace.templates)[0] ?? "";
  await page.goto(`/dashboard/send?${new URLSearchParams({ template, values: '{"1":"Grace"}' })}`);
  await expect(page.getByLabel("{{1}}", { exact: true })).toHaveValue("Grace");
  await expect(page.getByLabel("{{2}}", { exact: true }), "a sample").not.toHaveValue("");
});

test("in live mode a member reads who may send, and is led to test mode", async ({ page, signIn }) => {
  await signIn("member", "/dashboard/send");
  await expect(page.getByText("A live message reaches a real person.")).toContainText(
    "Only owners and admins can do this.",
  );
  await expect(page.getByRole("button", { name: /^Send/ })).toHaveCount(0);
  await page.getByRole("link", { name: "Send in test mode" }).click();
  await expect(page).toHaveURL("/dashboard/send?mode=test");
  await expect(page.getByRole("heading", { name: "No active test line" })).toBeVisible();
});

test("a live message is sent by a button that says so, under the line and the recipient that it names", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ lines: [{ ref: "support" }, { ref: "sales" }], contacts: [ADA] });
  await openSignedIn(page, workspace.owner, "/dashboard/send");
  await expect(page.getByRole("heading", { level: 1, name: "Send message" })).toBeVisible();
  const button = page.getByRole("button", { name: "Send live message" });
  await expect(button).toHaveAccessibleDescription(/^Sends from Line support .*to no recipient yet/);
  await page.getByLabel("To", { exact: true }).fill(RECIPIENT);
  await page.getByLabel("Line", { exact: true }).selectOption({ label: "Line sales" });
  await expect(button).toHaveAccessibleDescription(
    `Sends from Line sales (+44 20 7946 0123) to +${RECIPIENT}. A real person receives it, and it counts against the plan.`,
  );
  await page.getByText("JSON", { exact: true }).click();
  const json = page.getByLabel("Body of the call");
  await json.fill(JSON.stringify({ type: "text", contactId: workspace.contacts.ada, content: "Hi" }));
  await expect(button).toHaveAccessibleDescription(
    new RegExp(`^Sends from no line: name one of 2 to contact ${workspace.contacts.ada}`),
  );
  await json.fill(
    JSON.stringify({ type: "text", phone: RECIPIENT, phoneNumberId: workspace.phoneNumberId, content: "Hi" }),
  );
  await expect(button).toHaveAccessibleDescription(
    new RegExp(`^Sends from Line support .* to \\+${RECIPIENT}\\. A real`),
  );
  await button.click();
  await expect(page.getByRole("region", { name: "Response" }).getByRole("status").first()).toHaveText(/^201 Created/);
  await page.getByRole("link", { name: "Open message" }).click();
  await page.getByRole("link", { name: "Send again" }).click();
  await expect(button).toHaveAccessibleDescription(new RegExp(`to \\+${RECIPIENT}`));
});

test.describe("a send without an answer of the network", () => {
  const NO_ANSWER = "No answer. The message may have been sent. Check its status before you send again.";
  const SEND_ROUTE = "**/messages/send?*";
  const answer = (page: Page) => page.getByRole("region", { name: "Response" });
  const timeline = (page: Page) => page.getByRole("region", { name: /^Message/ });

  const sendFirst = async (page: Page) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await openSignedIn(page, workspace.owner, "/dashboard/send");
    await page.getByRole("button", { name: "Send test message" }).click();
    await expect(timeline(page)).toBeVisible();
    return workspace;
  };

  test("says so in a notice that wraps on a phone, hides the message before it, and looks the key up", async ({
    page,
  }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    const workspace = await sendFirst(page);
    // The message is made; its answer is lost on the way back.
    await page.route(SEND_ROUTE, async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    const key = await page.getByLabel("Idempotency key").inputValue();
    await page.getByRole("button", { name: "Send test message" }).click();
    const notice = answer(page).getByRole("alert");
    await expect(notice).toHaveText(NO_ANSWER);
    await expect(timeline(page)).toHaveCount(0);
    await expect(page).toHaveURL("/dashboard/send?mode=test");
    await expect(page.getByLabel("Idempotency key"), "a second click is the same send").toHaveValue(key);
    const overflow = await notice.evaluate((element) =>
      [element, ...element.querySelectorAll("*")].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1),
    );
    expect(overflow).toBe(false);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);

    await page.getByRole("button", { name: "Check status" }).click();
    await expect(notice).toHaveText("The message was created. Its status is below.");
    await expect(timeline(page)).toBeVisible();
    expect(await messageRows(workspace)).toHaveLength(2);
    await expect(page.getByLabel("Idempotency key")).not.toHaveValue(key);
  });

  test("is sent at most once, however often it is sent again with its key", async ({ page }) => {
    const workspace = await sendFirst(page);
    let calls = 0;
    await page.route(SEND_ROUTE, async (route) => {
      calls += 1;
      if (calls > 3) return route.continue();
      await route.fetch();
      if (calls < 3) return route.abort("timedout");
      // The answer of a proxy in between is none.
      await route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway" });
    });
    for (const _ of [1, 2, 3]) {
      await page.getByRole("button", { name: "Send test message" }).click();
      await expect(answer(page).getByRole("alert")).toHaveText(NO_ANSWER);
    }
    await page.getByRole("button", { name: "Send test message" }).click();
    await expect(answer(page).getByRole("status").first()).toHaveText(/^200 OK/);
    expect(await messageRows(workspace)).toHaveLength(2);
  });

  test("that never reached the server is said to have made nothing, and its form outlives the outage", async ({
    page,
    context,
  }) => {
    const workspace = await sendFirst(page);
    await context.setOffline(true);
    await page.getByLabel("Text", { exact: true }).last().fill("Written before the outage");
    await page.getByRole("button", { name: "Send test message" }).click();
    await expect(answer(page).getByRole("alert")).toHaveText(NO_ANSWER);
    await page.getByRole("button", { name: "Check status" }).click();
    await expect(answer(page).getByRole("alert")).toContainText("The server still cannot be reached");
    await context.setOffline(false);
    await page.getByRole("button", { name: "Check status" }).click();
    await expect(answer(page).getByRole("alert")).toContainText(
      "No message was created with this idempotency key so far.",
    );
    expect(await messageRows(workspace)).toHaveLength(1);
    await expect(page.getByLabel("Text", { exact: true }).last()).toHaveValue("Written before the outage");
    await page.getByRole("button", { name: "Send test message" }).click();
    await expect(answer(page).getByRole("status").first()).toHaveText(/^201 Created/);
    expect(await messageRows(workspace)).toHaveLength(2);
  });
});

test("a page that refreshes itself stays through an outage", async ({ page, context }) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await openSignedIn(page, workspace.owner);
  // With its mode: without one the router is still on its way to the address with it.
  await page.goto("/dashboard/webhooks?mode=test", { waitUntil: "networkidle" });
  await context.setOffline(true);
  for (const _ of [1, 2]) {
    await page.waitForEvent("requestfailed", (request) => request.url().endsWith("/icon.svg"));
  }
  await expect(page.getByRole("heading", { level: 1, name: "WhatsApp connection" })).toBeVisible();
});
