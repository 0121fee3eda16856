import { reaching } from "../support/awaiting";
import { auditEntries, sql } from "../support/rows";
import { sweep } from "../support/sweep";
import { graphError, postWebhook, provisionWorkspace, scriptPlatform, statusWebhook } from "../support/workspace";
import { expect, openSignedIn, RECIPIENT, test } from "./dashboard-test";

/** A message to the sandbox's number that is read, and its workspace. */
const sendAndRead = async () => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const { id } = (await workspace.send({ type: "text", phone: "447700900003", content: "Hi" })).body.data;
  await reaching(workspace, id, "READ");
  return { workspace, id };
};

test.describe("the raw webhook", () => {
  test("an admin is shown WhatsApp's own JSON, with Copy, and may close it again; the look is noted", async ({
    page,
    context,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { workspace, id } = await sendAndRead();
    await openSignedIn(page, workspace.admin, `/dashboard/messages/${id}`);
    expect(await page.content()).not.toContain("recipient_id");
    const button = page.getByRole("button", { name: "Raw webhook of delivered", exact: true });
    await expect(button).toHaveAttribute("aria-expanded", "false");
    await button.click();
    const json = page.getByRole("figure", { name: "Raw webhook of delivered" });
    await expect(json).toContainText('"recipient_id": "447700900003"');
    await expect(button).toHaveAttribute("aria-expanded", "true");
    await expect(button).toBeFocused();
    await json.getByRole("button", { name: "Copy Raw webhook of delivered" }).click();
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toMatchObject({
      status: "delivered",
      recipient_id: "447700900003",
    });
    await button.click();
    await expect(json).toBeHidden();
    await button.click();
    await expect(json).toBeVisible();
    const noted = (await auditEntries(workspace.workspaceId)).filter(({ action }) => action === "message.revealed");
    expect(noted).toMatchObject([
      { target_id: id, after: { part: "webhook", eventId: expect.stringMatching(/^evt_/) } },
    ]);
  });

  test("is absent for a member, and where it was removed the page says how long it is kept", async ({ page }) => {
    const { workspace, id } = await sendAndRead();
    await openSignedIn(page, workspace.member, `/dashboard/messages/${id}`);
    await expect(page.getByRole("region", { name: "Timeline" })).toContainText("Delivered");
    await expect(page.getByText("raw webhook")).toHaveCount(0);
    expect(await page.content()).not.toContain("447700900003");

    const { workspaceId } = workspace;
    await sql`update messages set created_at = created_at - interval '2 days' where workspace_id = ${workspaceId}`;
    await sql`update workspaces set retention_days = 1 where id = ${workspaceId}`;
    expect((await sweep()).status).toBe(200);
    await page.context().clearCookies();
    await openSignedIn(page, workspace.owner, `/dashboard/messages/${id}`);
    await expect(page.getByText("The raw webhooks were deleted: they are stored for 1 day, or until")).toBeVisible();
    await expect(page.getByRole("button", { name: /^Raw webhook/ })).toHaveCount(0);
  });
});

test("a refusal shows WhatsApp's trace id with Copy, a failure that a webhook reported shows none", async ({
  page,
  signIn,
  workspace,
}) => {
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(131026), graphError(999_999)]);
  const send = () => workspace.send({ type: "text", phone: RECIPIENT, content: "One" });
  await signIn("member");
  for (const { body } of [await send(), await send()]) {
    await page.goto(`/dashboard/messages/${body.details.messageId}`);
    await expect(page.getByText("fbtrace id", { exact: true })).toBeVisible();
    await expect(page.getByText("Atrace", { exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: "Copy fbtrace id" })).toBeVisible();
  }
  const reported = (await send()).body.data;
  const errors = [{ code: 131026, title: "Undeliverable" }];
  await postWebhook(statusWebhook(workspace, [{ id: reported.chatMessageId ?? "", status: "failed", errors }]));
  await page.goto(`/dashboard/messages/${reported.id}`);
  await expect(page.getByText("131026 ·").first()).toBeVisible();
  await expect(page.getByText("fbtrace")).toHaveCount(0);
});
