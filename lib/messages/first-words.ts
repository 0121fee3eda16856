import { shorten } from "@/lib/core/text";

/**
 * What precedes a message's text in its stored request, by type. Quotes within values are escaped there, so a text that
 * contains the same characters is not taken for it.
 */
export const BEFORE_WORDS = {
  text: '"content":{"type":"text","text":"',
  interactive: '"body":{"text":"',
} as const;

/** The characters of a stored request that a list reads; escapes take up to six each. */
export const READ_CHARACTERS = 300;

const SHOWN_CHARACTERS = 100;

/** Returns the first words of a message, on one line, from the part of its stored request that begins with them. */
export function firstWords(part: string): string | null {
  const [inside = ""] = /^(?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*/i.exec(part) ?? [];
  const text: string = JSON.parse(`"${inside}"`);
  return shorten(text.toWellFormed().replace(/\s+/g, " ").trim(), SHOWN_CHARACTERS) || null;
}
