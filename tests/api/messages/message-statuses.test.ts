import fc from "fast-check";
import { describe, expect } from "vitest";
import { foldStatusEvents } from "@/lib/messages/statuses/status";
import type { Pricing } from "@/lib/whatsapp/status-webhooks";
import { whileLocked } from "../../support/row-lock";
import { eventWords, messageRows, sql } from "../../support/rows";
import { expectSent, KEY, TEXT } from "../../support/sends";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import {
  postWebhook,
  provisionWorkspace,
  report,
  type StatusItem,
  scriptMessages,
  statusWebhook,
  type TestWorkspace,
} from "../../support/workspace";

/** After every message of these tests was created, so that each time is kept as it is. */
const SOON_SECONDS = Math.floor(Date.now() / 1_000) + 600;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

const sendText = async (workspace: TestWorkspace) => {
  const answer = await workspace.send(TEXT);
  expectSent(answer);
  const { id, chatMessageId } = answer.body.data;
  return { id, wamid: chatMessageId ?? "" };
};
/** The events of a message, and how often WhatsApp reported them in all. */
const countEvents = async ({ workspaceId }: TestWorkspace, messageId: string) => {
  const [counts] = await sql`
      select count(*)::int as kept, sum(1 + repeats)::int as reported from status_events
      where workspace_id = ${workspaceId} and message_id = ${messageId}`;
  return counts;
};
const read = async (workspace: TestWorkspace, id: string) => (await workspace.status(id)).body.data;
const wirePricing = ({ model, type, ...price }: Pricing) => ({
  ...price,
  ...(type === null ? {} : { type }),
  pricing_model: model,
});
const failure = (code: number, title: string) => ({ errors: [{ code, title, message: title }] });

describe("every order and repetition gives one result", () => {
  const seconds = fc.integer({ min: SOON_SECONDS - 650, max: SOON_SECONDS + 50 });
  const price = fc.record({
    billable: fc.boolean(),
    type: fc.constantFrom("regular", "free_entry_point", null),
    category: fc.constantFrom("utility", "marketing", "a_new_word"),
    model: fc.constant("PMP"),
  });
  const event = fc.oneof(
    fc.record({
      status: fc.constantFrom("sent", "delivered", "read", "played", "warned"),
      at: seconds,
      pricing: fc.option(price),
    }),
    fc.record({
      status: fc.constant("failed"),
      at: seconds,
      error: fc.constantFrom<[number, string]>(
        [131026, "Undeliverable"],
        [131049, "Engagement"],
        [131049, "\u{1F44B}"],
      ),
    }),
  );

  test("over HTTP, in any batches, it is what foldStatusEvents says", async ({ workspace }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 6 }).chain((events) =>
          fc.tuple(
            fc.constant(events),
            fc
              .shuffledSubarray([...events, ...events], { minLength: events.length })
              .map((some) => [...some, ...events]),
            fc.integer({ min: 1, max: 5 }),
            fc.boolean(),
          ),
        ),
        async ([events, delivered, batch, isNamed]) => {
          const { id, wamid } = await sendText({ ...workspace, send: (body) => workspace.send(body, fresh()) });
          const items = delivered.map(
            (one): StatusItem => ({
              id: wamid,
              status: one.status,
              timestamp: `${one.at}`,
              ...("error" in one ? failure(...one.error) : {}),
              ...("pricing" in one && one.pricing ? { pricing: wirePricing(one.pricing) } : {}),
              ...(isNamed ? { biz_opaque_callback_data: id } : {}),
            }),
          );
          for (let at = 0; at < items.length; at += batch) await report(workspace, ...items.slice(at, at + batch));
          const change = foldStatusEvents(
            events.map((one) => ({
              status: one.status,
              occurredAt: new Date(one.at * 1_000),
              failure: "error" in one ? { code: one.error[0], reason: `${one.error[0]}: ${one.error[1]}` } : null,
              pricing: "pricing" in one ? one.pricing : null,
            })),
          );
          const [row] = await sql`
              select status, failure_code, failure_reason, pricing_billable, pricing_type, pricing_category,
                pricing_model, priced_at = ${text(change.pricing?.at ?? null)}::timestamptz as is_price_first,
                recipient_country,
                failed_at = ${change.failedAt?.toISOString() ?? null}::timestamptz as is_first,
                case when ${text(change.deliveredAt)}::timestamptz is null then delivered_at is null
                  else delivered_at = greatest(created_at, ${text(change.deliveredAt)}::timestamptz) end as is_delivered,
                case when ${text(change.readAt)}::timestamptz is null then read_at is null
                  else read_at = greatest(created_at, ${text(change.readAt)}::timestamptz) end as is_read,
                -- The answer of the call counts too, where it was earlier.
                sent_at = greatest(created_at, least(${text(change.sentAt)}::timestamptz, sent_at))
                  and coalesce(sent_at <= greatest(created_at, ${text(change.sentAt)}::timestamptz)
                    or ${text(change.sentAt)}::timestamptz is null, true)
                  and sent_at < created_at + interval '30 seconds' as is_sent
              from messages where workspace_id = ${workspace.workspaceId} and id = ${id}`;
          expect(row).toMatchObject({
            status: change.status ?? "SENT",
            is_delivered: true,
            is_read: true,
            is_sent: true,
            failure_code: change.failure?.code ?? null,
            failure_reason: change.failure?.reason ?? null,
            is_first: change.failedAt ? true : null,
            pricing_billable: change.pricing?.billable ?? null,
            pricing_type: change.pricing?.type ?? null,
            pricing_category: change.pricing?.category ?? null,
            pricing_model: change.pricing?.model ?? null,
            is_price_first: change.pricing ? true : null,
            recipient_country: change.pricing ? "GB" : null,
          });
          const distinct = new Set(items.map((item) => JSON.stringify(item)));
          expect(await countEvents(workspace, id)).toEqual({ kept: distinct.size, reported: items.length });
        },
      ),
      { numRuns: 40 },
    );
  });

  test("20 parallel bodies about the same 50 messages, each in an order of its own, all succeed", async () => {
    const workspace = await provisionWorkspace();
    const sent = await Promise.all(
      Array.from({ length: 50 }, async () => sendText({ ...workspace, send: (body) => workspace.send(body, fresh()) })),
    );
    const item = (id: string, status: string, later = 0) => ({ id, status, timestamp: `${SOON_SECONDS + later}` });
    const items = sent.flatMap(({ wamid }) =>
      ["sent", "delivered", "read"].map((status, index) => item(wamid, status, index)),
    );
    const foreign = Array.from({ length: 50 }, (_, index) => item(`wamid.UNKNOWN${index}`, "sent"));
    for (let round = 0; round < 3; round++) {
      const bodies = Array.from({ length: 20 }, () => shuffled([...items, ...foreign]));
      const answers = await Promise.all(bodies.map((body) => postWebhook(statusWebhook(workspace, body))));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    }
    for (const row of await messageRows(workspace)) expect(row.status).toBe("READ");
    expect(await eventWords(workspace, null)).toHaveLength(50);
    for (const { id } of sent) expect(await countEvents(workspace, id)).toEqual({ kept: 3, reported: 3 * 3 * 20 });
  });
});

describe("a message that changes between its reading and its writing", () => {
  test("is read again: its status moves from where it stands then, and the event is kept once", async () => {
    const workspace = await provisionWorkspace();
    const [changed, other] = [await sendText(workspace), await sendText(workspace)];
    const readAt = SOON_SECONDS;
    const posting = await sql.begin(async (tx) => {
      await tx`update messages set status = 'READ', read_at = to_timestamp(${readAt}) where id = ${changed.id}`;
      const delivered = { status: "delivered", timestamp: `${readAt - 5}` };
      const webhook = report(workspace, { ...delivered, id: changed.wamid }, { ...delivered, id: other.wamid });
      // Not pg_stat_activity, which a transaction reads once.
      const waiting = () =>
        tx`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
      await expect.poll(async () => (await waiting()).length, { timeout: 15_000 }).toBe(1);
      return { webhook };
    });
    await posting.webhook;
    const delivered = { deliveredAt: iso(readAt - 5) };
    expect(await read(workspace, changed.id)).toMatchObject({ status: "READ", readAt: iso(readAt), ...delivered });
    expect(await read(workspace, other.id)).toMatchObject({ status: "DELIVERED", ...delivered });
    for (const { id } of [changed, other]) expect(await countEvents(workspace, id)).toEqual({ kept: 1, reported: 1 });
  });
});

describe("nothing happened to a message before it was created", () => {
  const times = async (workspace: TestWorkspace, id: string) => {
    const { createdAt, sentAt, deliveredAt, readAt } = await read(workspace, id);
    return { createdAt, times: [sentAt, deliveredAt, readAt] };
  };

  test("a clock that is behind, and counts whole seconds", async ({ workspace }) => {
    for (const behind of [0, 1, 3_600]) {
      const { id, wamid } = await sendText(workspace);
      const { createdAt } = await times(workspace, id);
      const timestamp = `${Math.floor(Date.parse(createdAt) / 1_000) - behind}`;
      await report(workspace, { id: wamid, status: "sent", timestamp });
      expect((await times(workspace, id)).times).toEqual([createdAt, null, null]);
      await report(workspace, { id: wamid, status: "read", timestamp });
      expect((await times(workspace, id)).times).toEqual([createdAt, createdAt, createdAt]);
    }
  });

  test("a webhook before our own answer, which takes nothing of it back", async ({ workspace }) => {
    await scriptMessages(workspace, [{ delayMs: 4_000, json: { messages: [{ id: "wamid.EARLY" }] } }]);
    const sending = workspace.send(TEXT);
    const id = await untilClaimed(workspace);
    const early = { id: "wamid.EARLY", biz_opaque_callback_data: id };
    await report(workspace, { ...early, status: "delivered", timestamp: `${SOON_SECONDS - 4_200}` });
    await report(workspace, { ...early, status: "read", timestamp: `${SOON_SECONDS}` });
    const { createdAt } = await times(workspace, id);
    const known = { status: "READ", chatMessageId: "wamid.EARLY", deliveredAt: createdAt, readAt: iso(SOON_SECONDS) };
    expect(await read(workspace, id)).toMatchObject({ ...known, sentAt: createdAt });
    const answer = await sending;
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toMatchObject({ id, ...known, sentAt: createdAt });
  });
});

describe("whose message it is", () => {
  test("an opaque id counts with its own line only; another workspace's message is never touched", async () => {
    const victim = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }] });
    const other = await provisionWorkspace();
    const answer = await victim.send({ ...TEXT, phoneNumberId: victim.phoneNumberId });
    const { id, chatMessageId } = answer.body.data;
    const item = { id: "wamid.STRANGE", status: "read", biz_opaque_callback_data: id };
    await report(other, item, { ...item, id: chatMessageId ?? "" });
    await report(victim.lines.second ?? victim, item, { ...item, id: chatMessageId ?? "" });
    expect(await read(victim, id)).toEqual(answer.body.data);
    expect(await eventWords(victim, id)).toEqual([]);
    expect(await eventWords(other, null)).toEqual(["read", "read"]);
    expect(await eventWords(victim, null)).toEqual(["read", "read"]);
  });

  test("an event that came too early and without our id waits, and the sweeper joins it", async ({ workspace }) => {
    await report(workspace, { id: "wamid.SOON", status: "read", timestamp: `${SOON_SECONDS}` });
    await scriptMessages(workspace, [{ json: { messages: [{ id: "wamid.SOON" }] } }]);
    expect(await eventWords(workspace, null)).toEqual(["read"]);
    const { id } = await sendText(workspace);
    expect((await sweep()).status).toBe(200);
    expect(await read(workspace, id)).toMatchObject({ status: "READ", readAt: iso(SOON_SECONDS) });
    expect(await eventWords(workspace, id)).toEqual(["read"]);
    expect(await eventWords(workspace, null)).toEqual([]);
  });

  test("an event that two sweepers join at once was reported once", async ({ workspace }) => {
    await report(workspace, { id: "wamid.TWICE", status: "read", timestamp: `${SOON_SECONDS}` });
    await scriptMessages(workspace, [{ json: { messages: [{ id: "wamid.TWICE" }] } }]);
    const { id } = await sendText(workspace);
    await sql`
        update status_events set message_id = null where workspace_id = ${workspace.workspaceId} and message_id = ${id}`;
    await whileLocked(id, async (queued) => {
      const passes = [sweep(), sweep()];
      await queued(2);
      return passes;
    }).then((passes) => Promise.all(passes));
    const events = await sql`select message_id, repeats from status_events where message_id = ${id}`;
    expect(events).toEqual([{ message_id: id, repeats: 0 }]);
  });

  test.for([
    ["delivered", "DELIVERED"],
    ["sent", "SENT"],
    ["failed", "FAILED"],
  ])("an unknown outcome is settled by %s with our id, and stays one message", async ([word = "", status]) => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, [{ hangUp: "middle" }]);
    const refused = await workspace.send(TEXT, KEY);
    const id = refused.body.details.messageId ?? "";
    expect(await read(workspace, id)).toMatchObject({ status: "UNKNOWN", chatMessageId: null });
    await report(workspace, { id: "wamid.LATE", status: word, biz_opaque_callback_data: id, ...failure(131026, "No") });
    expect(await read(workspace, id)).toMatchObject({ status, chatMessageId: "wamid.LATE" });
    const replay = await workspace.send(TEXT, KEY);
    expect(replay.status).toBe(200);
    expect(replay.body.data).toMatchObject({ id, status, chatMessageId: "wamid.LATE", idempotentReplay: true });
  });
});

describe("big bodies", () => {
  test("1,000 statuses are one body, and one that is broken does not block the others", async ({ workspace }) => {
    const { id, wamid } = await sendText(workspace);
    const items: StatusItem[] = Array.from({ length: 999 }, (_, index) => ({
      id: index === 500 ? wamid : `wamid.BULK${index}`,
      status: "delivered",
      timestamp: `${SOON_SECONDS}`,
    }));
    items.splice(400, 0, { id: "wamid.BAD\u0000", status: "read\u0000\ud800", timestamp: "\u0000" });
    await report(workspace, ...items);
    expect((await read(workspace, id)).status).toBe("DELIVERED");
    expect((await eventWords(workspace, null)).length).toBeGreaterThanOrEqual(998);
  });
});

const untilClaimed = async (workspace: TestWorkspace): Promise<string> => {
  for (;;) {
    const [row] = await messageRows(workspace);
    if (row?.phase === "DISPATCHING") return row.id;
  }
};

const text = (instant: Date | null): string | null => instant?.toISOString() ?? null;

let addresses = 0;
const fresh = () => ({ "x-forwarded-for": `203.0.113.${addresses++ % 250}` });
const shuffled = <T>(items: T[]): T[] =>
  items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
