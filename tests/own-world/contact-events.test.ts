import { randomInt } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { erasePhone } from "@/lib/contacts/erase-phone";
import { provenWorkspaceId } from "@/lib/core/principal";
import type { EventType } from "@/lib/outgoing/events/event-types";
import { EVENTS } from "@/lib/outgoing/events/events";
import { command } from "@/lib/workspaces/record-audit";
import { startInstance } from "../support/environment";
import { forSuite, forTest } from "../support/for-suite";
import { startOwnPostgres } from "../support/own-database";
import { addEndpoint, type Receiver, startReceiver, verified } from "../support/receiver";
import { changesBetween, snapshot, sql } from "../support/rows";
import { sentBodies } from "../support/sends";
import { sweep } from "../support/sweep";
import { accountWebhook, inboundWebhook, signatureOf } from "../support/webhooks";
import {
  postWebhook,
  provisionWorkspace,
  request,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

// A database of its own: every server of a shared one delivers.
forSuite(() => startOwnPostgres({}, "API"));

const within = { timeout: 20_000 };
const ALL: EventType[] = ["message.received", "contact.opted_out", "contact.opted_in", "contact.changed"];

/** A workspace whose line is a test one, so that its endpoint may be on this machine; WhatsApp's own webhooks reach both modes. */
const connect = async (events: readonly EventType[] = ALL) => {
  const partner = await forTest(startReceiver());
  const workspace = await provisionWorkspace({ mode: "test" });
  const { secret, id } = await addEndpoint(workspace, { url: partner.url, events });
  return { workspace, partner, secret, endpointId: id };
};

const newPhone = () => `4479${randomInt(10_000_000, 99_999_999)}`;
const now = (seconds = 0) => `${Math.floor(Date.now() / 1_000) + seconds}`;
const post = async (body: unknown) => {
  const answer = await postWebhook(body);
  expect(answer.status, answer.text).toBe(200);
};
const preference = (line: TestWorkspace, value: string, more: object) =>
  accountWebhook(line, "user_preferences", {
    metadata: { phone_number_id: line.whatsappPhoneNumberId },
    user_preferences: [{ category: "marketing_messages", value, timestamp: now(), ...more }],
  });

const queued = ({ workspaceId }: TestWorkspace) =>
  sql<{ type: string; subject_id: string; snapshot: Record<string, string>; sequence: number }[]>`
      select type, subject_id, snapshot, sequence from webhook_deliveries where workspace_id = ${workspaceId} order by position`;
const contactOf = async ({ workspaceId }: TestWorkspace, phone: string) => {
  const [row] = await sql<{ id: string; opted_out: string | null; source: string | null }[]>`
      select id, test_marketing_opted_out_at as opted_out, test_marketing_opt_out_source as source from contacts
      where workspace_id = ${workspaceId} and phone = ${phone}`;
  return row;
};

describe("an endpoint that is created after a webhook was processed", () => {
  test.each([0, -90])(
    "hears nothing of its repetition, and of what comes next at once (dated %i s)",
    async (seconds) => {
      const partner = await forTest(startReceiver());
      const workspace = await provisionWorkspace({ mode: "test" });
      const phone = newPhone();
      const written = inboundWebhook(workspace, [{ from: phone, timestamp: now(seconds) }]);
      const stopped = preference(workspace, "stop", { wa_id: phone, timestamp: now(seconds) });
      const system = { type: "user_changed_number", wa_id: newPhone(), body: "changed" };
      const moved = { from: phone, timestamp: now(seconds), type: "system", system };
      const changed = inboundWebhook(workspace, [moved]);
      for (const body of [written, stopped, changed]) await post(body);
      await addEndpoint(workspace, { url: partner.url, events: ALL });
      for (const body of [written, stopped, changed, written]) await post(body);
      expect(await queued(workspace)).toEqual([]);
      // Of the same second as the endpoint, twice.
      for (const text of ["one", "two"])
        await post(inboundWebhook(workspace, [{ from: newPhone(), timestamp: now(), text: { body: text } }]));
      const writer = newPhone();
      for (const text of ["three", "four"])
        await post(inboundWebhook(workspace, [{ from: writer, timestamp: now(), text: { body: text } }]));
      expect((await queued(workspace)).map(({ snapshot }) => snapshot.text)).toEqual(["one", "two", "three", "four"]);
    },
  );
});

describe("what a person writes", () => {
  test("reaches the endpoint once, signed, as documented, with the message that it answers", async () => {
    const { workspace, partner, secret } = await connect();
    const phone = newPhone();
    const sent = await workspace.send({ type: "text", phone, content: "Coming?" }, { "Idempotency-Key": "order-1" });
    const body = inboundWebhook(
      workspace,
      [{ from: phone, text: { body: "Yes!" }, context: { id: sent.body.data.chatMessageId } }],
      [{ wa_id: phone, profile: { name: "Ada 👋" } }],
    );
    await post(body);
    // Stored before WhatsApp had its answer.
    expect(await queued(workspace)).toHaveLength(1);
    await post(body);
    await post(body);
    await expect.poll(() => partner.received.length, within).toBe(1);
    const [delivery] = partner.received;
    const event = delivery && verified(delivery, secret);
    expect(EVENTS.received.schema.parse(event)).toEqual(event);
    expect(event).toMatchObject({
      type: "message.received",
      sequence: 1,
      data: {
        id: expect.stringMatching(/^in_[0-9a-f]{32}$/),
        contactId: sent.headers.get("x-contact-id"),
        phoneNumberId: workspace.phoneNumberId,
        type: "text",
        text: "Yes!",
        payload: null,
        media: null,
        location: null,
        replyTo: { messageId: sent.body.data.id, idempotencyKey: "order-1" },
        name: "Ada 👋",
      },
    });
    expect(await queued(workspace)).toHaveLength(1);
  });

  const tapped = (type: string, answer: object) => ({ type: "interactive", interactive: { type, [type]: answer } });
  const file = (id: string, mime_type: string, more: object) => ({ id, mime_type, ...more });
  const picture = { type: "image", mimeType: "image/jpeg", sha256: "abc=", id: "77" };
  const document = { type: "document", mimeType: "application/pdf", sha256: null, id: "78" };
  const place = { latitude: 52.5, longitude: 13.4, name: "Home" };
  const permission = { response: "accept", is_permanent: true };
  const cards = [{ name: { formatted_name: "B" } }];
  const fileName = "Rechnung März.pdf";
  const KINDS: [message: object, expected: object][] = [
    [
      { type: "button", button: { text: "Stop", payload: "p" } },
      { type: "button", text: "Stop", payload: "p" },
    ],
    [tapped("button_reply", { id: "b1", title: "Today" }), { type: "button", text: "Today", payload: "b1" }],
    [tapped("list_reply", { id: "r1", title: "9:00" }), { type: "list", text: "9:00", payload: "r1" }],
    [tapped("nfm_reply", { body: "Sent", response_json: "{}" }), { type: "flow", text: "Sent", payload: "{}" }],
    [
      { type: "image", image: file("77", "image/jpeg", { sha256: "abc=", caption: "Look" }) },
      { type: "image", text: "Look", media: picture },
    ],
    [
      { type: "location", location: place },
      { type: "location", location: { ...place, address: null } },
    ],
    [
      { type: "reaction", reaction: { message_id: "wamid.x", emoji: "👍" } },
      { type: "reaction", text: "👍" },
    ],
    [
      { type: "contacts", contacts: cards },
      { type: "contacts", payload: JSON.stringify(cards) },
    ],
    [
      { type: "document", document: file("78", "application/pdf", { filename: fileName }) },
      { media: { ...document, fileName } },
    ],
    [
      tapped("call_permission_reply", permission),
      { type: "call_permission_reply", text: "accept", payload: JSON.stringify(permission) },
    ],
    // Of a kind that is not known yet.
    [
      tapped("survey_reply", { body: "Good", stars: 5 }),
      { type: "survey_reply", text: "Good", payload: '{"body":"Good","stars":5}' },
    ],
    [
      { type: "hologram", hologram: { id: 5 } },
      { type: "hologram", payload: '{"id":5}', truncated: false },
    ],
    [
      { type: "text", text: { body: "x".repeat(70_000) } },
      { text: "x".repeat(65_536), truncated: true },
    ],
    [
      { type: "text", text: { body: "a\u0000b\ud800" } },
      { type: "text", text: "ab\ufffd" },
    ],
  ];
  test("of every kind has its text, payload or file", async () => {
    const { workspace, partner } = await connect();
    const phone = newPhone();
    for (const [message] of KINDS) await post(inboundWebhook(workspace, [{ from: phone, ...message }]));
    await expect.poll(() => partner.received.length, within).toBe(KINDS.length);
    const empty = { text: null, payload: null, media: null, location: null, replyTo: null };
    for (const [index, [message, expected]] of KINDS.entries()) {
      const event = partner.received[index]?.event;
      const name = JSON.stringify(message).slice(0, 100);
      expect(event?.data, name).toMatchObject({ ...empty, ...expected });
      expect(EVENTS.received.schema.safeParse(event).success, name).toBe(true);
      expect(event?.sequence, name).toBe(index + 1);
    }
  });

  test("waits for what the same person wrote before, and not for another person", async () => {
    const { workspace, partner } = await connect();
    const [slow, quick] = [newPhone(), newPhone()];
    let left = 1;
    partner.answerWith(({ event }, response) => {
      response.writeHead(event.data.text === "first" && left-- > 0 ? 500 : 200).end();
    });
    const wrote = (phone: string, body: string) => post(inboundWebhook(workspace, [{ from: phone, text: { body } }]));
    await wrote(slow, "first");
    await wrote(slow, "second");
    await wrote(quick, "other");
    await expect.poll(() => partner.received.filter(({ event }) => event.data.text === "other").length, within).toBe(1);
    const texts = () => partner.received.map(({ event }) => event.data.text);
    await expect.poll(() => texts().filter((text) => text === "second").length, within).toBe(1);
    expect(texts().filter((text) => text !== "other")).toEqual(["first", "first", "second"]);
  });

  test("reaches no endpoint that did not ask for it, no other workspace, and none from a group", async () => {
    const asked = await connect();
    const [silent, stranger] = [await connect(["message.sent"]), await connect()];
    const phone = newPhone();
    await post(inboundWebhook(silent.workspace, [{ from: phone, text: { body: "a" } }]));
    await post(inboundWebhook(asked.workspace, [{ from: phone, group_id: "g", text: { body: "b" } }]));
    await post(inboundWebhook(asked.workspace, [{ from: phone, text: { body: "c" } }]));
    await expect.poll(() => asked.partner.received.map(({ event }) => event.data.text), within).toEqual(["c"]);
    expect([await queued(silent.workspace), await queued(stranger.workspace)]).toEqual([[], []]);
  });

  test("is stored whole or not at all", async () => {
    const { workspace, partner } = await connect();
    const phone = newPhone();
    const body = inboundWebhook(workspace, [{ from: phone, text: { body: "Hello" } }]);
    const refuse = `alter table webhook_deliveries add constraint no_events check (workspace_id <> '${workspace.workspaceId}') not valid`;
    await sql.unsafe(refuse);
    const before = await snapshot(workspace);
    await postWebhook(body).finally(() => sql`alter table webhook_deliveries drop constraint no_events`);
    expect(changesBetween(before, await snapshot(workspace))).toEqual({});
    expect(await contactOf(workspace, phone)).toBeUndefined();
    await post(body);
    await expect.poll(() => partner.received.length, within).toBe(1);
  });

  test("is lost by no kill -9 and announced twice by no repetition", async () => {
    const { workspace } = await connect();
    // Nothing is delivered meanwhile, so that every event is still a row.
    await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
    const phone = newPhone();
    const bodies = Array.from({ length: 60 }, (_, index) =>
      inboundWebhook(workspace, [{ from: phone, text: { body: `n${index}` } }]),
    );
    let open = [...bodies];
    for (let round = 0; open.length > 0; round++) {
      const instance = await startInstance({}, "API");
      const all = Promise.all(
        open.map(async (body) => {
          const raw = JSON.stringify(body);
          const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(raw) };
          const url = `${instance.baseUrl}/api/webhooks/whatsapp`;
          const answer = await request("POST", url, { body: raw, headers }).catch(() => undefined);
          return answer?.status === 200 ? [] : [body];
        }),
      );
      if (round < 2) {
        await new Promise((resolve) => setTimeout(resolve, 10 + 25 * round));
        process.kill(instance.pid, "SIGKILL");
      }
      open = (await all).flat();
      await instance.stop();
    }
    // WhatsApp repeats what it had a 200 for, too.
    for (const body of bodies.slice(0, 10)) await post(body);
    const texts = (await queued(workspace)).map(({ snapshot }) => snapshot.text);
    expect([...texts].sort()).toEqual(bodies.map((_, index) => `n${index}`).sort());
    expect((await queued(workspace)).map(({ sequence }) => sequence)).toEqual(bodies.map((_, index) => index + 1));
  }, 180_000);
});

describe("a word on marketing messages", () => {
  test("from WhatsApp's settings is stored and announced, and the newest counts whatever comes last", async () => {
    const { workspace, partner } = await connect();
    const phone = newPhone();
    const stop = preference(workspace, "stop", { wa_id: phone, timestamp: now(-60) });
    await post(stop);
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: expect.any(String), source: "whatsapp" });
    await post(preference(workspace, "resume", { wa_id: phone, timestamp: Number(now(-30)) }));
    await post(stop);
    // A number as timestamp, an unknown word and another category change nothing.
    for (const value of ["pause", "constructor", "toString"])
      await post(preference(workspace, value, { wa_id: phone }));
    await post(preference(workspace, "stop", { wa_id: phone, category: "utility_messages" }));
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: null, source: null });
    await expect.poll(() => partner.received.length, within).toBe(2);
    const contactId = (await contactOf(workspace, phone))?.id;
    const data = { contactId, phoneNumberId: workspace.phoneNumberId, source: "whatsapp" };
    expect(partner.received.map(({ event }) => event)).toMatchObject([
      { type: "contact.opted_out", sequence: 1, data },
      { type: "contact.opted_in", sequence: 2, data },
    ]);
    for (const { event } of partner.received) expect(EVENTS.preference.schema.parse(event)).toEqual(event);
  });

  test("without a time is announced once, too", async () => {
    const { workspace } = await connect();
    const body = preference(workspace, "stop", { wa_id: newPhone(), timestamp: undefined });
    await post(body);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await post(body);
    expect(await queued(workspace)).toHaveLength(1);
  });

  test("is also a stop word of the workspace, as a whole message, in any case and with any mark", async () => {
    const { workspace, partner } = await connect();
    await sql`
        update workspaces set stop_words = '["stop","nein danke"]', start_words = '["start"]'
        where id = ${workspace.workspaceId}`;
    const phone = newPhone();
    const wrote = (more: object) => post(inboundWebhook(workspace, [{ from: phone, ...more }]));
    await wrote({ text: { body: "please stop calling me, I said stop" }, timestamp: now(-50) });
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: null });
    await wrote({ text: { body: "  „Nein Danke“! " }, timestamp: now(-40) });
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: expect.any(String), source: "word" });
    await wrote({ text: { body: "START" }, timestamp: now(-30) });
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: null });
    await wrote({ type: "button", button: { text: "Stop", payload: "unsubscribe" }, timestamp: now(-20) });
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: expect.any(String), source: "word" });
    await wrote({ type: "image", image: { id: "1", caption: "start" }, timestamp: now(-10) });
    expect(await contactOf(workspace, phone)).toMatchObject({ opted_out: expect.any(String) });
    await expect.poll(() => partner.received.length, within).toBe(8);
    const words = partner.received.filter(({ event }) => event.type !== "message.received");
    expect(words.map(({ event }) => [event.type, event.data.source])).toEqual([
      ["contact.opted_out", "word"],
      ["contact.opted_in", "word"],
      ["contact.opted_out", "word"],
    ]);
  });
});

describe("an answer that overtakes WhatsApp's response to the send", () => {
  /** A send whose response is under way, or was lost: as if the sandbox had not told its id yet. */
  const begin = async (phase: "DISPATCHING" | "UNKNOWN") => {
    const known = await connect();
    const { workspace } = known;
    const phone = "447700900001";
    const sent = await workspace.send({ type: "text", phone, content: "Coming?" }, { "Idempotency-Key": "order-1" });
    const { id, chatMessageId } = sent.body.data;
    const statuses = () => sql`select from status_events where workspace_id = ${workspace.workspaceId}`;
    await expect.poll(statuses, within).toHaveLength(1);
    await sql`
        update messages set phase = ${phase}, whatsapp_message_id = null, lease_expires_at = now() + interval '1 hour'
        where workspace_id = ${workspace.workspaceId}`;
    const wrote = (text: string, more: object = {}) =>
      post(inboundWebhook(workspace, [{ from: phone, text: { body: text }, ...more }]));
    return { ...known, id, wrote, wamid: chatMessageId ?? "" };
  };
  const eventsOf = ({ received }: Receiver) => received.map(({ event: { data } }) => [data.text, data.replyTo]);
  const replyTo = (messageId: string) => ({ messageId, idempotencyKey: "order-1" });

  test.each(["DISPATCHING", "UNKNOWN"] as const)(
    "has its replyTo once that is known, before what the person writes next (%s)",
    async (phase) => {
      const { workspace, partner, id, wamid, wrote } = await begin(phase);
      await wrote("Yes!", { context: { id: wamid } });
      await wrote("At six");
      await sql`update messages set phase = 'SENT', whatsapp_message_id = ${wamid} where id = ${id}`;
      await expect
        .poll(() => eventsOf(partner), within)
        .toEqual([
          ["Yes!", replyTo(id)],
          ["At six", null],
        ]);
      expect(JSON.stringify(await queued(workspace))).not.toContain("repliesTo");
    },
  );

  test.each([
    ["WhatsApp holds its response", undefined],
    ["the connection breaks, and a status has the id", "before"],
  ] as const)("has its replyTo where %s", async (_, hangUp) => {
    // A live line speaks to the stand-in; nothing is posted to its endpoint, which is no public address.
    const workspace = await provisionWorkspace();
    await addEndpoint(workspace, { url: "http://127.0.0.1:9/hook", mode: "live", events: ["message.received"] });
    const [phone, wamid] = [newPhone(), `wamid.H${randomInt(10 ** 12)}`];
    const json = { contacts: [{ input: phone, wa_id: phone }], messages: [{ id: wamid }] };
    const held = { json, delayMs: 2_500, ...(hangUp && { hangUp }) };
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [held]);
    let isAnswered = false;
    const sending = workspace
      .send({ type: "text", phone, content: "Coming?" }, { "Idempotency-Key": "order-1" })
      .finally(() => {
        isAnswered = true;
      });
    await expect.poll(() => sentBodies(workspace), within).toHaveLength(1);
    await post(inboundWebhook(workspace, [{ from: phone, text: { body: "Yes!" }, context: { id: wamid } }]));
    const [waiting] = await queued(workspace);
    expect(waiting?.snapshot).toMatchObject({ text: "Yes!", repliesTo: wamid, answeredId: null });
    expect(isAnswered).toBe(false);
    const { body } = await sending;
    const id: string = body.data?.id ?? body.details.messageId;
    const sent = { id: wamid, status: "sent", biz_opaque_callback_data: id };
    if (hangUp) await post(statusWebhook(workspace, [sent]));
    const snapshot = async () => (await queued(workspace))[0]?.snapshot;
    await expect.poll(snapshot, within).toMatchObject({ answeredId: id, answeredKey: "order-1" });
    expect(await snapshot()).not.toHaveProperty("repliesTo");
  });

  test("arrives without it where it stays unknown, and what the person writes next after it", async () => {
    const { partner, wamid, wrote } = await begin("DISPATCHING");
    await wrote("Yes!", { context: { id: wamid } });
    await wrote("At six");
    const both = ["Yes!", "At six"].map((text) => [text, null]);
    await expect.poll(() => eventsOf(partner), within).toEqual(both);
  });

  test("waits for no send that began after it", async () => {
    const { workspace, partner, wamid, wrote } = await begin("DISPATCHING");
    await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
    await wrote("Yes!", { context: { id: wamid } });
    expect((await queued(workspace))[0]?.snapshot).toMatchObject({ repliesTo: wamid });
    // It would wait for an hour.
    await sql`
        update webhook_deliveries set created_at = now() + interval '1 hour' where workspace_id = ${workspace.workspaceId}`;
    await sql`
        update messages set created_at = now() + interval '2 hours', sent_at = now() + interval '2 hours'
        where workspace_id = ${workspace.workspaceId}`;
    await sql`update webhook_endpoints set paused_at = null where workspace_id = ${workspace.workspaceId}`;
    await expect.poll(() => eventsOf(partner), within).toEqual([["Yes!", null]]);
  });
});

describe("a change of number", () => {
  test("is announced with the old and the new names, and the contactId of messages stays", async () => {
    const { workspace, partner } = await connect([...ALL, "message.sent"]);
    const [phone, next] = [newPhone(), newPhone()];
    const sent = await workspace.send({ type: "text", phone, content: "Hi" }, { "Idempotency-Key": "k" });
    const contactId = sent.headers.get("x-contact-id");
    expect(contactId).toMatch(/^ct_/);
    const system = { type: "user_changed_number", wa_id: next };
    await post(inboundWebhook(workspace, [{ from: phone, type: "system", system }]));
    await expect.poll(() => partner.received.length, within).toBe(2);
    const changed = partner.received.find(({ event }) => event.type === "contact.changed")?.event;
    expect(EVENTS.changed.schema.parse(changed)).toMatchObject({
      data: { contactId, phone: next, previousPhone: phone, userId: null, previousUserId: null, mergedContactId: null },
    });
    expect(partner.received.find(({ event }) => event.type === "message.sent")?.event.data.contactId).toBe(contactId);
    const toNext = await workspace.send({ type: "text", phone: next, content: "Hi" });
    const again = await workspace.send({ type: "text", phone, content: "Hi" }, { "Idempotency-Key": "k" });
    const status = await workspace.status(sent.body.data.id);
    for (const answer of [toNext, again, status]) expect(answer.headers.get("x-contact-id")).toBe(contactId);
    for (const answer of [sent, again, status]) expect(Object.keys(answer.body.data)).toHaveLength(9);
  });

  test("that makes two contacts one names both, and answers have the one that stays", async () => {
    const { workspace } = await connect();
    const [phone, next] = [newPhone(), newPhone()];
    const first = await workspace.send({ type: "text", phone, content: "Hi" });
    const second = await workspace.send({ type: "text", phone: next, content: "Hi" }, { "Idempotency-Key": "k2" });
    const [stays, goes] = [first.headers.get("x-contact-id"), second.headers.get("x-contact-id")];
    expect(stays).not.toBe(goes);
    const id = `GB.${randomInt(10 ** 12)}`;
    await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
    await post(inboundWebhook(workspace, [{ from: next, text: { body: "0" }, timestamp: now(-60) }]));
    await post(
      inboundWebhook(workspace, [{ from: phone, from_user_id: id, text: { body: "a" }, timestamp: now(-40) }]),
    );
    await post(inboundWebhook(workspace, [{ from: next, from_user_id: id, text: { body: "b" }, timestamp: now(-20) }]));
    const again = await workspace.send({ type: "text", phone: next, content: "Hi" }, { "Idempotency-Key": "k2" });
    const status = await workspace.status(second.body.data.id);
    expect([again, status].map(({ headers }) => headers.get("x-contact-id"))).toEqual([stays, stays]);
    const rows = await queued(workspace);
    expect(rows.map(({ type, subject_id, sequence }) => [type, subject_id, sequence])).toEqual([
      // What waits keeps its id and its number, so that a repeated attempt has the same body.
      ["message.received", goes, 1],
      ["message.received", stays, 1],
      ["contact.changed", stays, 2],
      ["message.received", stays, 3],
    ]);
    expect(rows[2]?.snapshot).toEqual({ mergedContactId: goes });
  });
});

describe("what is stored of it", () => {
  test("is emptied with the contents of messages, and the row still knows a repetition", async () => {
    const { workspace } = await connect();
    await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
    await sql`update workspaces set retention_days = 1 where id = ${workspace.workspaceId}`;
    const phone = newPhone();
    const body = inboundWebhook(
      workspace,
      [{ from: phone, text: { body: "My secret" }, context: { id: "wamid.secret" } }],
      [{ wa_id: phone, profile: { name: "Ada Secret" } }],
    );
    await post(body);
    await post(preference(workspace, "stop", { wa_id: phone }));
    await sweep();
    expect((await queued(workspace))[0]?.snapshot).toMatchObject({ text: "My secret", name: "Ada Secret" });
    const age = async (days: number) => {
      await sql`
          update webhook_deliveries set created_at = now() - make_interval(days => ${days}) where workspace_id = ${workspace.workspaceId}`;
      await sql`update workspaces set contents_purged_until = null where id = ${workspace.workspaceId}`;
    };
    await age(2);
    await sweep();
    const rows = await queued(workspace);
    expect(rows.map(({ type }) => type)).toEqual(["message.received", "contact.opted_out"]);
    expect(JSON.stringify(rows)).not.toMatch(/secret/i);
    expect(rows[0]?.snapshot).toMatchObject({ type: "text", id: expect.stringMatching(/^in_/) });
    await post(body);
    expect(await queued(workspace)).toHaveLength(2);
    await sql`update webhook_deliveries set state = 'DELIVERED' where workspace_id = ${workspace.workspaceId}`;
    await age(9);
    await sweep();
    expect(await queued(workspace)).toEqual([]);
  });

  test("is no response of an endpoint, which may repeat it", async () => {
    const { workspace, partner } = await connect();
    partner.answerWith(({ body }, response) => response.writeHead(200).end(`got ${body}`));
    const content = { from: newPhone(), text: { body: "My secret" } };
    await post(inboundWebhook(workspace, [content]));
    const attempts = () => sql<{ status_code: number; response: string | null }[]>`
      select status_code, response from webhook_attempts where workspace_id = ${workspace.workspaceId}`;
    await expect.poll(attempts, within).toEqual([{ status_code: 200, response: null }]);
  });

  test("goes with an erasure however much it is, waiting or delivered", async () => {
    const { workspace } = await connect();
    await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
    const phone = newPhone();
    await post(inboundWebhook(workspace, [{ from: phone, text: { body: "Mine" } }]));
    await sql.begin(async (run) => {
      // Without triggers: each would look at the rows that this statement has made.
      await run`set local session_replication_role = replica`;
      await run`
        insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state,
          next_attempt_at)
        select workspace_id, id || n, endpoint_id, type, subject_id, n, snapshot, occurred_at,
          (case when n <= 9000 then 'PENDING' else 'DELIVERED' end)::delivery_state, 'infinity'
        from webhook_deliveries, generate_series(1, 12000) n where workspace_id = ${workspace.workspaceId}`;
    });
    await erasePhone(provenWorkspaceId(workspace.workspaceId), phone, command("test"));
    expect(await queued(workspace)).toEqual([]);
  });

  test("goes with an erasure, and is not announced again", async () => {
    const { workspace } = await connect();
    await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
    const [phone, next] = [newPhone(), newPhone()];
    const bodies = [
      inboundWebhook(workspace, [{ from: phone, text: { body: "Mine" }, timestamp: now(-60) }]),
      preference(workspace, "stop", { wa_id: phone, timestamp: now(-50) }),
      inboundWebhook(workspace, [
        { from: phone, timestamp: now(-40), type: "system", system: { type: "user_changed_number", wa_id: next } },
      ]),
    ];
    for (const body of bodies) await post(body);
    expect(await queued(workspace)).toHaveLength(3);
    await erasePhone(provenWorkspaceId(workspace.workspaceId), next, command("test"));
    expect(await queued(workspace)).toEqual([]);
    for (const body of bodies) await post(body);
    expect(await queued(workspace)).toEqual([]);
  });
});

describe("property: whatever the order and repetition", () => {
  test("the same webhooks make the same events and the same person", async () => {
    const event = fc.record({
      kind: fc.constantFrom("text", "stop", "resume", "status", "moved"),
      at: fc.integer({ min: 60, max: 3_000 }),
      shows: fc.constantFrom("number", "both"),
    });
    const story = fc.array(event, { minLength: 2, maxLength: 7 }).chain((events) =>
      fc.record({
        events: fc.constant(events),
        order: fc.shuffledSubarray([...events.keys(), ...events.keys()], { minLength: 2 * events.length }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(story, async ({ events, order }) => {
        const [phone, next, id] = [newPhone(), newPhone(), `GB.${randomInt(10 ** 12)}`];
        const base = Math.floor(Date.now() / 1_000);
        const tell = async (places: readonly number[]) => {
          const { workspace } = await connect();
          const line = workspace.whatsappPhoneNumberId;
          await sql`update webhook_endpoints set paused_at = now() where workspace_id = ${workspace.workspaceId}`;
          const sent = await workspace.send({ type: "text", phone, content: "Hi" });
          const bodies = events.map(({ kind, at, shows }, index) => {
            const timestamp = `${base - at}`;
            const named = { from: phone, ...(shows === "both" ? { from_user_id: id } : {}) };
            if (kind === "stop" || kind === "resume")
              return preference(workspace, kind, { wa_id: phone, user_id: id, timestamp });
            if (kind === "status")
              return statusWebhook(workspace, [
                { id: sent.body.data.chatMessageId ?? "", status: "read", timestamp, recipient_id: phone },
              ]);
            if (kind === "moved")
              return inboundWebhook(workspace, [
                {
                  from: phone,
                  timestamp: `${base - 10}`,
                  type: "system",
                  system: { type: "user_changed_number", wa_id: next, user_id: `${id}2`, previous_user_id: id },
                },
              ]);
            return inboundWebhook(workspace, [
              { ...named, id: `wamid.${line}.${index}`, timestamp, text: { body: `t${index}` } },
            ]);
          });
          for (const place of places) await post(bodies[place]);
          const rows = await queued(workspace);
          const { id: contactId, ...person } =
            (await contactOf(workspace, events.some(({ kind }) => kind === "moved") ? next : phone)) ?? {};
          expect(new Set(rows.map(({ subject_id }) => subject_id)).size).toBeLessThanOrEqual(1);
          if (rows[0]) expect(rows[0].subject_id).toBe(contactId);
          const said = rows.map(({ type, snapshot: { id: _, phoneNumberId: __, whatsappMessageId: ___, ...rest } }) =>
            JSON.stringify([type, Object.entries(rest).sort()]),
          );
          return { person, said: said.sort() };
        };
        expect(await tell(order)).toEqual(await tell([...events.keys()]));
      }),
      { numRuns: 12 },
    );
  }, 240_000);
});

describe("the sandbox", () => {
  test.each([
    ["447700900300", "message.received", { type: "text", text: "Thank you!" }],
    ["447700900301", "message.received", { type: "button", text: "Today", payload: "today" }],
    ["447700900302", "contact.opted_out", { source: "whatsapp" }],
    ["447700900303", "contact.opted_in", { source: "whatsapp" }],
  ])("has a number that reacts: %s %s", async (phone, type, data) => {
    const { workspace, partner } = await connect();
    const content = JSON.stringify({
      type: "button",
      body: "When?",
      buttons: [{ id: "today", title: "Today" }],
    });
    const sent = await workspace.send({ type: "interactive", phone, content });
    await expect.poll(() => partner.received.length, within).toBe(1);
    expect(partner.received[0]?.event).toMatchObject({ type, data });
    if (type === "message.received")
      expect(partner.received[0]?.event.data.replyTo).toMatchObject({ messageId: sent.body.data.id });
  });
});
