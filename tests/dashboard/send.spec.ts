import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { messageRows } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";
import { expect, submitSignIn, test } from "./dashboard-test";

const named = (name: string) => FIXTURE_TEMPLATES.filter((template) => template.name === name);

test("a member sends a test, sees the API's own answer, and watches it being read; a replay sends nothing", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await submitSignIn(page, workspace.member);
  await page.waitForURL("**/dashboard");
  await page.goto("/dashboard/send");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const answer = page.getByRole("region", { name: "Answer" });
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
  await submitSignIn(page, workspace.owner);
  await page.waitForURL("**/dashboard");
  await page.goto("/dashboard/send");
  await page.getByText("Template", { exact: true }).click();
  await page.getByLabel("1", { exact: true }).fill("Ada");
  await page.getByText("JSON", { exact: true }).click();
  const json = page.getByLabel("Body of the call");
  await expect(json).toHaveValue(/"templateName": "order_ready"/);
  await expect(json).toHaveValue(/"1": "Ada"/);
  const body = { type: "text", phone: "447700900003", content: "Hi", revalidateFlowSession: true };
  await json.fill(JSON.stringify(body));
  await page.getByText("Form", { exact: true }).click();
  await expect(page.getByText("The form cannot show all of this JSON")).toBeVisible();
  await expect(json).toHaveValue(JSON.stringify(body));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("region", { name: "Answer" }).getByRole("status").first()).toHaveText(/^201/);
});

test("a refusal is shown as a program gets it, with the fault beside its field", async ({ page }) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await submitSignIn(page, workspace.owner);
  await page.waitForURL("**/dashboard");
  await page.goto("/dashboard/send");
  await page.getByLabel("To", { exact: true }).fill("07700900003");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("region", { name: "Answer" }).getByRole("status").first()).toHaveText(/^400 Bad Request/);
  await expect(page.getByLabel("To", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByRole("link", { name: "What VALIDATION_ERROR means" })).toBeVisible();
  await expect(page.locator(".page-skeleton"), "the answer is not covered").toHaveCount(0);
  expect(await messageRows(workspace)).toEqual([]);
});

test("what the platform refused is mended and sent under a key of its own", async ({ page }) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  await submitSignIn(page, workspace.owner);
  await page.waitForURL("**/dashboard");
  await page.goto("/dashboard/send");
  const status = page.getByRole("region", { name: "Answer" }).getByRole("status").first();
  for (const [phone, answer] of [
    ["447700900200", /^400 Bad Request/],
    ["447700900003", /^201 Created/],
  ] as const) {
    await page.getByLabel("To", { exact: true }).fill(phone);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(status).toHaveText(answer);
  }
});

test("Send again brings the same contents under a new key; a link of a template brings its values", async ({
  page,
}) => {
  const workspace = await provisionWorkspace({ mode: "test", templates: [...named("order_ready")] });
  const sent = await workspace.send({ type: "text", phone: "447700900002", content: "Once more" });
  await submitSignIn(page, workspace.owner);
  await page.waitForURL("**/dashboard");
  await page.goto(`/dashboard/messages/${sent.body.data.id}`);
  await page.getByRole("link", { name: "Send again" }).click();
  await expect(page.getByLabel("Text", { exact: true }).last()).toHaveValue("Once more");
  await expect(page.getByLabel("To", { exact: true })).toHaveValue("447700900002");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("region", { name: "Answer" }).getByRole("status").first()).toHaveText(/^201/);
  expect(await messageRows(workspace)).toHaveLength(2);

  const template = Object.values(workspace.templates)[0] ?? "";
  await page.goto(`/dashboard/send?${new URLSearchParams({ template, values: '{"1":"Grace"}' })}`);
  await expect(page.getByLabel("1", { exact: true })).toHaveValue("Grace");
});

test("in live mode a member is told that the test leaves in test mode, and who may do more", async ({
  page,
  signIn,
}) => {
  await signIn("member");
  await page.goto("/dashboard/send");
  await expect(page.getByText("This sends in test mode")).toContainText("Only owners and admins can do this.");
  await expect(page.getByRole("heading", { name: "No active test line" })).toBeVisible();
});
