import { quote } from "./text";

/** The fewest and the most digits of a number with its country code. */
export const PHONE_DIGITS = [7, 15] as const;

export type PhoneReading = { phone: string } | { fault: string };

/** Parses a recipient's number: strips separators and a leading `+`, and requires 7–15 digits. Never guesses. */
export function readPhone(given: string): PhoneReading {
  const digits = withoutMarks(given);
  const fault = faultOf(given, digits);
  return fault === undefined ? { phone: digits } : { fault: `${quote(given)} ${fault}` };
}

const withoutMarks = (text: string): string => text.replace(/[ \-.()]/g, "").replace(/^\+/, "");

const faultOf = (given: string, digits: string): string | undefined => {
  // (0) is only for national dialing; after a country code it would reach someone else.
  const meant = given.replace(/\(\s*0\s*\)/g, "");
  if (meant !== given) return `holds the national (0). Leave it out: ${withoutMarks(meant)}.`;
  if (digits === "") return "has no digits. Send country code and digits, like 447700900123.";
  if (!/^[0-9]+$/.test(digits))
    return "has characters that are not digits. Send country code and digits, like 447700900123.";
  if (digits.startsWith("00"))
    return `begins with 00. Send the country code first: ${digits.replace(/^0+/, "") || "447700900123"}.`;
  if (digits.startsWith("0"))
    return "looks like a national number. Send it with its country code instead of the leading 0, like 447700900123.";
  const [least, most] = PHONE_DIGITS;
  return digits.length < least || digits.length > most
    ? `has ${digits.length} digits; a number with country code has ${least} to ${most}, like 447700900123.`
    : undefined;
};

const TAIL = 4;
const LONGEST_HEAD = 5;
const MIN_HIDDEN = 3;

/** Returns a number with its middle hidden: `44770•••0126`. */
export function maskedPhone(digits: string): string {
  return `${shownHead(digits)}•••${digits.slice(-TAIL)}`;
}

const shownHead = (digits: string): string =>
  digits.slice(0, Math.max(0, Math.min(LONGEST_HEAD, digits.length - TAIL - MIN_HIDDEN)));

/** The numbers that a search matches: an index range of digits, and an SQL `like` pattern within it. */
export type PhoneMatch = { from: string; to: string; like: string };

export function exactPhone(digits: string): PhoneMatch {
  return { from: digits, to: digits, like: digits };
}

export function phonesWithPrefix(digits: string): PhoneMatch {
  return {
    from: digits,
    to: digits.padEnd(PHONE_DIGITS[1], "9"),
    like: `${digits}%`,
  };
}

/** Matches all numbers with the same mask, so a match reveals no more than the mask does. */
export function phonesWithMask(digits: string): PhoneMatch {
  return {
    ...phonesWithPrefix(shownHead(digits)),
    like: `${shownHead(digits)}%${digits.slice(-TAIL)}`,
  };
}

/** Replaces an erased number in a message. */
export const ERASED_PHONE = "erased";

/** Replaces a failure reason, which may quote the message or its recipient. WhatsApp's code is kept. */
export const REMOVED_REASON = "The reason was removed together with the contents of the message.";

/** Masks every run of digits that could be a phone number, and removes anything that looks like a secret. */
export function maskNumbers(text: string): string {
  return text
    .replace(SECRET, "sk_…")
    .replace(PLATFORM_ID, "wamid.…")
    .replace(DIGITS, (run, own) => (own ? run : maskedPhone(run.replace(/\P{Nd}/gu, ""))));
}

const SECRET = /sk_(live|test)_\w*|\bEAA[0-9A-Za-z_-]{8,}/gi;
/** WhatsApp's message ids contain the recipient's number, encoded. */
const PLATFORM_ID = /wamid\.[\w+/=%-]*/gi;
/** Ids of ours, of which some hold seven digits in a row. */
const OWN_IDS = String.raw`\b(?:(?:ws|usr|key|pn|ct|fs|tpl|msg|evt|whe?|req|aud|alr|mail|inv|ses)_[0-9a-z]{26}|whd_[0-9a-f]{32})\b`;
/** Not masked: our own ids, timestamps, and the example number in our error messages. */
const OWN = String.raw`${OWN_IDS}|\d{4}-\d\d-\d\dT[\d:.]+Z|\blike 447700900123\b`;
const DIGITS = new RegExp(String.raw`(${OWN})|\+?\p{Nd}(?:[\s().\-/]*\p{Nd}){6,}`, "gu");

const MAX_PATH_CHARACTERS = 200;

/** Returns a request's path, safe to store or log: callers may put a secret or a number in place of an id. */
export function maskedPath(url: string): string {
  return maskNumbers(readable(new URL(url).pathname)).slice(0, MAX_PATH_CHARACTERS);
}

/** Decodes the path, because a number may be percent-encoded. */
const readable = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
