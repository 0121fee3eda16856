import { isRecord } from "@/lib/core/is-record";
import { maskNumbers } from "@/lib/core/masked-text";
import { maskedPhone } from "@/lib/core/phone";
import { characterCount } from "@/lib/core/text";

// What is kept of a call has the shape of what was sent and none of its contents: no text, no value, no whole number.

const MAX_ENTRIES = 50;
const MAX_STORED_CHARACTERS = 8_000;

/** What a body names but does not say: these words of ours, or of WhatsApp's, are kept as they are. */
const KEPT: Record<string, RegExp> = {
  type: /^(text|template|interactive)$/,
  templateName: /^[a-z0-9_]{1,100}$/,
  templateLanguage: /^[a-z]{2,3}(_[A-Z]{2,4})?$/,
  phoneNumberId: /^pn_[0-9a-z]{26}$/,
  contactId: /^ct_[0-9a-z]{26}$/,
  format: /^(image|video|document|text)$/i,
  sub_type: /^(quick_reply|url|copy_code|catalog|flow)$/i,
};
const KEPT_NUMBERS = ["index", "card_index"];
const ORDINARY_KEY = /^[A-Za-z0-9_]{1,40}$/;

/** The body of a call as it may be kept: keys stay, a phone is masked, any other value is replaced by its kind and length. */
export function redactedBody(body: unknown): string {
  return stored(redact(body, undefined));
}

/** The answer to a refused call: our own words, in which numbers of people are masked. */
export function redactedAnswer(answer: unknown): string {
  return stored(maskStrings(answer));
}

const redact = (value: unknown, key: string | undefined): unknown => {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return redactText(value, key);
  if (typeof value === "number") return isKeptNumber(value, key) ? value : "<number>";
  if (Array.isArray(value))
    return more(
      value.length,
      value.slice(0, MAX_ENTRIES).map((entry) => redact(entry, key)),
    );
  if (!isRecord(value)) return `<${typeof value}>`;
  const entries = Object.entries(value);
  const shown = entries.slice(0, MAX_ENTRIES).map(([name, entry], i) => [redactKey(name, i), redact(entry, name)]);
  return Object.fromEntries(
    entries.length > MAX_ENTRIES ? [...shown, ["…", `${entries.length - MAX_ENTRIES} more`]] : shown,
  );
};

const redactText = (text: string, key = ""): string => {
  const pattern = Object.hasOwn(KEPT, key) ? KEPT[key] : undefined;
  if (pattern?.test(text)) return maskNumbers(text);
  const digits = text.replace(/\P{Nd}/gu, "");
  if (key === "phone" && digits.length >= 7) return maskedPhone(digits);
  const length = characterCount(text);
  return `<${length} ${length === 1 ? "character" : "characters"}>`;
};

const redactKey = (name: string, place: number): string =>
  ORDINARY_KEY.test(name) && maskNumbers(name) === name ? name : `<key ${place + 1}>`;

const isKeptNumber = (value: number, key = "") =>
  KEPT_NUMBERS.includes(key) && Number.isInteger(value) && value >= 0 && value < 100;

const more = (length: number, shown: unknown[]) =>
  length > shown.length ? [...shown, `… ${length - shown.length} more`] : shown;

const maskStrings = (value: unknown): unknown => {
  if (typeof value === "string") return maskNumbers(value);
  if (Array.isArray(value)) return more(value.length, value.slice(0, MAX_ENTRIES).map(maskStrings));
  if (!isRecord(value)) return value;
  // The address of our own docs may be that of a machine, which looks like a number.
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, name === "docsUrl" ? entry : maskStrings(entry)]),
  );
};

const stored = (value: unknown): string => {
  const text = JSON.stringify(value, null, 2);
  return text.length > MAX_STORED_CHARACTERS ? `${text.slice(0, MAX_STORED_CHARACTERS)}\n…` : text;
};
