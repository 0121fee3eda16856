import { workspaceOfAccount } from "../support/line-actions";
import { onRows } from "../support/rows";
import { signatureOf } from "../support/webhooks";
import { postWebhook, provisionWorkspace, statusWebhook } from "../support/workspace";
import { submitSignIn, test } from "./dashboard-test";

test("screens", async ({ page }) => {
  test.setTimeout(240_000);
  const account = `1${String(Date.now()).slice(-7)}000220`;
  const workspace = await workspaceOfAccount({
    ...{ whatsappBusinessAccountId: account, whatsappPhoneNumberId: `2${account.slice(1)}`, accessToken: "week-long" },
  });
  await onRows(async (sql) => {
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    for (const [kind, bucket, count] of [
      ["status", 40, 8201],
      ["status", 46, 700],
      ["duplicate", 0, 14],
      ["outOfOrder", 41, 6],
      ["unmatched", 0, 2],
      ["inbound", 33, 311],
    ] as const)
      await sql`insert into webhook_hours values (${workspace.workspaceId}, ${workspace.phoneNumberId}, ${hour}, ${kind}, ${bucket}, ${count})`;
    await sql`insert into message_hours (workspace_id, mode, hour, status, failure_code, phone_number_id, api_key_id, type, template_name, template_language, count)
      values (${workspace.workspaceId}, 'live', ${hour}, 'READ', 0, ${workspace.phoneNumberId}, '', 'text', '', '', 8000), (${workspace.workspaceId}, 'live', ${hour}, 'FAILED', 131026, ${workspace.phoneNumberId}, '', 'text', '', '', 17)`;
  });
  const body = JSON.stringify(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]));
  await postWebhook(body, { "x-hub-signature-256": signatureOf(body, "a wrong secret") });
  const { body: sent } = await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
  await postWebhook(statusWebhook(workspace, [{ id: sent.data.chatMessageId ?? "", status: "read" }]));
  await submitSignIn(page, workspace.owner);
  await page.waitForURL("**/dashboard");
  const shot = async (name: string, path: string, full = true, act?: () => Promise<unknown>) => {
    for (const scheme of ["light", "dark"] as const)
      for (const width of [1280, 375]) {
        if (scheme === "dark" && width === 375) continue;
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        await act?.();
        await page.screenshot({ path: `.data/shots/${name}-${scheme}-${width}.png`, fullPage: full });
      }
  };
  await page.goto(`/dashboard/phone-numbers/${workspace.phoneNumberId}`);
  await page.getByRole("button", { name: "Run check" }).last().click();
  await page.getByText("The token ends in").first().waitFor();
  await page.screenshot({ path: ".data/shots/line-checked.png", fullPage: true });
  await shot("lines", "/dashboard/phone-numbers");
  await shot("line", `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
  await shot("webhooks", "/dashboard/webhooks");
  await shot("start", "/dashboard/get-started");
  await shot("new", "/dashboard/phone-numbers/new", true, async () => {
    await page.getByLabel("Access token").fill("day-long");
    await page.getByLabel("WhatsApp business account id").fill("1234567000003");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByRole("radio").first().waitFor();
  });
  const fresh = await provisionWorkspace({ mode: "test" });
  await page.context().clearCookies();
  await submitSignIn(page, fresh.owner);
  await page.waitForURL("**/dashboard");
  await shot("start-fresh", "/dashboard/get-started");
  await shot("webhooks-fresh", "/dashboard/webhooks");
});
