import { maskedPhone } from "./phone";

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
/** Not masked: our own ids, timestamps, and the example number in our error messages. */
const OWN = String.raw`\b(?:ws|usr|key|pn|ct|fs|tpl|msg|evt|wh|req|aud)_[0-9a-z]{26}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|\blike 447700900123\b`;
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
