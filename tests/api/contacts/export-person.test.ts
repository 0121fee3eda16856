import { expect, test } from "vitest";
import { addEndpoint } from "../../support/receiver";
import { auditEntries, sql } from "../../support/rows";
import { expectError, PHONE, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const exportOf = (workspace: TestWorkspace, contactId: string, role: "owner" | "admin" = "owner") =>
  readAs(workspace[role], `/api/v1/workspaces/${workspace.workspaceId}/contacts/${contactId}/export`);

test("an owner gets all that is stored about a person, and the log says that they did", async () => {
  const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: PHONE, name: "Ada Lovelace" }] });
  const contactId = workspace.contacts.ada ?? "";
  const first = await workspace.send({ ...TEXT, content: "Your order is ready." });
  const second = await workspace.send({ ...TEXT, content: "It waits for you." });
  const answer = await exportOf(workspace, contactId);
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
    200,
    `attachment; filename="person-${contactId}.json"`,
  ]);
  const { contact, messages } = JSON.parse(answer.text);
  expect(contact).toMatchObject({ id: contactId, phone: PHONE, name: "Ada Lovelace" });
  expect(messages).toMatchObject([
    { id: first.body.data.id, content: { content: { text: "Your order is ready." } } },
    { id: second.body.data.id, content: { content: { text: "It waits for you." } } },
  ]);
  expect(answer.text).not.toContain("fingerprint");
  expect((await auditEntries(workspace.workspaceId)).at(-1)).toMatchObject({ action: "contact.exported" });
  expect((await exportOf(workspace, contactId, "admin")).status).toBe(403);
  for (const id of ["ct_none", "%00"]) expect((await exportOf(workspace, id)).status).toBe(404);
});

test("a person who wrote more than the file can hold gets none that lacks some of it", async () => {
  const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: PHONE, name: "Ada Lovelace" }] });
  const { workspaceId, contacts } = workspace;
  const endpoint = await addEndpoint(workspace, { url: "https://example.com/hook", mode: "live" });
  const write = (from: number, until: number) => sql`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state)
    select ${workspaceId}, 'whd_' || n, ${endpoint.id}, 'message.received', ${contacts.ada ?? ""}, n,
      jsonb_build_object('text', n::text), now() - make_interval(secs => n), 'DELIVERED'
    from generate_series(${from}::int, ${until}::int) n`;
  await write(1, 20_000);
  const whole = await exportOf(workspace, contacts.ada ?? "");
  expect(JSON.parse(whole.text).events).toHaveLength(20_000);
  await write(20_001, 20_001);
  const refusal = { status: 413, error: "PAYLOAD_TOO_LARGE", details: {} };
  expectError(await exportOf(workspace, contacts.ada ?? ""), refusal);
});
