import { storableText } from "./platform-text";

/** One change of a webhook, whatever its field. */
export type WebhookChange = {
  /** The entry's id, which is the business account's on every field but a few partner events. */
  whatsappBusinessAccountId: string;
  value: Record<string, unknown>;
  /** The entry's own time, or that of receipt where it has none. */
  occurredAt: Date;
  receivedAt: Date;
};

const YEAR_2000_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_ID_CHARACTERS = 512;
const MAX_WORD_CHARACTERS = 200;

/** An id as text, also where WhatsApp wrote a number; null for anything too long for an index. */
export function idOf(value: unknown): string | null {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return shortText(text, MAX_ID_CHARACTERS);
}

/** A user id; null for digits alone, which are a phone number wherever they stand. */
export function userIdOf(value: unknown): string | null {
  const id = idOf(value);
  return id !== null && /^\d+$/.test(id) ? null : id;
}

/** A name or a word of WhatsApp's, free of what Postgres refuses; null where there is none. */
export function wordOf(value: unknown): string | null {
  return shortText(value, MAX_WORD_CHARACTERS);
}

/** A phone number as 7 to 15 digits without the plus sign; null for anything else. */
export function digitsOf(value: unknown): string | null {
  const digits = idOf(value)?.replace(/[+\s().-]/g, "") ?? "";
  return /^\d{7,15}$/.test(digits) ? digits : null;
}

/** Unix seconds, as text or number. What is no time, before 2000 or over a day ahead becomes the time of receipt. */
export function instantOf(value: unknown, receivedAt: Date): Date {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^\d{1,12}$/.test(text)) return receivedAt;
  const ms = Number(text) * 1_000;
  return ms < YEAR_2000_MS || ms > receivedAt.getTime() + DAY_MS ? receivedAt : new Date(ms);
}

const shortText = (value: unknown, maxCharacters: number): string | null => {
  if (typeof value !== "string") return null;
  const text = storableText(value).trim();
  return text !== "" && text.length <= maxCharacters ? text : null;
};
