import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWebhook, type WebhookContents } from "@/lib/whatsapp/webhook-events";

const RECEIVED_AT = new Date("2026-10-10T12:00:00Z");
const NOTHING: WebhookContents = {
  statuses: [],
  inbound: [],
  templates: [],
  phoneNumbers: [],
  accounts: [],
  unhandled: [],
};

const readText = (text: string) => readWebhook(new TextEncoder().encode(text), RECEIVED_AT);
const readValue = (field: string, value: unknown, entry: object = {}) =>
  readText(
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: "102200001", ...entry, changes: [{ field, value }] }],
    }),
  );
const METADATA = { display_phone_number: "442079460123", phone_number_id: "106500001" };
/** Whose a part is that had no effect. */
const ABOUT = { field: "messages", whatsappBusinessAccountId: "102200001", whatsappPhoneNumberId: "106500001" };
const readStatuses = (...statuses: unknown[]) => readValue("messages", { metadata: METADATA, statuses });
const readMessages = (messages: unknown[], contacts?: unknown) =>
  readValue("messages", { metadata: METADATA, contacts, messages });

const STATUS = { id: "wamid.1", status: "delivered", timestamp: "1760000123", biz_opaque_callback_data: "msg_1" };
const MESSAGE = { from: "447700900123", id: "wamid.2", timestamp: "1760000123", type: "text", text: { body: "Hi" } };

const PRICE = { billable: true, pricing_model: "PMP", type: "regular" };

describe("a status", () => {
  test("is read with our own message id and WhatsApp's time", () => {
    expect(readStatuses(STATUS)).toEqual({
      ...NOTHING,
      statuses: [
        {
          whatsappPhoneNumberId: "106500001",
          whatsappMessageId: "wamid.1",
          messageId: "msg_1",
          status: "delivered",
          occurredAt: new Date(1760000123_000),
          failure: null,
          recipient: { waId: null, userId: null },
          pricing: null,
          raw: JSON.stringify(STATUS),
          digest: createHash("sha256").update(JSON.stringify(STATUS)).update("106500001").digest(),
        },
      ],
    });
  });

  test("names its recipient as WhatsApp knows them, unless that is a group", () => {
    const recipient = { recipient_id: "551187654321", recipient_user_id: "BR.1" };
    const read = (more: object) => readStatuses({ ...STATUS, ...recipient, ...more }).statuses[0]?.recipient;
    expect(read({})).toEqual({ waId: "551187654321", userId: "BR.1" });
    expect(read({ recipient_id: "x" })).toEqual({ waId: null, userId: "BR.1" });
    expect(read({ recipient_type: "group" })).toEqual({ waId: null, userId: null });
    expect(read({ recipient_participant_id: "1" })).toEqual({ waId: null, userId: null });
  });

  const utility = { category: "utility" };
  const free = { type: "free_entry_point", category: "service" };
  const dawn = { billable: true, type: "at_dawn" };
  const told = (billable: boolean, type: string | null, category: string, model: string | null) => ({
    billable,
    type,
    category,
    model,
  });
  test.each<[string, unknown, unknown]>([
    ["per message", { ...PRICE, ...utility }, told(true, "regular", "utility", "PMP")],
    [
      "of conversations, as before 2025",
      { billable: false, pricing_model: "CBP", category: "x_y" },
      told(false, null, "x_y", "CBP"),
    ],
    ["without `billable`, which follows from the type", free, told(false, "free_entry_point", "service", null)],
    [
      "in words that are new to us",
      { ...dawn, pricing_model: "PMQ", category: "Marketing-XL" },
      told(true, "at_dawn", "marketing_xl", "PMQ"),
    ],
    ["of a new type without `billable`", { type: "at_dawn", ...utility }, null],
    ["without a category", PRICE, null],
    ["of a category without end", { billable: true, category: "x".repeat(201) }, null],
    ["of a list", [{ billable: true, ...utility }], null],
    ["of a word", "free", null],
    ["of null", null, null],
  ])("has WhatsApp's price: %s", (_, pricing, expected) => {
    expect(readStatuses({ ...STATUS, pricing }).statuses[0]?.pricing).toEqual(expected);
  });

  test("has the same digest each time it is delivered, and another on another line or with another word", () => {
    const digestsOf = ({ statuses }: WebhookContents) =>
      statuses.map(({ digest }) => Buffer.from(digest).toString("hex"));
    const [first = "", again, read] = digestsOf(readStatuses(STATUS, STATUS, { ...STATUS, status: "read" }));
    const [elsewhere] = digestsOf(
      readValue("messages", { metadata: { phone_number_id: "106500002" }, statuses: [STATUS] }),
    );
    expect(again).toBe(first);
    expect(new Set([first, read, elsewhere]).size).toBe(3);
  });

  test("keeps WhatsApp's own object with every field in its order, unless it is longer than 65,536 characters", () => {
    const text = '{"zeta":[1,{"b":null,"a":"\\u0000 \\ud800"}],"status":"read","id":"wamid.1","10":true}';
    const [kept] = readStatuses(JSON.parse(text)).statuses;
    expect(JSON.parse(kept?.raw ?? "")).toEqual(JSON.parse(text));
    expect(kept?.raw).toBe(JSON.stringify(JSON.parse(text)));
    expect(kept?.raw).not.toContain("\0");
    const padded = (length: number) => {
      const bare = { ...STATUS, extra: "" };
      return { ...bare, extra: "x".repeat(length - JSON.stringify(bare).length) };
    };
    expect(readStatuses(padded(65_536)).statuses[0]?.raw).toHaveLength(65_536);
    expect(readStatuses(padded(65_537)).statuses[0]).toMatchObject({ whatsappMessageId: "wamid.1", raw: null });
  });

  test.each([["played"], ["PLAYED"], ["a_new_word"]])("keeps the word %s, in lower case", (status) => {
    expect(readStatuses({ ...STATUS, status }).statuses[0]?.status).toBe(status.toLowerCase());
  });

  const TOO_LATE = String(RECEIVED_AT.getTime() / 1_000 + 24 * 60 * 60 + 1);
  const TIMES = ["soon", "", null, undefined, {}, 0, "-1", "946684799", TOO_LATE, "1760000123000", 1e300];
  test.each(TIMES.map((one) => [one]))("with the timestamp %j counts as of its receipt", (timestamp) => {
    expect(readStatuses({ ...STATUS, timestamp }).statuses[0]?.occurredAt).toEqual(RECEIVED_AT);
  });

  test("takes a time as a number, from 2000 to a day ahead", () => {
    const dayAhead = RECEIVED_AT.getTime() / 1_000 + 24 * 60 * 60;
    for (const timestamp of [946684800, dayAhead]) {
      expect(readStatuses({ ...STATUS, timestamp }).statuses[0]?.occurredAt).toEqual(new Date(timestamp * 1_000));
    }
  });

  test.each([[undefined], [7], [{}], [""], ["x".repeat(65)], ["msg_\0"]])("takes no message id from %j", (opaque) => {
    expect(readStatuses({ ...STATUS, biz_opaque_callback_data: opaque }).statuses[0]?.messageId).toBeNull();
  });

  test("needs no recipient, and shows a failure by its details", () => {
    const details = "More than 24 hours\0\nhave passed";
    const errors = [{ code: 131047, title: "Re-engagement message", error_data: { details } }];
    const { failure } = readStatuses({ ...STATUS, status: "failed", errors }).statuses[0] ?? {};
    expect(failure).toEqual({ code: 131047, reason: "131047: More than 24 hours have passed" });
  });

  test.each([
    [undefined, "WhatsApp gave no reason."],
    [[], "WhatsApp gave no reason."],
    [[{ title: "Undeliverable" }], "Undeliverable"],
    [["Undeliverable"], "Undeliverable"],
    [{ message: "Undeliverable" }, "Undeliverable"],
    [[{ message: "(#131026) Undeliverable", error_data: "Not on WhatsApp" }], "Undeliverable: Not on WhatsApp"],
    [[7], "WhatsApp gave no reason."],
    [[{ code: 99_999_999_999, title: "Too large a code" }], "Too large a code"],
  ])("that failed with the errors %j has a reason and no code", (errors, reason) => {
    expect(readStatuses({ ...STATUS, status: "failed", errors }).statuses[0]?.failure).toEqual({ code: null, reason });
  });

  test("of a payment does not count as the message's", () => {
    const payment = { ...STATUS, type: "payment", status: "failed" };
    expect(readStatuses(payment)).toEqual({
      ...NOTHING,
      unhandled: [{ kind: "unusedStatus", reason: "a status of no message", ...ABOUT }],
    });
  });

  test("that is broken does not block the others", () => {
    const long = { ...STATUS, id: "x".repeat(513) };
    const contents = readStatuses(null, { ...STATUS, id: 7.5 }, long, { id: "wamid.1" }, STATUS);
    expect(contents.statuses).toHaveLength(1);
    expect(contents.unhandled).toHaveLength(4);
  });

  test("of a call field is none of a message", () => {
    expect(readValue("calls", { metadata: METADATA, statuses: [STATUS] })).toMatchObject({
      statuses: [],
      unhandled: [{ ...ABOUT, kind: "unusedField", field: "calls" }],
    });
  });
});

const NO_CONTENT = { payload: null, isTruncated: false, media: null, location: null, context: null, referral: null };

describe("an inbound message", () => {
  const inbound = {
    whatsappPhoneNumberId: "106500001",
    from: "447700900123",
    whatsappUserId: null,
    otherNumbers: [],
    name: null,
    username: null,
    occurredAt: new Date(1760000123_000),
    opensWindow: true,
    isFlowReply: false,
    repliesTo: null,
    message: {
      whatsappMessageId: "wamid.2",
      content: { ...NO_CONTENT, type: "text", text: "Hi" },
    },
  };

  test("that is dated ahead of our clock counts as of its receipt", () => {
    const timestamp = `${RECEIVED_AT.getTime() / 1_000 + 1}`;
    expect(readMessages([{ ...MESSAGE, timestamp }]).inbound[0]?.occurredAt).toEqual(RECEIVED_AT);
  });

  test("is read without any contact beside it", () => {
    expect(readMessages([MESSAGE])).toEqual({ ...NOTHING, inbound: [inbound] });
  });

  test("takes name and user id of its own sender only", () => {
    const contacts = [
      { wa_id: "447700900999", user_id: "GB.9", profile: { name: "Kim" } },
      { wa_id: "447700900123", user_id: "GB.1", profile: { name: "Ada\0 L\ud800" } },
    ];
    expect(readMessages([MESSAGE], contacts).inbound).toEqual([
      { ...inbound, whatsappUserId: "GB.1", name: "Ada L\ufffd" },
    ]);
    expect(readMessages([MESSAGE], contacts.slice(0, 1)).inbound).toEqual([inbound]);
  });

  test("names another number that the webhook has for the same user id", () => {
    const contacts = [{ wa_id: "4477009001230", user_id: "GB.1", profile: { name: "Ada" } }];
    expect(readMessages([{ ...MESSAGE, from_user_id: "GB.1" }], contacts).inbound).toEqual([
      { ...inbound, whatsappUserId: "GB.1", otherNumbers: ["4477009001230"], name: "Ada" },
    ]);
  });

  test("in a group does not name who was answered, and opens no window", () => {
    const answer = { ...MESSAGE, context: { id: "wamid.1" } };
    expect(readMessages([answer]).inbound).toMatchObject([{ repliesTo: "wamid.1", opensWindow: true }]);
    expect(readMessages([{ ...answer, group_id: "G1" }]).inbound).toEqual([
      { ...inbound, opensWindow: false, message: null },
    ]);
  });

  test("of someone without a number is known by the user id", () => {
    const message = { ...MESSAGE, from: undefined, from_user_id: "GB.1" };
    expect(readMessages([message], [{ user_id: "GB.1", profile: { name: "Ada" } }]).inbound).toEqual([
      { ...inbound, from: null, whatsappUserId: "GB.1", name: "Ada" },
    ]);
  });

  test("that completes a flow says so", () => {
    const reply = { ...MESSAGE, type: "interactive", interactive: { type: "nfm_reply", nfm_reply: {} } };
    const tap = { ...MESSAGE, type: "interactive", interactive: { type: "button_reply" } };
    expect(readMessages([reply, tap]).inbound.map(({ isFlowReply }) => isFlowReply)).toEqual([true, false]);
  });

  test("with a number that was asked for names it; any other contact card is of anyone", () => {
    const card = (origin?: string) => ({
      ...MESSAGE,
      from: undefined,
      from_user_id: "GB.1",
      type: "contacts",
      contacts: [{ origin, phones: [{ phone: "+44 7700 900123", wa_id: "447700900123" }, "x", { wa_id: null }] }],
    });
    const numbers = (message: object) => readMessages([message]).inbound.map(({ otherNumbers }) => otherNumbers);
    expect(numbers(card("contact_request"))).toEqual([["447700900123"]]);
    expect(numbers(card())).toEqual([[]]);
    expect(numbers({ ...card("contact_request"), contacts: "x" })).toEqual([[]]);
  });

  const change = { ...inbound, opensWindow: false, message: null, noticeDigest: expect.any(String) };
  const [OLD, NEW] = ["447700900123", "447700900555"];
  const [OLD_ID, NEW_ID] = ["GB.1Old", "GB.2New"];
  const NOBODY = { from: undefined };
  const ofNumber = (more: object) => ({ type: "user_changed_number", ...more });
  const ofId = (more: object) => ({ type: "user_changed_user_id", user_id: NEW_ID, ...more });
  const ids = { user_id: NEW_ID, previous_user_id: OLD_ID };
  type Names = [number: string | null, userId: string | null];
  test.each<[string, object, object, is: Names, was: Names]>([
    ["a number", {}, ofNumber({ wa_id: NEW }), [NEW, null], [OLD, null]],
    ["a number, in its older spelling", {}, ofNumber({ new_wa_id: NEW }), [NEW, null], [OLD, null]],
    [
      "a number, in words only",
      NOBODY,
      ofNumber({ body: `A changed from ${OLD} to ${NEW}` }),
      [NEW, null],
      [OLD, null],
    ],
    ["a number and its ids", {}, ofNumber({ wa_id: NEW, ...ids }), [NEW, NEW_ID], [OLD, OLD_ID]],
    [
      "a number, with the old id as the sender's",
      { from_user_id: OLD_ID },
      ofNumber({ wa_id: NEW, user_id: NEW_ID }),
      [NEW, NEW_ID],
      [OLD, OLD_ID],
    ],
    ["an id", NOBODY, ofId(ids), [null, NEW_ID], [null, OLD_ID]],
    [
      "an id, whose sender is the new one",
      { ...NOBODY, from_user_id: NEW_ID },
      ofId({ body: `A changed from ${OLD_ID} to ${NEW_ID}.` }),
      [null, NEW_ID],
      [null, OLD_ID],
    ],
    [
      "an id, of a number that is the new one",
      { from: NEW, from_user_id: OLD_ID },
      ofId({ wa_id: NEW }),
      [NEW, NEW_ID],
      [null, OLD_ID],
    ],
  ])("of a change of %s names the old and the new", (_, sender, system, [from, whatsappUserId], [number, userId]) => {
    const message = { ...MESSAGE, ...sender, type: "system", system };
    const named = { from, whatsappUserId, previous: { number, userId } };
    expect(readMessages([message])).toEqual({ ...NOTHING, inbound: [{ ...change, ...named }] });
  });

  test("of a change of ids may come in a field of its own", () => {
    const value = {
      metadata: { phone_number_id: "106500001" },
      contacts: [{ wa_id: NEW, user_id: NEW_ID }],
      user_id_update: [
        { wa_id: NEW, user_id: { previous: OLD_ID, current: NEW_ID }, timestamp: "1760000123" },
        { user_id: { previous: OLD_ID, current: NEW_ID }, timestamp: 1760000123 },
        { user_id: { previous: OLD_ID, current: OLD_ID }, timestamp: "1760000123" },
        { user_id: "x" },
      ],
    };
    const contents = readValue("user_id_update", value);
    const update = { ...change, from: NEW, whatsappUserId: NEW_ID, previous: { number: null, userId: OLD_ID } };
    expect(contents.inbound).toEqual([update, update]);
    expect(contents.unhandled.map(({ kind }) => kind)).toEqual(["unusedMessage", "unusedMessage"]);
  });

  test.each([
    [{ ...MESSAGE, from: "<number>" }],
    [{ ...MESSAGE, from: 7 }],
    [{ ...MESSAGE, type: "edit" }],
    [{ ...MESSAGE, type: "revoke" }],
    [{ ...MESSAGE, type: "system", system: { type: "customer_identity_changed" } }],
    [{ ...MESSAGE, type: "system", system: { type: "user_changed_number" } }],
    ["text"],
    [null],
  ])("%j touches no contact, and does not block the next", (message) => {
    const contents = readMessages([message, MESSAGE]);
    expect(contents.inbound).toEqual([inbound]);
    expect(contents.unhandled).toMatchObject([{ ...ABOUT, kind: "unusedMessage" }]);
  });
});

describe("a template event", () => {
  const template = { message_template_name: "order_ready", message_template_language: "en-US" };
  const common = {
    whatsappBusinessAccountId: "102200001",
    whatsappTemplateId: "9007199254740993",
    name: "order_ready",
    language: "en_US",
    occurredAt: new Date(1760000000_000),
  };

  test("keeps every digit of an id that comes as a number, and writes the language with an underscore", () => {
    const value = JSON.stringify({ event: "APPROVED", ...template, reason: "NONE" });
    const change = `{"field":"message_template_status_update","value":${value.replace("{", '{"message_template_id":9007199254740993,')}}`;
    const entry = `{"id":"102200001","time":1760000000,"changes":[${change}]}`;
    const approved = { event: "APPROVED", status: "APPROVED", rejectedReason: null, category: null };
    expect(readText(`{"object":"whatsapp_business_account","entry":[${entry}]}`)).toEqual({
      ...NOTHING,
      templates: [{ ...common, change: { kind: "status", ...approved } }],
    });
  });

  test.each([
    ["PAUSED", "PAUSED"],
    ["REINSTATED", "APPROVED"],
    ["FLAGGED", null],
    ["LOCKED", null],
    ["UNARCHIVED", null],
    ["A_NEW_WORD", "A_NEW_WORD"],
  ])("%s leaves the status %j", (event, status) => {
    const { templates } = readValue("message_template_status_update", { ...template, event, reason: "SCAM" });
    const change = { kind: "status", event, status, rejectedReason: "SCAM", category: null };
    expect(templates.map((one) => one.change)).toEqual([change]);
  });

  test.each([
    ["message_template_quality_update", { new_quality_score: "YELLOW" }, { kind: "quality", qualityScore: "YELLOW" }],
    ["template_category_update", { new_category: "MARKETING" }, { kind: "category", category: "MARKETING" }],
  ])("%s shows what is new", (field, more, change) => {
    expect(readValue(field, { ...template, ...more }).templates.map((one) => one.change)).toEqual([change]);
  });

  test("that only announces a category, or names no template, changes nothing", () => {
    const nameless = { event: "APPROVED", message_template_name: "order_ready" };
    for (const [kind, field, value] of [
      ["announced", "template_category_update", { ...template, correct_category: "MARKETING" }],
      ["unreadable", "message_template_status_update", nameless],
    ] as const)
      expect(readValue(field, value)).toMatchObject({ templates: [], unhandled: [{ kind, field }] });
  });
});

describe("line and account events", () => {
  const time = { time: 1760000000 };
  const occurredAt = new Date(1760000000_000);

  const QUALITY = { display_phone_number: "+44 20 7946-0123", event: "FLAGGED" };
  const UPGRADE = { ...QUALITY, event: "UPGRADE" };
  const NAME = { display_phone_number: "442079460123", decision: "APPROVED", requested_verified_name: "Acme" };
  const limit = (event: string, tier: string) => ({
    kind: "limit",
    event,
    detail: { limit: tier },
    verifiedName: null,
  });
  const flag = { kind: "flag", event: "FLAGGED", detail: {}, verifiedName: null };
  const named = (event: string, verifiedName: string | null) => ({
    kind: "name",
    event,
    detail: { reason: null },
    verifiedName,
  });
  test.each<[string, object, object[]]>([
    ["phone_number_quality_update", QUALITY, [flag]],
    ["phone_number_quality_update", { ...QUALITY, current_limit: "TIER_1K" }, [flag, limit("FLAGGED", "TIER_1K")]],
    ...(
      [
        ["TIER_10K", "TIER_10K"],
        [2000, "TIER_2K"],
        ["-1", "TIER_UNLIMITED"],
      ] as const
    ).map(([most, tier]): [string, object, object[]] => [
      "phone_number_quality_update",
      { ...UPGRADE, max_daily_conversations_per_business: most },
      [limit("UPGRADE", tier)],
    ]),
    ["phone_number_name_update", NAME, [named("NAME_APPROVED", "Acme")]],
    ["phone_number_name_update", { ...NAME, decision: "REJECTED" }, [named("NAME_REJECTED", null)]],
  ])("%s with %j is of the line with the digits of its number", (field, value, notices) => {
    const line = { whatsappBusinessAccountId: "102200001", displayPhoneNumber: "442079460123", occurredAt };
    expect(readValue(field, value, time).phoneNumbers).toEqual(notices.map((notice) => ({ ...line, ...notice })));
  });

  const restrictions = [
    { restriction_type: "A", expiration: 1_900_000_000, remediation: "Wait." },
    { restriction_type: "B", expiration: "soon" },
    { expiration: 1 },
  ];
  const RESTRICTED = [
    { type: "A", until: "2030-03-17T17:46:40.000Z", remediation: "Wait." },
    { type: "B", until: null, remediation: null },
  ];
  const alerting = { alert_type: "OBA_APPROVED", alert_status: "NONE", alert_severity: "WARNING" };
  const ALERTED = { state: "NONE", severity: "WARNING", description: null };
  const banned = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } };
  const restricted = { event: "ACCOUNT_RESTRICTION", restriction_info: restrictions };
  type Notice = [kind: string, event: string, detail: object];
  const capability = (limit: string): Notice => ["capability", "BUSINESS_CAPABILITY_UPDATE", { limit }];
  test.each<[string, object, ...Notice]>([
    ["account_update", { event: "ACCOUNT_DELETED" }, "deletion", "ACCOUNT_DELETED", { reason: null }],
    ["account_update", { event: "AD_ACCOUNT_LINKED" }, "AD_ACCOUNT_LINKED", "AD_ACCOUNT_LINKED", { reason: null }],
    ["account_update", banned, "ban", "DISABLED_UPDATE", { state: "REINSTATE", date: null }],
    ["account_update", restricted, "restriction", "ACCOUNT_RESTRICTION", { restrictions: RESTRICTED }],
    ["account_alerts", { entity_id: 12, alert_info: alerting }, "alert OBA_APPROVED 12", "OBA_APPROVED", ALERTED],
    ["account_review_update", { decision: "rejected" }, "review", "REVIEW_REJECTED", {}],
    ["business_capability_update", { max_daily_conversations_per_business: "TIER_10K" }, ...capability("TIER_10K")],
    ["business_capability_update", { max_daily_conversations_per_business: 2_000 }, ...capability("TIER_2K")],
    ["business_capability_update", { max_daily_conversations_per_business: -1 }, ...capability("TIER_UNLIMITED")],
    ["business_capability_update", { max_daily_conversation_per_phone: 250 }, ...capability("TIER_250")],
  ])("%s with %j is of the entry's account", (field, value, kind, event, detail) => {
    expect(readValue(field, value, time)).toEqual({
      ...NOTHING,
      accounts: [{ whatsappBusinessAccountId: "102200001", kind, event, detail, occurredAt }],
    });
  });

  test("a partner event is of the account that it names inside", () => {
    const value = { event: "PARTNER_REMOVED", waba_info: { waba_id: "980198427658004" } };
    expect(readValue("account_update", value).accounts[0]?.whatsappBusinessAccountId).toBe("980198427658004");
  });
});

describe("what nothing here can read is no event", () => {
  test.each([
    "",
    "{",
    "<html>",
    "null",
    "[]",
    '{"object":"page","entry":[]}',
    '{"object":"whatsapp_business_account"}',
  ])("%j is unreadable", (text) => {
    expect(readText(text)).toEqual({
      ...NOTHING,
      unhandled: [{ kind: "unreadable", reason: "not a webhook of a WhatsApp business account" }],
    });
  });

  test("JSON that is nested too deeply to be written again is unreadable", () => {
    const text = `{"object":"whatsapp_business_account","entry":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`;
    expect(readText(text).unhandled).toMatchObject([{ kind: "unreadable" }]);
  });

  test("a broken entry or change does not block the next", () => {
    const good = { id: "1", changes: [{ field: "account_update", value: { event: "ACCOUNT_DELETED" } }] };
    const changes = [null, { field: 1 }, { field: "messages", value: 1 }];
    const entry = [null, { id: "1" }, { changes: [] }, { id: "1", changes }, good];
    const contents = readText(JSON.stringify({ object: "whatsapp_business_account", entry }));
    expect(contents.accounts).toHaveLength(1);
    expect(contents.unhandled).toHaveLength(6);
  });

  test("a name of a field that is none is not logged as one", () => {
    expect(readValue("calls to +447700900123", {}).unhandled).toMatchObject([{ kind: "unusedField", field: null }]);
  });
});

describe("errors and security events", () => {
  const about = {
    whatsappBusinessAccountId: "102200001",
    displayPhoneNumber: "442079460123",
    occurredAt: RECEIVED_AT,
    verifiedName: null,
  };

  test("errors that are about no message are notices of the number, without their details", () => {
    const errors = [
      { code: 131042, title: "Business eligibility payment issue", error_data: { details: "To +447700900123" } },
      { code: "130429", title: "Blocked 447700900123" },
      { code: { toString: {} } },
      { title: "No code" },
      null,
    ];
    expect(readValue("messages", { metadata: METADATA, errors })).toEqual({
      ...NOTHING,
      phoneNumbers: [
        ["131042", "Business eligibility payment issue"],
        ["130429", "Blocked …"],
      ].map(([code, reason]) => ({ ...about, kind: `error ${code}`, event: `ERROR_${code}`, detail: { reason } })),
    });
  });

  test("an error without a number or a code is unreadable", () => {
    const kept = { ...ABOUT, kind: "unreadable" };
    const { phone_number_id } = METADATA;
    for (const value of [
      { metadata: { phone_number_id }, errors: [{ code: 1 }] },
      { metadata: METADATA, errors: [{}] },
    ])
      expect(readValue("messages", value)).toMatchObject({ phoneNumbers: [], unhandled: [kept] });
  });

  test("an error beside a message is about it, and no notice", () => {
    const contents = readValue("messages", { metadata: METADATA, messages: [MESSAGE], errors: [{ code: 131000 }] });
    expect([contents.inbound.length, contents.phoneNumbers, contents.unhandled]).toEqual([1, [], []]);
  });

  test("a security event is a notice of its number, with who asked for it", () => {
    const value = { display_phone_number: "442079460123", event: "PIN_RESET_REQUEST", requester: "61555822107539" };
    const occurredAt = new Date(1760000123_000);
    const notice = { kind: "security", event: "PIN_RESET_REQUEST", detail: { requester: "61555822107539" } };
    expect(readValue("security", value, { time: 1760000123 }).phoneNumbers).toEqual([
      { ...about, ...notice, occurredAt },
    ]);
    expect(readValue("security", { event: "PIN_CHANGED" })).toMatchObject({
      phoneNumbers: [],
      unhandled: [{ kind: "unreadable", field: "security", whatsappBusinessAccountId: "102200001" }],
    });
  });
});

describe("no input makes the reader throw, every text can be stored, and what is logged has no contents", () => {
  const LOGGED = ["field", "kind", "reason", "whatsappBusinessAccountId", "whatsappPhoneNumberId"];
  const isStorable = (contents: WebhookContents): boolean => {
    const { unhandled, ...events } = contents;
    for (const part of unhandled) {
      expect(LOGGED).toEqual(expect.arrayContaining(Object.keys(part)));
      expect(part.field ?? "none").toMatch(/^[a-z_]{1,60}$/);
    }
    const texts: string[] = [];
    JSON.stringify(events, (_name, value) => (typeof value === "string" ? void texts.push(value) : value));
    return !texts.some((text) => /\0|\p{Surrogate}/u.test(text));
  };

  test("any bytes", () => {
    fc.assert(fc.property(fc.uint8Array(), (raw) => isStorable(readWebhook(raw, RECEIVED_AT))));
  });

  test("any values in the right places", () => {
    // Turned into text by an own `toString`, an object throws.
    const untextual = fc.constantFrom({ toString: {} }, [{ toString: null }], { valueOf: 1, toString: 1 });
    const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.constant("a\0\ud800"), untextual);
    const object = (...keys: string[]) =>
      fc.record(Object.fromEntries(keys.map((key) => [key, anything])), { requiredKeys: [] });
    const status = object("id", "status", "timestamp", "biz_opaque_callback_data", "errors", "type");
    const message = object("from", "from_user_id", "timestamp", "type", "interactive", "system");
    const value = fc.oneof(
      object("message_template_id", "message_template_name", "message_template_language", "event", "new_category"),
      object("display_phone_number", "event", "decision", "requested_verified_name", "alert_info", "waba_info"),
      fc.record({
        metadata: fc.oneof(fc.constant(METADATA), anything),
        statuses: fc.oneof(fc.array(status), anything),
        messages: fc.oneof(fc.array(message), anything),
        contacts: fc.oneof(fc.array(object("wa_id", "user_id", "profile")), anything),
      }),
    );
    const updates = ["message_template_status", "template_category", "phone_number_name", "account"];
    const field = fc.oneof(fc.constantFrom("messages", ...updates.map((name) => `${name}_update`)), anything);
    const change = fc.oneof(fc.record({ field, value }), anything);
    const entry = fc.oneof(
      fc.record({ id: fc.oneof(fc.constant("1"), anything), changes: fc.array(change) }),
      anything,
    );
    fc.assert(
      fc.property(fc.array(entry), (entries) =>
        isStorable(readText(JSON.stringify({ object: "whatsapp_business_account", entry: entries }))),
      ),
      { numRuns: 500 },
    );
  });
});
