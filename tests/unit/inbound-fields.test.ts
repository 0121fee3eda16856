import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CONTENTS } from "@/lib/contacts/erase-events";
import { eventsOf } from "@/lib/contacts/inbound-events";
import { isRecord, readJson } from "@/lib/core/json";
import { toEventResource } from "@/lib/outgoing/events/event-resource";
import { EVENTS } from "@/lib/outgoing/events/events";
import { readInbound } from "@/lib/whatsapp/inbound-webhooks";

/** Where a field of a person's message goes. */
type Place =
  /** In `data` of the event `message.received`, at this path, or in the JSON of its `payload`. */
  | { sent: string }
  /** With the contact or the event. */
  | { kept: string }
  /** Nowhere, and why. */
  | { left: string };

const sent = (path: string): Place => ({ sent: path });
const kept = (by: string): Place => ({ kept: by });
const left = (reason: string): Place => ({ left: reason });

const SHORT_LIVED = "It ends after minutes and needs the line's token; the media id lasts.";
const NO_EVENT =
  "Edits and deletions make no event: what was written stays as it was at the time (docs, What people answer).";

/** Of `messages[]`. A path that ends with `*` stands for everything below it. */
const MESSAGE: Record<string, Place> = {
  from: kept("the contact"),
  from_user_id: kept("the contact"),
  id: sent("chatMessageId"),
  timestamp: kept("the event's timestamp"),
  type: kept("the event's type, which is finer for interactive answers"),
  group_id: left("In a group nobody in particular is answered: it makes no event (docs, What people answer)."),
  "text.body": sent("text"),
  "button.text": sent("text"),
  "button.payload": sent("payload"),
  "interactive.type": kept("the event's type"),
  "interactive.button_reply.id": sent("payload"),
  "interactive.button_reply.title": sent("text"),
  "interactive.list_reply.id": sent("payload"),
  "interactive.list_reply.title": sent("text"),
  "interactive.list_reply.description": left("The sender's own text of the row, which its id names."),
  "interactive.nfm_reply.body": sent("text"),
  "interactive.nfm_reply.response_json": sent("payload"),
  "interactive.nfm_reply.name": left("WhatsApp's name of the kind of form, which the answer's own keys say."),
  "interactive.call_permission_reply.*": sent("payload"),
  "interactive.survey_reply.*": sent("payload"),
  "reaction.emoji": sent("text"),
  "reaction.message_id": kept("the message that it is a reaction to, `replyTo`"),
  "location.latitude": sent("location.latitude"),
  "location.longitude": sent("location.longitude"),
  "location.name": sent("location.name"),
  "location.address": sent("location.address"),
  "location.url": sent("location.url"),
  "contacts[].*": sent("payload"),
  "order.*": sent("payload"),
  "context.id": sent("context.chatMessageId"),
  "context.from": left("The author of the message that is answered: the line or this person."),
  "context.forwarded": sent("context.forwarded"),
  "context.frequently_forwarded": sent("context.frequentlyForwarded"),
  "context.referred_product.catalog_id": sent("context.product.catalogId"),
  "context.referred_product.product_retailer_id": sent("context.product.productRetailerId"),
  "referral.source_type": sent("referral.sourceType"),
  "referral.source_id": sent("referral.sourceId"),
  "referral.source_url": sent("referral.sourceUrl"),
  "referral.headline": sent("referral.headline"),
  "referral.body": sent("referral.body"),
  "referral.media_type": sent("referral.mediaType"),
  "referral.image_url": sent("referral.imageUrl"),
  "referral.video_url": sent("referral.videoUrl"),
  "referral.thumbnail_url": sent("referral.thumbnailUrl"),
  "referral.ctwa_clid": sent("referral.clickId"),
  "referral.welcome_message.text": left("The advertiser's own text, the same for everyone who clicks the ad."),
  "errors[].*": sent("payload"),
  "unsupported.*": sent("payload"),
  "hologram.*": sent("payload"),
  "identity.*": left("Of WhatsApp's identity check, which no send of ours asks for."),
  "system.type": kept("the change of number or id that it is about"),
  "system.body": kept("the change of number or id that it is about"),
  "system.wa_id": kept("the contact's new number"),
  "edit.*": left(NO_EVENT),
  "revoke.*": left(NO_EVENT),
  ...Object.fromEntries(
    ["image", "video", "audio", "document", "sticker"].flatMap((type) => [
      [`${type}.id`, sent("media.id")],
      [`${type}.mime_type`, sent("media.mimeType")],
      [`${type}.sha256`, sent("media.sha256")],
      [`${type}.caption`, sent("text")],
      [`${type}.filename`, sent("media.fileName")],
      [`${type}.url`, left(SHORT_LIVED)],
    ]),
  ),
  "audio.voice": sent("media.voice"),
  "sticker.animated": sent("media.animated"),
};

/** Of `contacts[]`, who wrote it. */
const WRITER: Record<string, Place> = {
  wa_id: kept("the contact"),
  user_id: kept("the contact"),
  parent_user_id: left("The id that linked portfolios share: sends take the portfolio's own."),
  "profile.name": sent("name"),
  "profile.username": sent("username"),
  identity_key_hash: left("Of WhatsApp's identity check, which no send of ours asks for."),
};

type Value = { messages: Record<string, unknown>[]; contacts: unknown[] };

const FROM = "447700900123";
const written = (type: string, part: unknown, more: object = {}): Value => ({
  messages: [{ from: FROM, id: `wamid.${type}`, timestamp: "1760000000", type, [type]: part, ...more }],
  contacts: [{ wa_id: FROM, profile: { name: "Ada", username: "ada.l" }, user_id: "GB.1", identity_key_hash: "h" }],
});
const chosen = (type: string, part: object) => written("interactive", { type, [type]: part });
const flowAnswer = (json: unknown) => chosen("nfm_reply", { name: "flow", body: "Sent", response_json: json });
const file = { id: "77", mime_type: "application/pdf", sha256: "abc=", url: "https://cdn.example/77" };

const ANSWERED = { from: "447700900999", id: "wamid.1" };
const PRODUCT = { catalog_id: "9", product_retailer_id: "SKU-1" };
const REFERRAL = {
  source_type: "ad",
  source_id: "5",
  source_url: "https://fb.example/5",
  headline: "Sale",
  body: "20 % off",
  media_type: "image",
  image_url: "https://fb.example/5.jpg",
  thumbnail_url: "https://fb.example/5.t.jpg",
  ctwa_clid: "ARAk",
  welcome_message: { text: "Hello" },
};
const PLACE = { latitude: 52.5, longitude: 13.4, name: "Home", address: "1 High St", url: "https://maps.example/1" };

/** As WhatsApp documents them. */
const DOCUMENTED: Value[] = [
  written("text", { body: "Hi" }, { context: { ...ANSWERED, forwarded: true }, group_id: undefined }),
  written("text", { body: "Is it there?" }, { context: { ...ANSWERED, referred_product: PRODUCT } }),
  written("text", { body: "Hi" }, { referral: REFERRAL }),
  written("button", { payload: "p-1", text: "Stop" }),
  chosen("button_reply", { id: "b1", title: "Today" }),
  chosen("list_reply", { id: "r1", title: "9:00", description: "North office" }),
  flowAnswer('{"a":1}'),
  chosen("call_permission_reply", {
    response: "accept",
    is_permanent: false,
    expiration_timestamp: 1760600000,
    response_source: "user_action",
  }),
  chosen("survey_reply", { id: "s1", body: "Very good", stars: 5 }),
  written("image", { ...file, mime_type: "image/jpeg", caption: "Look" }),
  written("document", { ...file, filename: "Rechnung März.pdf", caption: "The bill" }),
  written("audio", { ...file, mime_type: "audio/ogg; codecs=opus", voice: true }),
  written("sticker", { ...file, mime_type: "image/webp", animated: true }),
  written("image", { mime_type: "image/jpeg" }, { errors: [{ code: 131052, title: "Media download error" }] }),
  written("location", PLACE),
  written("contacts", [
    { name: { formatted_name: "B" }, origin: "contact_request", phones: [{ wa_id: "447700900124" }] },
  ]),
  written("order", {
    catalog_id: "9",
    text: "Soon, please",
    product_items: [{ product_retailer_id: "SKU-1", quantity: 2 }],
  }),
  written("reaction", { message_id: "wamid.1", emoji: "👍" }),
  written("unsupported", { type: "poll" }, { errors: [{ code: 131051, title: "Message type unknown" }] }),
  written("hologram", { beams: 3, of: [{ light: "blue" }] }),
  written("edit", { original_message_id: "wamid.1" }),
  written("revoke", { original_message_id: "wamid.1" }),
];

const FOLDER = path.resolve(process.cwd(), "..", "shared", "fixtures", "webhooks");

/** Every `value` with messages in a recorded webhook. */
const valuesIn = (given: unknown): Value[] => {
  if (Array.isArray(given)) return given.flatMap(valuesIn);
  if (!isRecord(given)) return [];
  const own = Array.isArray(given.messages)
    ? [{ messages: given.messages.filter(isRecord), contacts: Array.isArray(given.contacts) ? given.contacts : [] }]
    : [];
  return [...own, ...Object.values(given).flatMap(valuesIn)];
};
const RECORDED = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => valuesIn(JSON.parse(readFileSync(path.join(FOLDER, file), "utf8"))))
  : [];

type Leaf = [path: string, value: unknown];

const leavesOf = (value: unknown, at = ""): Leaf[] => {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => leavesOf(item, `${at}[]`));
  if (!isRecord(value)) return value === undefined ? [] : [[at, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, at === "" ? key : `${at}.${key}`));
};

const placeOf = (places: Record<string, Place>, at: string): Place | undefined =>
  places[at] ?? Object.entries(places).find(([key]) => key.endsWith("*") && at.startsWith(key.slice(0, -1)))?.[1];

/** The data of the event about a message, as an endpoint receives it; undefined where there is none. */
const dataOf = (raw: Record<string, unknown>, contacts: unknown[]): Record<string, unknown> | undefined => {
  const message = readInbound(raw, { whatsappPhoneNumberId: "1", contacts, receivedAt: new Date() });
  if (!message?.message) return undefined;
  const about = {
    workspaceId: "ws_1",
    phoneNumberId: "pn_1",
    mode: "live",
    contactId: "ct_1",
    answered: null,
  } as const;
  const [event] = eventsOf({ message, ...about, preference: undefined });
  if (!event) return undefined;
  const { type, occurredAt, snapshot } = event;
  const resource = toEventResource({ type, subjectId: "ct_1", sequence: 1, occurredAt, snapshot, message: null });
  expect(EVENTS.received.schema.parse(resource)).toEqual(resource);
  return resource.data;
};

/** What stands at a path of the event; below `payload` everything in its JSON. */
const valuesAt = (data: Record<string, unknown>, at: string): unknown[] => {
  const value = at.split(".").reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), data);
  return at === "payload" ? [value, ...leavesOf(readJson(String(value))).map(([, leaf]) => leaf)] : [value];
};

/** The fields of messages that have no place in the table, and those that are not where it says. */
const faultsIn = ({ messages, contacts }: Value): string[] =>
  messages.flatMap((raw) => {
    const data = dataOf(raw, contacts);
    const leaves = [
      ...leavesOf(raw).map(([at, value]) => ({ at, value, place: placeOf(MESSAGE, at) })),
      ...(raw.type === "system" ? [] : contacts).flatMap((contact) =>
        leavesOf(contact).map(([at, value]) => ({ at: `contacts[].${at}`, value, place: placeOf(WRITER, at) })),
      ),
    ];
    return leaves.flatMap(({ at, value, place }) => {
      if (!place) return `${at} has no place`;
      // A file without an id or type is passed on whole.
      const isThere =
        !data ||
        !("sent" in place) ||
        value === "" ||
        [place.sent, "payload"].some((to) => valuesAt(data, to).includes(value));
      return isThere ? [] : `${at} is not in ${"sent" in place && place.sent}`;
    });
  });

describe("each field of what a person sends has a place: kept, sent on, or left out with a reason", () => {
  test("in messages as WhatsApp documents them", () => {
    expect(DOCUMENTED.flatMap(faultsIn)).toEqual([]);
  });

  test.skipIf(RECORDED.length === 0)("in recorded webhooks (skipped where ../shared/fixtures is absent)", () => {
    expect(RECORDED.flatMap(faultsIn)).toEqual([]);
    expect(RECORDED.length).toBeGreaterThan(20);
  });

  test("a field that the table does not name fails", () => {
    expect(faultsIn(written("text", { body: "Hi", mood: "glad" }))).toEqual(["text.mood has no place"]);
    expect(faultsIn(written("text", { body: 7 }))).toEqual(["text.body is not in text"]);
  });

  test("every field that is sent on is emptied after the retention period", () => {
    const fields = new Set(
      Object.values({ ...MESSAGE, ...WRITER }).flatMap((place) => ("sent" in place ? place.sent : [])),
    );
    const stored = (root: string | undefined) => (root === "chatMessageId" ? "whatsappMessageId" : root);
    const roots = [...fields].map((field) => stored(field.split(".")[0]));
    expect(roots.filter((root) => !CONTENTS.includes(root ?? ""))).toEqual([]);
  });
});

describe("an answer that is too long", () => {
  const data = (value: Value) => value.messages.map((raw) => dataOf(raw, value.contacts))[0];
  const long = "x".repeat(65_537);
  test.each([
    ["a text is cut", written("text", { body: long }), { text: "x".repeat(65_536), payload: null }],
    ["a caption is cut", written("image", { ...file, caption: long }), { text: "x".repeat(65_536) }],
    ["a flow's JSON is left out", flowAnswer(JSON.stringify({ a: long })), { text: "Sent", payload: null }],
    [
      "an order is left out",
      written("order", { text: "Soon", product_items: [long] }),
      { text: "Soon", payload: null },
    ],
  ])("%s, and the event says so", (_, value, expected) => {
    expect(data(value)).toMatchObject({ ...expected, truncated: true });
  });

  test("one that fits is whole, and says so", () => {
    expect(data(written("text", { body: "x".repeat(65_536) }))).toMatchObject({ truncated: false });
  });

  test("a flow's answer that is an object is its JSON", () => {
    expect(data(flowAnswer({ a: 1 }))).toMatchObject({ type: "flow", payload: '{"a":1}' });
  });
});

test("an event that was stored by an earlier release is delivered with the fields that it lacks", () => {
  const media = JSON.stringify({ type: "image", mimeType: "image/jpeg", sha256: null, id: "7" });
  const location = JSON.stringify({ latitude: 1, longitude: 2, name: null, address: null });
  const snapshot = { id: "in_1", phoneNumberId: "pn_1", type: "image", text: null, payload: null, media, location };
  const stored = { type: "message.received", subjectId: "ct_1", sequence: 1, occurredAt: new Date(0), message: null };
  const event = toEventResource({ ...stored, snapshot });
  expect(EVENTS.received.schema.parse(event)).toEqual(event);
});
