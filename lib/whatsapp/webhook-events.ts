import { isRecord, readExactJson } from "@/lib/core/json";
import {
  type AccountEvent,
  type PhoneNumberEvent,
  readAccountErrors,
  readAccountEvents,
  readPhoneNumberEvents,
} from "./account-webhooks";
import { type InboundMessage, readInbound, readPreference, readUserIdUpdate } from "./inbound-webhooks";
import { readStatus, type StatusEvent } from "./status-webhooks";
import { readTemplateEvents, type TemplateEvent } from "./template-webhooks";
import { idOf, instantOf, type WebhookChange } from "./wire";

/** One parsed webhook. `unhandled` is what we cannot use: parts of the JSON, or the whole text. */
export type WebhookContents = {
  statuses: StatusEvent[];
  inbound: InboundMessage[];
  templates: TemplateEvent[];
  phoneNumbers: PhoneNumberEvent[];
  accounts: AccountEvent[];
  unhandled: UnhandledPart[];
};

/** A part without effect: why, and whose it is, as far as the webhook says it. It is logged, so it holds no contents. */
export type UnhandledPart = {
  kind: "unreadable" | "announced" | "unusedField" | "unusedStatus" | "unusedMessage";
  reason: string;
  field?: string | null;
  whatsappBusinessAccountId?: string;
  whatsappPhoneNumberId?: string | null;
};

/** Parses a webhook with a valid signature. Never throws; an invalid part does not affect the rest. */
export function readWebhook(raw: Uint8Array, receivedAt: Date): WebhookContents {
  const contents: WebhookContents = {
    statuses: [],
    inbound: [],
    templates: [],
    phoneNumbers: [],
    accounts: [],
    unhandled: [],
  };
  const text = new TextDecoder().decode(raw);
  const body = readExactJson(text);
  if (!isRecord(body) || body.object !== "whatsapp_business_account" || !Array.isArray(body.entry)) {
    const reason = "not a webhook of a WhatsApp business account";
    contents.unhandled.push({ kind: "unreadable", reason });
    return contents;
  }
  for (const entry of body.entry) readEntry(contents, entry, receivedAt);
  return contents;
}

function readEntry(contents: WebhookContents, entry: unknown, receivedAt: Date): void {
  const whatsappBusinessAccountId = isRecord(entry) ? idOf(entry.id) : null;
  if (!isRecord(entry) || whatsappBusinessAccountId === null || !Array.isArray(entry.changes)) {
    contents.unhandled.push({ kind: "unreadable", reason: "an entry without an id or changes" });
    return;
  }
  const occurredAt = instantOf(entry.time, receivedAt);
  for (const change of entry.changes) {
    if (!isRecord(change) || typeof change.field !== "string" || !isRecord(change.value)) {
      const reason = "a change without a field or value";
      contents.unhandled.push({ kind: "unreadable", reason, whatsappBusinessAccountId });
      continue;
    }
    const { field, value } = change;
    readChange(contents, field, { whatsappBusinessAccountId, value, occurredAt, receivedAt });
  }
}

function readChange(contents: WebhookContents, field: string, change: WebhookChange): void {
  const read = READERS.get(field);
  if (read) {
    read(contents, change, field);
    return;
  }
  const unused = { kind: "unusedField", reason: "a field that nothing here uses" } as const;
  contents.unhandled.push({ ...unused, ...aboutOf(field, change) });
}

const aboutOf = (field: string, { value, whatsappBusinessAccountId }: WebhookChange) => ({
  // Anything else is no name of a field, and may be about a person.
  field: /^[a-z_]{1,60}$/.test(field) ? field : null,
  whatsappBusinessAccountId,
  whatsappPhoneNumberId: isRecord(value.metadata) ? idOf(value.metadata.phone_number_id) : null,
});

/** One value may have statuses, messages and errors together, though in practice each arrives alone. */
function readMessages(contents: WebhookContents, change: WebhookChange, field: string): void {
  const { value, receivedAt } = change;
  const about = aboutOf(field, change);
  const { whatsappPhoneNumberId } = about;
  const statuses = listOf(value.statuses);
  const readers = [
    [listOf(value.messages), readInbound],
    [listOf(value.user_id_update), readUserIdUpdate],
    [listOf(value.user_preferences), readPreference],
  ] as const;
  const isEmpty = statuses.length === 0 && readers.every(([list]) => list.length === 0);
  if (whatsappPhoneNumberId === null || isEmpty) {
    // Beside a message they are about it.
    const errors = readAccountErrors(change);
    contents.phoneNumbers.push(...errors);
    const reason = "no line, or neither a status nor a message of it";
    if (errors.length === 0) contents.unhandled.push({ kind: "unreadable", reason, ...about });
    return;
  }
  for (const raw of statuses) {
    const status = readStatus(raw, whatsappPhoneNumberId, receivedAt);
    if (status) contents.statuses.push(status);
    else contents.unhandled.push({ kind: "unusedStatus", reason: "a status of no message", ...about });
  }
  const envelope = { whatsappPhoneNumberId, contacts: value.contacts, receivedAt };
  for (const [list, read] of readers) {
    for (const raw of list) {
      const message = read(raw, envelope);
      if (message) contents.inbound.push(message);
      const reason = message ? NO_ID : NOT_NEW;
      if (!message || lacksId(message)) contents.unhandled.push({ kind: "unusedMessage", reason, ...about });
    }
  }
}

const NOT_NEW = "a message that is not new, or of an unknown line";
const NO_ID = "a message without an id: no event reports it";

/** It counts for the person's 24 hours all the same. One in a group opens none, and never makes an event. */
const lacksId = ({ message, opensWindow }: InboundMessage): boolean => message === null && opensWindow;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Reader = (contents: WebhookContents, change: WebhookChange, field: string) => void;

/** Adds the events of a change to one of the lists. */
const eventsTo =
  <T>(listOf: (contents: WebhookContents) => T[], read: (field: string, change: WebhookChange) => T[]): Reader =>
  (contents, change, field) => {
    const events = read(field, change);
    listOf(contents).push(...events);
    if (events.length > 0) return;
    const isAnnounced = field === "template_category_update" && change.value.correct_category !== undefined;
    const kind = isAnnounced ? "announced" : "unreadable";
    const reason = isAnnounced ? "only the announcement of a change" : `an unreadable ${field}`;
    contents.unhandled.push({ kind, reason, ...aboutOf(field, change) });
  };

const readTemplate = eventsTo(({ templates }) => templates, readTemplateEvents);
const readPhoneNumber = eventsTo(({ phoneNumbers }) => phoneNumbers, readPhoneNumberEvents);
const readAccount = eventsTo(({ accounts }) => accounts, readAccountEvents);

const READERS = new Map<string, Reader>([
  ["messages", readMessages],
  ["user_id_update", readMessages],
  ["user_preferences", readMessages],
  ["message_template_status_update", readTemplate],
  ["message_template_quality_update", readTemplate],
  ["message_template_components_update", readTemplate],
  ["template_category_update", readTemplate],
  ["phone_number_quality_update", readPhoneNumber],
  ["phone_number_name_update", readPhoneNumber],
  ["account_update", readAccount],
  ["account_alerts", readAccount],
  ["account_review_update", readAccount],
  ["business_capability_update", readAccount],
  ["security", readPhoneNumber],
]);

/** The webhook fields to subscribe to in the app's webhook settings. */
export const WEBHOOK_FIELDS: readonly string[] = [...READERS.keys()];
