import { searchedDigits } from "./phone";
import { characterCount } from "./text";

/** What a search looks for: an id, a number or a text. */
export type SearchTerm =
  | { kind: "id"; prefix: string; id: string }
  | { kind: "whatsappMessageId"; whatsappMessageId: string }
  | { kind: "apiKey"; apiKey: string }
  /** An idempotency key, WhatsApp's id of a line, or a phone where the text can be one. */
  | { kind: "text"; text: string; phone: string | undefined };

const MAX_TEXT_CHARACTERS = 255;

/**
 * Parses a search term: finds an id anywhere in the pasted text, such as a URL, a log line or a whole
 * response. Undefined if there is nothing to search for, or if it contains a secret.
 */
export function readSearchTerm(given: string): SearchTerm | undefined {
  const text = given.trim().replace(QUOTED, "$2").trim().toWellFormed();
  if (text === "" || text.includes("\0") || /sk_(live|test)_|whsec_/.test(text)) return undefined;
  const [id] = ID.exec(text) ?? [];
  if (id) return { kind: "id", prefix: id.split("_", 1).join(), id };
  const [whatsappMessageId] = /wamid\.[\w+/=-]+/.exec(text) ?? [];
  if (whatsappMessageId) return { kind: "whatsappMessageId", whatsappMessageId };
  const [apiKey] = /pk_(live|test)_[0-9A-Za-z]+/.exec(text) ?? [];
  if (apiKey) return { kind: "apiKey", apiKey };
  return characterCount(text) > MAX_TEXT_CHARACTERS ? undefined : { kind: "text", text, phone: readAnyPhone(text) };
}

const QUOTED = /^(["'`])(.*)\1$/s;
const ID = /\b(?:(?:msg|req|pn|ct|tpl|key|whe)_[0-9a-z]{26}|whd_[0-9a-f]{32})\b/;

/** More lenient than `readPhone`: accepts a leading 00 and a national (0). */
function readAnyPhone(text: string): string | undefined {
  const digits = searchedDigits(text);
  return digits !== undefined && /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}
