import { maskedPhone } from "./phone";

/** A text with every run of digits that could be a phone number masked, and without anything like a secret. */
export function maskNumbers(text: string): string {
  return text
    .replace(SECRET, "sk_…")
    .replace(PLATFORM_ID, "wamid.…")
    .replace(DIGITS, (run, own) => (own ? run : maskedPhone(run.replace(/\P{Nd}/gu, ""))));
}

const SECRET = /sk_(live|test)_\w*|\bEAA[0-9A-Za-z_-]{8,}/gi;
/** WhatsApp's message ids hold the recipient's number, encoded. */
const PLATFORM_ID = /wamid\.[\w+/=%-]*/gi;
/** Our own ids and instants have long runs of digits, too, and our refusals an example of a number. */
const OWN = String.raw`\b(?:ws|usr|key|pn|ct|fs|tpl|msg|evt|wh|req|aud)_[0-9a-z]{26}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|\blike 447700900123\b`;
const DIGITS = new RegExp(String.raw`(${OWN})|\+?\p{Nd}(?:[\s().\-/]*\p{Nd}){6,}`, "gu");

const MAX_PATH_CHARACTERS = 200;

/** The path of a request as it may be kept or logged: a caller may put a secret or a number where an id belongs. */
export function maskedPath(url: string): string {
  return maskNumbers(readable(new URL(url).pathname)).slice(0, MAX_PATH_CHARACTERS);
}

/** A number may be written with percent signs, too. */
const readable = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
