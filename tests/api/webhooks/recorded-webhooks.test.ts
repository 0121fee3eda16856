import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { EventType } from "@/lib/outgoing/events/event-types";
import { readWebhook } from "@/lib/whatsapp/webhook-events";
import { addEndpoint } from "../../support/receiver";
import { changesBetween, snapshot, sql } from "../../support/rows";
import { expectSent, TEXT } from "../../support/sends";
import { bodyOf, templateRecord } from "../../support/template-records";
import { FLOW_CONTENT } from "../../support/webhooks";
import { deliver, postWebhook, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../../support/workspace";

const FIXTURES = path.resolve(process.cwd(), "..", "shared", "fixtures", "webhooks");
const hasFixtures = existsSync(FIXTURES);
type Recorded = { entry: { id: string; changes: { value: Record<string, unknown> }[] }[] };
const recorded = (file: string): [name: string, body: Recorded][] =>
  hasFixtures ? Object.entries(JSON.parse(readFileSync(path.join(FIXTURES, `${file}.json`), "utf8"))) : [];

const CONTACT = { phone: "972987654321", userId: "US.13491208655302741918" };
const changeOf = (body: Recorded): Record<string, unknown> => body.entry[0]?.changes[0]?.value ?? {};
/** The lines and business accounts that the recordings speak of. */
const LINES = {
  main: { number: "1122334455667", account: "102290129340398" },
  other: { number: "106540352242922", account: "980198427658004" },
  bare: { number: "<BUSINESS_PHONE_NUMBER_ID>", account: "1191624265890717" },
  last: { number: "5483758353", account: "184943124712545" },
};

/** A workspace that has all that the recordings name, with one message sent through `ref`. */
const connect = async (ref: keyof typeof LINES = "main", whatsappMessageId = "wamid.xyzxyz") => {
  const workspace = await provisionWorkspace({
    lines: Object.keys(LINES).map((line) => ({ ref: line })),
    templates: [
      templateRecord("order_confirmation", [bodyOf("Hi")], { id: "1689556908129832", status: "PENDING" }),
      templateRecord("abandoned_cart", [bodyOf("Hi")], { id: "1689556908129835", language: "en", category: "UTILITY" }),
      templateRecord("welcome_template", [bodyOf("Hi")], { id: "806312974732579" }),
      templateRecord("my_message_template", [bodyOf("Old {{1}}")], { id: "12345678", language: "he" }),
    ],
  });
  for (const [line, { number, account }] of Object.entries(LINES)) {
    await sql`
        update phone_numbers set whatsapp_phone_number_id = ${number}, whatsapp_business_account_id = ${account}
        where workspace_id = ${workspace.workspaceId} and id = ${workspace.lines[line]?.id ?? ""}`;
  }
  await sql`
      update templates set whatsapp_business_account_id =
        case name when 'my_message_template' then '57438975935' else '102290129340398' end
      where workspace_id = ${workspace.workspaceId}`;
  const { number } = LINES[ref];
  await scriptPlatform(number, "messages", [{ json: { messages: [{ id: whatsappMessageId }] } }]);
  // A bare name is no path, so that line's message is sent through the main one and moved.
  const through = ref === "bare" ? "main" : ref;
  if (ref === "bare")
    await scriptPlatform(LINES.main.number, "messages", [{ json: { messages: [{ id: whatsappMessageId }] } }]);
  const sent = await workspace.send({ ...TEXT, phone: "15550001111", phoneNumberId: workspace.lines[through]?.id });
  expect(sent.status, sent.text).toBe(201);
  if (ref === "bare") {
    await sql`
        update messages set phone_number_id = ${workspace.lines.bare?.id ?? ""} where workspace_id = ${workspace.workspaceId}`;
  }
  return workspace;
};

/** As old as the recordings, and kept: nothing happens to a message before it was created. */
const backdate = async ({ workspaceId }: TestWorkspace) => {
  await sql`update workspaces set retention_days = 36500 where id = ${workspaceId}`;
  await sql`update messages set created_at = '2023-01-01', sent_at = '2026-01-01' where workspace_id = ${workspaceId}`;
};

const changesOf = async (workspace: TestWorkspace, body: unknown): Promise<Record<string, unknown>> => {
  const before = await snapshot(workspace);
  await deliver(body);
  const changes = changesBetween(before, await snapshot(workspace));
  // The second delivery of the same body changes nothing.
  const once = await snapshot(workspace);
  await deliver(body);
  expect(changesBetween(once, await snapshot(workspace))).toEqual({});
  return changes;
};

/** What a trigger keeps, too: when, and the category before. */
const RECATEGORIZED = {
  "templates.category": "MARKETING",
  "templates.previous_category": "UTILITY",
  "templates.recategorized_at": expect.any(String),
};

/** By file, why a recording has no effect; all others have one. */
const NOT_NEW = "unusedMessage, messages: a message that is not new, or of an unknown line";
const unusedField = (field: string) => `unusedField, ${field}: a field that nothing here uses`;
const WITHOUT_EFFECT: Record<string, Record<string, string>> = {
  "call_status.json": { call_status: unusedField("calls") },
  "deleted_message.json": { revoke: NOT_NEW },
  "edited_message.json": { image: NOT_NEW },
  "outgoing_message.json": {
    text: unusedField("smb_message_echoes"),
    delete: unusedField("smb_message_echoes"),
    edit: unusedField("smb_message_echoes"),
  },
  "system.json": { identity_change: NOT_NEW },
};

/** By file, the events about people that endpoints receive; `message.received` where a person wrote. */
const EVENTS_OF: Record<string, string> = {
  "callback_button.json": "message.received",
  "callback_selection.json": "message.received",
  "flow_completion.json": "message.received",
  "message.json": "message.received",
  "user_marketing_preferences.json": "contact.opted_in",
};

/** With an id of its own, or a time: the recordings of a file share one, and a repeated message is announced once. */
const asItsOwn = (body: Recorded, place: number): Recorded => {
  const copy = structuredClone(body);
  const { messages = [], user_preferences: words = [] } = changeOf(copy) as Record<string, Record<string, unknown>[]>;
  for (const message of messages) message.id = `${message.id}${place}`;
  for (const word of words) word.timestamp = Number(word.timestamp) + place;
  return copy;
};

/** Every recording of a file under its name. */
const everyOf = (file: string, event: string | undefined): Record<string, string> =>
  event === undefined ? {} : Object.fromEntries(recorded(file.replace(/\.json$/, "")).map(([name]) => [name, event]));

const at = (seconds: number) => expect.toSatisfy((text) => Date.parse(String(text)) === seconds * 1_000);

describe.skipIf(!hasFixtures)("recorded webhooks (skipped where ../shared/fixtures is absent)", () => {
  test.each(recorded("message_status"))("status %s", async (name, body) => {
    const isGroup = name === "group";
    const workspace = await connect(isGroup ? "bare" : "main", isGroup ? "<WHATSAPP_MESSAGE_ID>" : "wamid.xyzxyz");
    await backdate(workspace);
    const [SENT, LATER] = [1_698_266_945, 1_689_380_458];
    const read = (seconds: number) => ({
      "messages.status": "READ",
      "messages.sent_at": at(seconds),
      "messages.delivered_at": at(seconds),
      "messages.read_at": at(seconds),
    });
    const pricedAt = (seconds: number) => ({
      "messages.pricing_billable": true,
      "messages.pricing_category": "service",
      "messages.pricing_model": "CBP",
      "messages.priced_at": at(seconds),
      "messages.recipient_country": "US",
    });
    const expected: Record<string, object> = {
      sent: { "messages.sent_at": at(SENT), ...pricedAt(SENT) },
      with_tracker: { "messages.sent_at": at(SENT), ...pricedAt(SENT) },
      delivered: {
        "messages.status": "DELIVERED",
        "messages.sent_at": at(SENT),
        "messages.delivered_at": at(SENT),
        ...pricedAt(SENT),
      },
      read: { ...read(LATER), ...pricedAt(LATER) },
      played: { ...read(LATER), ...pricedAt(LATER) },
      group: read(SENT),
      failed: {
        "messages.status": "FAILED",
        "messages.sent_at": at(LATER),
        "messages.failed_at": at(LATER),
        "messages.failure_code": 130_472,
        "messages.failure_reason":
          "130472: Failed to send message because this user's phone number is part of an experiment",
      },
    };
    expect(await changesOf(workspace, body)).toEqual(expected[name]);
  });

  /** By which a repetition is known. */
  const ONE_EVENT = [expect.stringMatching(/^[0-9a-f]{12}$/)];

  // One of each file: tests/unit/webhook-events.test.ts reads all of them, and finds nothing else in one.
  test.each(
    ["message", "callback_button", "callback_selection", "flow_completion"].flatMap((file) =>
      recorded(file).slice(0, 1),
    ),
  )("inbound message %s makes its contact, and opens 24 hours", async (_, body) => {
    // Those that answer a message must not meet one of ours, whose recipient they would be from.
    const workspace = await connect("main", "wamid.unrelated");
    const [message] = changeOf(body).messages as { timestamp: string }[];
    expect(await changesOf(workspace, body)).toEqual({
      "contacts.workspace_id": workspace.workspaceId,
      "contacts.id": expect.stringMatching(/^ct_/),
      "contacts.phone": CONTACT.phone,
      "contacts.name": "Test Name",
      "contacts.whatsapp_user_id": CONTACT.userId,
      "contacts.last_inbound_at": at(Number(message?.timestamp)),
      "contacts.created_at": expect.any(String),
      "contacts.recent_events": ONE_EVENT,
    });
  });

  test.each(recorded("flow_completion"))("flow %s closes the contact's session", async (_, body) => {
    const workspace = await connect();
    const flow = { type: "interactive", phone: CONTACT.phone, content: FLOW_CONTENT };
    expectSent(await workspace.send({ ...flow, phoneNumberId: workspace.lines.main?.id }));
    expect(await changesOf(workspace, body)).toMatchObject({
      "flow_sessions.closed_at": expect.any(String),
      "flow_sessions.closed_by": "reply",
      "contacts.last_inbound_at": at(1_702_502_473),
    });
  });

  test.each(recorded("system"))("system message %s", async (name, body) => {
    const workspace = await connect();
    await sql`insert into contacts (workspace_id, id, phone) values (${workspace.workspaceId}, 'ct_old', ${CONTACT.phone})`;
    expect(await changesOf(workspace, body)).toEqual(
      name === "phone_number_change" ? { "contacts.phone": "972912345678", "contacts.recent_events": ONE_EVENT } : {},
    );
  });

  test.each<[string, string, object]>([
    ["template_status_update", "approved", { "templates.status": "APPROVED" }],
    [
      ...(["template_status_update", "rejected"] as const),
      { "templates.status": "REJECTED", ...RECATEGORIZED, "templates.rejected_reason": "INVALID_FORMAT" },
    ],
    ["template_quality_update", "yellow", { "templates.quality_score": "YELLOW" }],
    ["template_category_update", "marketing", RECATEGORIZED],
    [
      ...(["template_components_update", "element"] as const),
      { "templates.components": [{ type: "BODY", text: "Hi {{1}}! Welcome to our service." }] },
    ],
  ])("%s: %s", async (file, name, expected) => {
    const changes = await changesOf(await connect(), new Map(recorded(file)).get(name));
    const isTime = ([column]: [string, unknown]) => column.endsWith("_changed_at");
    const parts = Object.entries(changes).filter((change) => !isTime(change));
    expect(Object.fromEntries(parts)).toEqual(expected);
    // Each part that an event speaks of has that event's time.
    const times = Object.entries(changes).filter(isTime);
    expect(times.length).toBeGreaterThan(0);
    expect("templates.status_changed_at" in changes).toBe(file === "template_status_update");
  });

  test("each account event reaches the lines of its account", async () => {
    const workspace = await connect();
    for (const [name, body] of recorded("account_update")) await expectNotice(workspace, name, body);
  });

  const expectNotice = async (workspace: TestWorkspace, name: string, body: Recorded) => {
    await sql`delete from account_notices where workspace_id = ${workspace.workspaceId}`;
    const { event, waba_info } = changeOf(body) as { event: string; waba_info?: { waba_id: string } };
    const kinds: Record<string, [kind: string, detail: object]> = {
      account_restriction: [
        "restriction",
        {
          restrictions: ["RESTRICTED_BIZ_INITIATED_MESSAGING", "RESTRICTED_ADD_PHONE_NUMBER_ACTION"].map((type) => ({
            type,
            until: "2022-01-04T21:08:18.000Z",
            remediation: null,
          })),
        },
      ],
      account_violation: ["violation", { reason: "ADULT" }],
      account_disabled: ["ban", { state: "REINSTATE", date: "April 17, 2025" }],
      account_deleted: ["deletion", { reason: null }],
      partner_added: ["partner", { reason: null }],
      partner_removed: ["partner", { reason: null }],
      partner_removed_wa_app_disconnection: ["partner", { reason: "PRIMARY_INACTIVITY" }],
      partner_app_installed: ["app", { reason: null }],
      partner_app_uninstalled: ["app", { reason: null }],
      account_offboarded: ["connection", { reason: null }],
      account_reconnected: ["connection", { reason: null }],
    };
    const [kind, detail] = kinds[name] ?? [event, { reason: null }];
    const isOurs = Object.values(LINES).some(({ account }) => account === (waba_info?.waba_id ?? body.entry[0]?.id));
    expect(await changesOf(workspace, body), name).toEqual(
      isOurs
        ? {
            "account_notices.workspace_id": workspace.workspaceId,
            "account_notices.kind": kind,
            "account_notices.whatsapp_business_account_id": waba_info?.waba_id ?? body.entry[0]?.id,
            "account_notices.number": "",
            "account_notices.event": event,
            "account_notices.detail": JSON.stringify(detail),
            "account_notices.occurred_at": expect.any(String),
            "account_notices.is_alarm": expect.any(Boolean),
          }
        : {},
    );
  };

  test.each(recorded("user_marketing_preferences"))("preference %s is the contact's", async (_, body) => {
    expect(await changesOf(await connect(), body)).toMatchObject({
      "contacts.phone": "16505551234",
      "contacts.marketing_preference_at": at(1_731_705_721),
    });
  });

  test("what nothing here uses changes nothing", async () => {
    const workspace = await connect();
    const files = ["call_status", "deleted_message", "edited_message", "outgoing_message"];
    for (const [name, body] of files.flatMap(recorded)) expect(await changesOf(workspace, body), name).toEqual({});
  });

  const FILES = hasFixtures ? readdirSync(FIXTURES).filter((file) => file.endsWith(".json")) : [];

  test.each(FILES)("each of %s has an effect, or a kind and a reason why not", async (file) => {
    const workspace = await connect();
    const types: EventType[] = ["message.received", "contact.opted_out", "contact.opted_in", "contact.changed"];
    await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live", events: types });
    const announced = async () =>
      (
        await sql<{ type: string }[]>`
            select type from webhook_deliveries where workspace_id = ${workspace.workspaceId} order by position`
      ).map(({ type }) => type);
    const outcomes: Record<string, string> = {};
    const told: Record<string, string> = {};
    for (const [place, [name, recording]] of recorded(file.replace(/\.json$/, "")).entries()) {
      const body = asItsOwn(recording, place);
      const toldBefore = (await announced()).length;
      expect((await postWebhook(body)).status, name).toBe(200);
      const { unhandled, ...read } = readWebhook(Buffer.from(JSON.stringify(body)), new Date());
      const effects = Object.entries(read).flatMap(([kind, list]) => (list.length > 0 ? [kind] : []));
      const reasons = unhandled.map(({ kind, field, reason }) => `${kind}, ${field}: ${reason}`);
      expect([...effects, ...reasons], name).not.toEqual([]);
      if (reasons.length > 0) outcomes[name] = reasons.join("; ");
      const events = (await announced()).slice(toldBefore);
      if (events.length > 0) told[name] = events.join();
    }
    expect(outcomes).toEqual(WITHOUT_EFFECT[file] ?? {});
    const isChange = file === "system.json";
    const expected = isChange ? { phone_number_change: "contact.changed" } : everyOf(file, EVENTS_OF[file]);
    expect(told).toEqual(expected);
  });

  test("no recording was forgotten", () => {
    expect(readdirSync(FIXTURES).filter((file) => file.endsWith(".json"))).toHaveLength(16);
  });
});
