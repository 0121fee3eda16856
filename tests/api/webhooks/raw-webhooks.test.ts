import { describe, expect } from "vitest";
import { act } from "../../support/people";
import { auditEntries, eventRaws, eventWords, sql } from "../../support/rows";
import { expectSent, KEY, PHONE, TEXT } from "../../support/sends";
import { readAt, signIn } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import {
  graphError,
  provisionWorkspace,
  report,
  type Sign,
  scriptMessages,
  statusWebhook,
  type TestWorkspace,
} from "../../support/workspace";

const ACTION = "app/dashboard/messages/[messageId]/actions.ts#revealRaw";
const TOLD_AT = `${Math.floor(Date.now() / 1_000)}`;

/** Long enough to stand in no random id. */
const PRICING_MODEL = "model-of-the-raw-form";

/** As WhatsApp writes it: more than anything here reads, in an order of its own. */
const reported = (id: string, status = "delivered") => ({
  recipient_id: PHONE,
  pricing: { model: PRICING_MODEL, category: "utility", "10": null },
  timestamp: TOLD_AT,
  status,
  id,
  "9": [],
});

/** The text that a webhook with this status alone holds. */
const textOf = (workspace: TestWorkspace, status: ReturnType<typeof reported>): string =>
  JSON.stringify(statusWebhook(workspace, [status]).entry[0]?.changes[0]?.value.statuses[0]);

const sendText = async (workspace: TestWorkspace) => {
  const answer = await workspace.send(TEXT);
  expectSent(answer);
  const { id, chatMessageId } = answer.body.data;
  return { id, wamid: chatMessageId ?? "" };
};

const eventIds = ({ workspaceId }: TestWorkspace): Promise<string[]> =>
  sql<{ id: string }[]>`
  select id from status_events where workspace_id = ${workspaceId} order by received_at, id`.then((rows) =>
    rows.map(({ id }) => id),
  );

/** What the page of a message of theirs gets when it asks. */
const reveal = async (workspace: TestWorkspace, who: Sign, { id, eventId }: { id: string; eventId: string }) => {
  const fields = { workspaceId: workspace.workspaceId, eventId };
  const { status, said } = await act(ACTION, { fields, as: who, path: `/dashboard/messages/${id}` });
  return { status, said };
};

const looksAt = async ({ workspaceId }: TestWorkspace) =>
  (await auditEntries(workspaceId)).filter(({ action }) => action === "message.revealed");

describe("200", () => {
  test("what WhatsApp reported is kept word for word, once, and what comes again changes nothing of it", async () => {
    const workspace = await provisionWorkspace();
    const { id, wamid } = await sendText(workspace);
    const status = reported(wamid);
    for (let times = 0; times < 3; times++) await report(workspace, status);
    expect(await eventRaws(workspace, id)).toEqual([textOf(workspace, status)]);
    // Whatever stands there is the first, for the same words have the same digest.
    await sql`update status_events set raw = '{"the":"first"}' where message_id = ${id}`;
    await report(workspace, status, status);
    expect(await eventRaws(workspace, id)).toEqual(['{"the":"first"}']);
  });

  test("what came before its message is kept while it waits, and goes with it when the sweeper joins them", async () => {
    const workspace = await provisionWorkspace();
    const early = reported("wamid.SOON", "read");
    await report(workspace, early);
    await scriptMessages(workspace, [{ json: { messages: [{ id: "wamid.SOON" }] } }]);
    expect(await eventWords(workspace, null)).toEqual(["read"]);
    const { id } = await sendText(workspace);
    expect((await sweep()).status).toBe(200);
    expect(await eventRaws(workspace, id)).toEqual([textOf(workspace, early)]);
  });

  test("an object that is too long moves its message all the same, and is not kept", async ({ workspace }) => {
    const { id, wamid } = await sendText(workspace);
    const long = { ...reported(wamid), extra: "x".repeat(70_000) };
    await report(workspace, long, reported(wamid, "read"));
    expect((await workspace.status(id)).body.data.status).toBe("READ");
    expect((await eventRaws(workspace, id)).map((raw) => raw?.length ?? null).sort()).toEqual([
      textOf(workspace, reported(wamid, "read")).length,
      null,
    ]);
  });

  test("owner and admin are shown it, each look leaves a row in the audit log, and no page holds it before", async () => {
    const workspace = await provisionWorkspace();
    const { id, wamid } = await sendText(workspace);
    await report(workspace, reported(wamid));
    const [eventId = ""] = await eventIds(workspace);
    for (const who of [workspace.owner, workspace.admin]) {
      const { said } = await reveal(workspace, who, { id, eventId });
      const shown = said?.ok ? String(said.value) : "";
      expect(JSON.parse(shown)).toEqual(JSON.parse(textOf(workspace, reported(wamid))));
      expect(shown).toContain(`\n  "recipient_id": "${PHONE}"`);
    }
    const look = { action: "message.revealed", target_id: id, before: null, after: { part: "webhook", eventId } };
    expect(await looksAt(workspace)).toMatchObject([look, look]);
    const cookie = await signIn(workspace.owner);
    for (const page of ["/messages", `/messages/${id}`, `/send?sent=${id}`, "/webhooks"]) {
      const { status, text } = await readAt(`/dashboard${page}`, cookie);
      expect([status, text.includes("recipient_id"), text.includes(PRICING_MODEL)], page).toEqual([200, false, false]);
    }
  });

  test("what was removed is said to be gone, and no one has looked at anything", async ({ workspace }) => {
    const { id, wamid } = await sendText(workspace);
    await report(workspace, reported(wamid));
    await sql`update status_events set raw = null where message_id = ${id}`;
    const [eventId = ""] = await eventIds(workspace);
    expect((await reveal(workspace, workspace.owner, { id, eventId })).said).toEqual({ ok: true, value: null });
    expect(await looksAt(workspace)).toEqual([]);
  });
});

describe("no event", () => {
  test("for members, who read who may, for another workspace's event, for one that still waits and for none, and nothing is noted", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace()];
    const { id, wamid } = await sendText(workspace);
    await report(workspace, reported(wamid));
    const [own = ""] = await eventIds(workspace);
    const { id: theirs } = await sendText(other);
    await report(other, reported("wamid.NOBODY"));
    const [waiting = ""] = await eventIds(other);
    const refused = { status: 404, said: undefined };
    expect((await reveal(workspace, workspace.member, { id, eventId: own })).said).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Only owners and admins can do this\./),
    });
    for (const eventId of [own, waiting, "evt_01m7w7dr16j57xj0jhk1qj5zzz"]) {
      expect(await reveal(other, other.owner, { id: theirs, eventId }), eventId).toEqual(refused);
    }
    expect([await looksAt(workspace), await looksAt(other)]).toEqual([[], []]);
  });
});

describe("WhatsApp's trace id of a refusal", () => {
  const traceOf = async (messageId: string) => {
    const [row] = await sql`select failure_trace_id as trace from messages where id = ${messageId}`;
    return row?.trace;
  };

  test("is kept with the refusal, and goes when the message is tried again", async ({ workspace }) => {
    await scriptMessages(workspace, [graphError(131042)]);
    const refused = await workspace.send(TEXT, KEY);
    const id = refused.body.details.messageId ?? "";
    expect([refused.status, refused.body.details.platform?.fbtraceId]).toEqual([502, "Atrace"]);
    expect(await traceOf(id)).toBe("Atrace");
    const again = await workspace.send(TEXT, KEY);
    expect([again.status, again.body.data.id, await traceOf(id)]).toEqual([201, id, null]);
  });

  test("goes when a webhook contradicts the refusal, and a failure that a webhook shows has none", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, [graphError(131042)]);
    const id = (await workspace.send(TEXT)).body.details.messageId ?? "";
    const failed = { ...reported("wamid.AFTER", "failed"), biz_opaque_callback_data: id, errors: [{ code: 131026 }] };
    await report(workspace, failed);
    const { status, failureReason } = (await workspace.status(id)).body.data;
    expect([status, failureReason?.slice(0, 6), await traceOf(id)]).toEqual(["FAILED", "131026", null]);
  });

  test("is in no answer of the API but the refusal's own", async ({ workspace }) => {
    await scriptMessages(workspace, [graphError(131042)]);
    const id = (await workspace.send(TEXT)).body.details.messageId ?? "";
    expect(await traceOf(id)).toBe("Atrace");
    expect((await workspace.status(id)).text).not.toMatch(/atrace|traceId/i);
  });
});
