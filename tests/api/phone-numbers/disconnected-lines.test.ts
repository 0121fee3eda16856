import { describe, expect, test } from "vitest";
import { actingAs, doneBy, workspaceOfAccount } from "../../support/line-actions";
import { sql } from "../../support/rows";
import { expectSent, listContacts, PHONE, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { inboundWebhook } from "../../support/webhooks";
import { deliver, provisionWorkspace, report, statusWebhook, type TestWorkspace } from "../../support/workspace";

const WRITER = "447700900321";

const disconnect = async (workspace: TestWorkspace) => {
  const act = await actingAs(workspace, workspace.owner);
  doneBy(await act("removeLine", { phoneNumberId: workspace.phoneNumberId }));
};

/** A line that its workspace disconnected, and another workspace that has the number by now. */
const handedOver = async () => {
  const former = await workspaceOfAccount();
  const { whatsappPhoneNumberId } = former;
  const kept = await former.send(TEXT);
  await disconnect(former);
  const present = await provisionWorkspace({ lines: [{ ref: "main", whatsappPhoneNumberId }] });
  return { former, present, kept };
};

describe("200", () => {
  test("a disconnected line is no line to senders; its messages stay, and late statuses still arrive", async () => {
    const workspace = await workspaceOfAccount();
    const sent = await workspace.send(TEXT);
    await disconnect(workspace);
    const byId = await workspace.send({ ...TEXT, phoneNumberId: workspace.phoneNumberId });
    expect([byId.status, byId.body.error]).toEqual([400, "PHONE_NUMBER_NOT_FOUND"]);
    expect((await workspace.send(TEXT)).body.error).toBe("NO_PHONE_NUMBER");
    const { workspaceId, phoneNumberId } = workspace;
    const [row] = await sql`select * from phone_numbers where workspace_id = ${workspaceId} and id = ${phoneNumberId}`;
    const gone = { access_token: "", is_active: false, is_default: false, disconnected_at: expect.any(String) };
    expect(row).toMatchObject(gone);
    const line = workspace.lines.main ?? workspace;
    await report(line, { id: sent.body.data.chatMessageId ?? "", status: "delivered" });
    expect((await workspace.status(sent.body.data.id)).body.data.status).toBe("DELIVERED");
    const listed = await readAs(workspace.member, `/api/v1/workspaces/${workspaceId}/phone-numbers`);
    expect(listed.body.data.phoneNumbers).toEqual([]);
    const page = await readAs(workspace.owner, `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    expect(page.text).toContain("Disconnected");
  });

  test("who writes to a number becomes a contact of the workspace that has it, not of one that had it", async () => {
    const { former, present } = await handedOver();
    await deliver(inboundWebhook(present, [{ from: WRITER }], [{ wa_id: WRITER, profile: { name: "Wilma" } }]));
    expect(await listContacts(present)).toMatchObject([{ phone: WRITER }]);
    expect(await listContacts(former)).toMatchObject([{ phone: PHONE }]);
  });

  test("the statuses of a number's messages are reported to the workspace that sent them, and leave nothing elsewhere", async () => {
    const { former, present, kept } = await handedOver();
    const sent = await present.send(TEXT);
    expectSent(sent);
    const statuses = [kept, sent].map(({ body }) => ({ id: body.data.chatMessageId ?? "", status: "delivered" }));
    // Made once: a second one could bear the next second's time, and be another event.
    const webhook = statusWebhook(present, statuses);
    await deliver(webhook);
    await deliver(webhook);
    expect((await former.status(kept.body.data.id)).body.data.status).toBe("DELIVERED");
    expect((await present.status(sent.body.data.id)).body.data.status).toBe("DELIVERED");
    const eventsOf = ({ workspaceId }: TestWorkspace) =>
      sql`select message_id from status_events where workspace_id = ${workspaceId}`;
    expect(await eventsOf(former)).toEqual([{ message_id: kept.body.data.id }]);
  });
});
