import { expect, test } from "vitest";
import { sql } from "../../support/rows";
import { expectSent, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const stateOf = async ({ member }: TestWorkspace) => {
  const { text } = await readAs(member, "/dashboard/get-started");
  return /<span role="status">([^<]*)/.exec(text)?.[1];
};

const menuOf = async ({ member }: TestWorkspace) => {
  const { text } = await readAs(member, "/dashboard/usage");
  return /<nav aria-label="Dashboard".+?<\/nav>/s.exec(text)?.[0];
};

/** So many messages like that one, all made before it. */
const loadTest = (
  { workspaceId }: TestWorkspace,
  { like, count, isAccepted }: { like: string; count: number; isAccepted: boolean },
) => sql`
  insert into messages (workspace_id, id, mode, api_key_id, phone_number_id, contact_id, phone, type, fingerprint,
    phase, status, whatsapp_message_id, sent_at, lease_expires_at, created_at)
  select workspace_id, id || n, mode, api_key_id, phone_number_id, contact_id, phone, type, fingerprint,
    case when ${isAccepted} then phase else 'REFUSED' end, case when ${isAccepted} then status else 'FAILED' end,
    case when ${isAccepted} then whatsapp_message_id || n end, case when ${isAccepted} then sent_at end,
    lease_expires_at, created_at - make_interval(days => 1, secs => n)
  from messages, generate_series(1, ${count}::int) n
  where workspace_id = ${workspaceId} and id = ${like}`;

test("every step ticks itself, however many messages went before", async () => {
  const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "test", mode: "test" }] });
  const { workspaceId, lines } = workspace;
  await sql`
      update phone_numbers set last_webhook_at = now()
      where workspace_id = ${workspaceId} and id = ${lines.main?.id ?? ""}`;
  expect(await stateOf(workspace)).toBe("2 of 5 done.");
  const key = workspace.keys.other ?? null;
  const sent = await workspace.call("POST", "/api/v1/public/messages/send", { body: TEXT, key });
  expectSent(sent);
  await loadTest(workspace, { like: sent.body.data.id, count: 2_100, isAccepted: true });
  expect(await stateOf(workspace)).toBe("3 of 5 done.");

  const live = (await workspace.send(TEXT)).body.data.id;
  await sql`update messages set api_key_id = null where workspace_id = ${workspaceId} and id = ${live}`;
  expect(await stateOf(workspace)).toBe("4 of 5 done.");
  expect(await menuOf(workspace)).toContain("Get started");
  expectSent(await workspace.send(TEXT));
  expect(await stateOf(workspace)).toBe("Everything is set up.");
  expect(await menuOf(workspace), "what is done leaves the menu").not.toContain("Get started");
});

test("what WhatsApp refused ticks no step, and what it accepted after 2,000 of those does", async () => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const sent = await workspace.send(TEXT);
  expectSent(sent);
  const { id } = sent.body.data;
  await loadTest(workspace, { like: id, count: 2_100, isAccepted: false });
  expect(await stateOf(workspace)).toBe("1 of 5 done.");
  await sql`delete from messages where workspace_id = ${workspace.workspaceId} and id = ${id}`;
  expect(await stateOf(workspace)).toBe("0 of 5 done.");
});
