import { describe, expect } from "vitest";
import { sql } from "../../support/rows";
import { expectSent, KEY, PHONE } from "../../support/sends";
import { sweep } from "../../support/sweep";
import { testIn } from "../../support/test";
import { FLOW_CONTENT, inboundWebhook } from "../../support/webhooks";
import {
  deliver,
  graphError,
  provisionWorkspace,
  report,
  scriptMessages,
  type TestWorkspace,
  type WorkspaceOptions,
} from "../../support/workspace";

const REPLY = {
  type: "interactive",
  interactive: { type: "nfm_reply", nfm_reply: { name: "flow", response_json: "{}" } },
};

const TWO_LINES: WorkspaceOptions = {
  lines: [{ ref: "main" }, { ref: "second" }, { ref: "trial", mode: "test" }],
  contacts: [
    { ref: "ada", phone: PHONE },
    { ref: "bob", phone: "447700900124" },
  ],
};
const test = testIn(TWO_LINES);
const FLOW = { type: "interactive", content: FLOW_CONTENT };
const toAda = (workspace: TestWorkspace, line = "main") => ({
  contactId: workspace.contacts.ada,
  phoneNumberId: workspace.lines[line]?.id,
});
const openFlow = async (workspace: TestWorkspace, line = "main", recipient: object = toAda(workspace, line)) => {
  const answer = await workspace.send({ ...FLOW, ...toAda(workspace, line), ...recipient });
  expectSent(answer);
  return answer.body.data.chatMessageId ?? "";
};
const text = (workspace: TestWorkspace, more: object, headers = {}) =>
  workspace.send({ type: "text", content: "Hi", ...toAda(workspace), ...more }, headers);
/** Sends what WhatsApp takes without an answer, and says under which id. */
const lose = async (workspace: TestWorkspace, message: object = { type: "text", content: "Hi" }): Promise<string> => {
  await scriptMessages(workspace, [{ hangUp: "before" }]);
  const answer = await workspace.send({ ...toAda(workspace), ...message });
  expect([answer.status, answer.body.details.outcome]).toEqual([502, "unknown"]);
  return answer.body.details.messageId ?? "";
};
/** Each session in the order of opening: `main`, or `main:reply` once closed. */
const sessions = async ({ workspaceId, lines }: TestWorkspace): Promise<string[]> => {
  const rows = await sql<{ phone_number_id: string; closed_by: string | null; is_closed: boolean }[]>`
      select phone_number_id, closed_by, closed_at is not null as is_closed from flow_sessions
      where workspace_id = ${workspaceId} order by opened_at, id`;
  return rows.map(({ phone_number_id, closed_by, is_closed }) => {
    const ref = Object.keys(lines).find((name) => lines[name]?.id === phone_number_id);
    return is_closed ? `${ref}:${closed_by}` : `${ref}`;
  });
};
const reply = async (workspace: TestWorkspace, line: string, more: object) => {
  const to = workspace.lines[line] ?? workspace;
  await deliver(inboundWebhook(to, [{ from: PHONE, ...REPLY, ...more }]));
};

describe("a session", () => {
  test("is opened by an accepted flow message, and by nothing else", async ({ workspace }) => {
    await text(workspace, {});
    await scriptMessages(workspace, [graphError(131047)]);
    const refused = await workspace.send({ ...FLOW, ...toAda(workspace) });
    expect(refused.status).toBe(400);
    expect(await sessions(workspace)).toEqual([]);
    await openFlow(workspace);
    expect(await sessions(workspace)).toEqual(["main"]);
  });

  test("is opened by the webhook that proves a flow message whose answer was lost, once", async ({ workspace }) => {
    const [flow, plain] = [await lose(workspace, FLOW), await lose(workspace)];
    expect(await sessions(workspace)).toEqual([]);
    for (const status of ["sent", "sent", "delivered"]) {
      for (const id of [flow, plain]) {
        const item = { id: `wamid.${id}`, status, biz_opaque_callback_data: id };
        await report(workspace, item);
      }
    }
    expect(await sessions(workspace)).toEqual(["main"]);
  });

  test("is not opened by the webhook that reports its failure", async ({ workspace }) => {
    const id = await lose(workspace, FLOW);
    const errors = [{ code: 131026, title: "Undeliverable" }];
    const item = { id: "wamid.1", status: "failed", biz_opaque_callback_data: id, errors };
    await report(workspace, item);
    expect((await workspace.status(id)).body.data.status).toBe("FAILED");
    expect(await sessions(workspace)).toEqual([]);
  });

  test("that a webhook proves days later has ended by then", async ({ workspace }) => {
    const id = await lose(workspace, FLOW);
    await sql`update messages set created_at = now() - interval '3 days' where id = ${id}`;
    const timestamp = `${Math.floor(Date.now() / 1_000) - 2 * 86_400}`;
    await report(workspace, { id: "wamid.2", status: "sent", timestamp, biz_opaque_callback_data: id });
    await sweep();
    expect(await sessions(workspace)).toEqual(["main:expiry"]);
  });

  test("is opened once by a send and its replays", async ({ workspace }) => {
    for (let sent = 0; sent < 3; sent++) await workspace.send({ ...FLOW, ...toAda(workspace) }, KEY);
    expect(await sessions(workspace)).toEqual(["main"]);
  });

  test("is closed by the contact's reply on its line, not by another contact's, line's or kind of message", async () => {
    const workspace = await provisionWorkspace(TWO_LINES);
    await openFlow(workspace);
    await openFlow(workspace, "second");
    await reply(workspace, "main", { from: "447700900124" });
    await reply(workspace, "main", { type: "text", interactive: undefined });
    await reply(workspace, "main", { interactive: { type: "button_reply", button_reply: { id: "1", title: "x" } } });
    expect(await sessions(workspace)).toEqual(["main", "second"]);
    await reply(workspace, "main", {});
    expect(await sessions(workspace)).toEqual(["main:reply", "second"]);
  });

  test("a reply that is delivered again closes no session that was opened since", async ({ workspace }) => {
    const first = await openFlow(workspace);
    await reply(workspace, "main", { context: { id: first } });
    await openFlow(workspace);
    await reply(workspace, "main", { context: { id: first } });
    expect(await sessions(workspace)).toEqual(["main:reply", "main"]);
  });

  test("ends after 24 hours", async ({ workspace }) => {
    await openFlow(workspace);
    await openFlow(workspace, "second");
    await sql`
        update flow_sessions set opened_at = now() - interval '24 hours 1 second'
        where workspace_id = ${workspace.workspaceId} and phone_number_id = ${workspace.lines.main?.id ?? ""}`;
    await sweep();
    expect(await sessions(workspace)).toEqual(["main:expiry", "second"]);
  });
});

describe("revalidateFlowSession", () => {
  test("with contactId and a line closes the contact's sessions of that line, without one those of every line", async () => {
    const workspace = await provisionWorkspace(TWO_LINES);
    for (const line of ["main", "second"]) await openFlow(workspace, line);
    await openFlow(workspace, "main", { contactId: workspace.contacts.bob });
    expectSent(await text(workspace, { revalidateFlowSession: true }));
    expect(await sessions(workspace)).toEqual(["main:send", "second", "main"]);
    await openFlow(workspace);
    await sql`
        update phone_numbers set is_active = false
        where workspace_id = ${workspace.workspaceId} and id = ${workspace.lines.second?.id ?? ""}`;
    expectSent(await text(workspace, { revalidateFlowSession: true, phoneNumberId: undefined }));
    expect(await sessions(workspace)).toEqual(["main:send", "second:send", "main", "main:send"]);
  });

  test("with phone, as false or as null has no effect", async ({ workspace }) => {
    await openFlow(workspace);
    for (const more of [
      { contactId: undefined, phone: PHONE, revalidateFlowSession: true },
      { revalidateFlowSession: false },
      { revalidateFlowSession: null },
    ]) {
      expectSent(await text(workspace, more));
    }
    expect(await sessions(workspace)).toEqual(["main"]);
  });

  test("a send in test mode closes no session of a live line", async ({ workspace }) => {
    await openFlow(workspace);
    const body = { type: "text", content: "Hi", contactId: workspace.contacts.ada, revalidateFlowSession: true };
    const key = workspace.keys.other ?? null;
    expectSent(await workspace.call("POST", "/api/v1/public/messages/send", { key, body }));
    expect(await sessions(workspace)).toEqual(["main"]);
  });

  test("a replay closes nothing, a refused send neither", async ({ workspace }) => {
    const closing = { revalidateFlowSession: true };
    expectSent(await text(workspace, closing, KEY));
    await openFlow(workspace);
    expect((await text(workspace, closing, KEY)).status).toBe(200);
    expect((await text(workspace, { ...closing, phoneNumberId: "pn_none" })).status).toBe(400);
    expect(await sessions(workspace)).toEqual(["main"]);
  });

  test("a flow message may close the contact's session and open the next", async ({ workspace }) => {
    await openFlow(workspace);
    await openFlow(workspace, "main", { revalidateFlowSession: true });
    expect(await sessions(workspace)).toEqual(["main:send", "main"]);
  });

  test("a retry of what was not sent closes what is open by then", async ({ workspace }) => {
    await scriptMessages(workspace, [graphError(131016)]);
    const closing = { revalidateFlowSession: true };
    expect((await text(workspace, closing, KEY)).status).toBe(502);
    await openFlow(workspace);
    expectSent(await text(workspace, closing, KEY));
    expect(await sessions(workspace)).toEqual(["main:send"]);
  });
});
