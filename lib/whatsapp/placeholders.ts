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

/** Fills every placeholder that `values` has. Placeholders inside values are not filled. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (placeholder, key: string) => values.get(key) ?? placeholder);
}

/** Returns a few characters on either side of a placeholder, so that people recognize it. */
export function textAround(text: string, key: string): string {
  const match = Array.from(text.matchAll(PLACEHOLDER)).find(([, found]) => found === key);
  if (!match) return "";
  const before = Array.from(text.slice(0, match.index));
  const after = text.slice(match.index + match[0].length);
  const start = before.slice(-AROUND_CHARACTERS).join("");
  const excerpt = `${before.length > AROUND_CHARACTERS ? "…" : ""}${start}${match[0]}${shorten(after, AROUND_CHARACTERS)}`;
  return excerpt.replace(/\s+/g, " ");
}

/** Splits a text at its placeholders into plain text and keys. */
export function splitAtPlaceholders(text: string): ({ text: string } | { key: string })[] {
  return text
    .split(PLACEHOLDER)
    .map((part, place) => (place % 2 === 1 ? { key: part } : { text: part }))
    .filter((part) => "key" in part || part.text !== "");
}
