import { shorten } from "@/lib/core/text";

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;
const AROUND_CHARACTERS = 20;

/** The distinct keys of `{{1}}` or `{{name}}` in a text: names in order of first appearance, numbers by size. */
export function findPlaceholders(text: string): string[] {
  const keys = [...new Set(Array.from(text.matchAll(PLACEHOLDER), ([, key = ""]) => key))];
  return keys.every(isNumeric) ? keys.sort((a, b) => Number(a) - Number(b)) : keys;
}

export function isNumeric(key: string): boolean {
  return /^\d+$/.test(key);
}

/** The text with every placeholder that `values` knows filled in; values are never scanned again. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (placeholder, key: string) => values.get(key) ?? placeholder);
}

/** A few characters of the text on either side of a placeholder, so that a person recognises the slot. */
export function textAround(text: string, key: string): string {
  const match = Array.from(text.matchAll(PLACEHOLDER)).find(([, found]) => found === key);
  if (!match) return "";
  const before = Array.from(text.slice(0, match.index));
  const after = text.slice(match.index + match[0].length);
  const start = before.slice(-AROUND_CHARACTERS).join("");
  const excerpt = `${before.length > AROUND_CHARACTERS ? "…" : ""}${start}${match[0]}${shorten(after, AROUND_CHARACTERS)}`;
  return excerpt.replace(/\s+/g, " ");
}

/** A text cut at its placeholders: plain text, and the keys in between. */
export function splitAtPlaceholders(text: string): ({ text: string } | { key: string })[] {
  return text
    .split(PLACEHOLDER)
    .map((part, place) => (place % 2 === 1 ? { key: part } : { text: part }))
    .filter((part) => "key" in part || part.text !== "");
}
