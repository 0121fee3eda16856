import { cutText, quote } from "./text";

/** The fewest and the most digits of a number with its country code. */
export const PHONE_DIGITS = [7, 15] as const;

export type PhoneReading = { phone: string } | { fault: string };

/** Characters that chats and documents put into copied numbers: read as the space, the hyphen or the nothing they look like. */
const ODD_SPACES = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000`;
const DASHES = String.raw`\u2010-\u2015\u2212\ufe58\ufe63\uff0d`;
const INVISIBLE = String.raw`\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff`;

/** The characters between digits that `readPhone` drops, as a class that every engine of regular expressions reads. */
export const SEPARATORS = String.raw`[ \-.()${ODD_SPACES}${DASHES}${INVISIBLE}]`;

/** A number as it is typed on a keyboard: invisible characters left out, odd spaces and dashes made plain. */
export function plainNumber(text: string): string {
  return text
    .replace(new RegExp(`[${INVISIBLE}]`, "g"), "")
    .replace(new RegExp(`[${ODD_SPACES}]`, "g"), " ")
    .replace(new RegExp(`[${DASHES}]`, "g"), "-");
}

/** Parses a recipient's number: strips separators and a leading `+`, and requires 7–15 digits. Never guesses. */
export function readPhone(given: string): PhoneReading {
  const plain = plainNumber(given);
  const digits = withoutMarks(plain);
  const fault = faultOf(plain, digits);
  return fault === undefined ? { phone: digits } : { fault: `${quote(plain)} ${fault}` };
}

const withoutMarks = (text: string): string => text.replace(/[ \-.()]/g, "").replace(/^\+/, "");

function faultOf(given: string, digits: string): string | undefined {
  const pluses = given.split("+").length - 1;
  if (pluses > 1) return `has ${pluses} plus signs. Send one at the start, or none, like 447700900123.`;
  const [odd] = /[^0-9]/u.exec(digits) ?? [];
  if (odd !== undefined) return `holds ${nameOf(odd)}. Send country code and digits, like 447700900123.`;
  if (digits === "") return "has no digits. Send country code and digits, like 447700900123.";
  // (0) is only for national dialing; after a country code it would reach someone else.
  const meant = withoutMarks(given.replace(/\( *0 *\)/g, ""));
  if (digits.startsWith("00"))
    return `begins with 00. Send the country code first: ${meant.replace(/^0+/, "") || "447700900123"}.`;
  if (digits.startsWith("0"))
    return "looks like a national number. Send it with its country code instead of the leading 0, like 447700900123.";
  if (meant !== digits) return `holds the national (0). Leave it out: ${meant}.`;
  const [least, most] = PHONE_DIGITS;
  return digits.length < least || digits.length > most
    ? `has ${digits.length} digits; a number with country code has ${least} to ${most}, like 447700900123.`
    : undefined;
}

/** What a character is: one that looks like a digit or like nothing is found only by its name. */
function nameOf(odd: string): string {
  const code = odd.codePointAt(0) ?? 0;
  const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (odd === "+") return "a plus sign that is not at the start";
  if (odd === "\t") return "a tab";
  if (odd === "\n" || odd === "\r") return "a line break";
  if (/[a-z]/i.test(odd)) return `the letter ${odd}`;
  if (/[\uff01-\uff5e]/.test(odd)) return `a full-width ${String.fromCharCode(code - 0xfee0)} (${point})`;
  if (/\p{Nd}/u.test(odd)) return `a digit other than 0 to 9: ${odd} (${point})`;
  if (/\p{L}/u.test(odd)) return `the letter ${odd} (${point})`;
  if (/[!-~]/.test(odd)) return `the character ${odd}`;
  return /[\p{C}\p{Z}\p{M}]/u.test(odd) ? `the character ${point}` : `the character ${odd} (${point})`;
}

/** The digits of a searched number, also of its beginning: a leading 00 or national (0) is left out. Undefined for a text. */
export function searchedDigits(text: string): string | undefined {
  const plain = plainNumber(text);
  if (!/^[+\d\s().\-/]*\d[+\d\s().\-/]*$/.test(plain)) return undefined;
  return plain
    .replace(/\(\s*0\s*\)/g, "")
    .replace(/\D/g, "")
    .replace(/^00/, "");
}

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
/** Our ids, some of which hold seven digits in a row. */
const OWN_IDS = String.raw`\b(?:(?:ws|usr|key|pn|ct|fs|tpl|msg|evt|whe?|req|aud|alr|mail|inv|ses)_[0-9a-z]{26}|whd_[0-9a-f]{32})\b`;
/** Not masked: our own ids, timestamps, and the example number in our error messages. */
const OWN = String.raw`${OWN_IDS}|\d{4}-\d\d-\d\dT[\d:.]+Z|\blike 447700900123\b`;
const BETWEEN = String.raw`(?:[\s/]|${SEPARATORS})*`;
const DIGITS = new RegExp(String.raw`(${OWN})|\+?\p{Nd}(?:${BETWEEN}\p{Nd}){6,}`, "gu");

const MAX_PATH_CHARACTERS = 200;

/** Returns a request's path, safe to store or log: callers may put a secret or a number in place of an id. */
export function maskedPath(url: string): string {
  return cutText(maskNumbers(readable(new URL(url).pathname)), MAX_PATH_CHARACTERS);
}

/** Decodes the path, because a number may be percent-encoded. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
