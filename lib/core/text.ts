const MAX_QUOTED_CHARACTERS = 40;

/** Counts Unicode code points, the unit of every limit of this API. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const WHOLE = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * At most the first `characters` code points of a text, with an ellipsis where something was cut off: never between the parts
 * of one visible character, such as a letter and its accent, unless there is no other place.
 */
export function shorten(text: string, characters: number): string {
  // A code point is at most two UTF-16 units, so this slice is long enough; a huge value is not split in full.
  const start = text.slice(0, 2 * characters + 2);
  const points = Array.from(start);
  if (points.length <= characters) return text;
  const most = points.slice(0, characters).join("").length;
  const whole = WHOLE.segment(start).containing(most)?.index || most;
  return `${start.slice(0, whole)}…`;
}

/** At most the first `characters` code points of a text. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return Array.from(text.slice(0, 2 * characters))
    .slice(0, characters)
    .join("");
}

/** An id for a narrow place: its beginning, which names its kind, and its end, which tells it from others. */
export function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

/** Quotes a caller's value for an error message: on one line, 40 characters at most. */
export function quote(value: string): string {
  return `"${shorten(value, MAX_QUOTED_CHARACTERS).replace(/\p{Cc}+/gu, " ")}"`;
}

/** `a, b, c`; after `most` items, `and 4 more`. */
export function listSome(items: string[], most = 5): string {
  const shown = items.slice(0, most).join(", ");
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}

/** Formats a WhatsApp constant for display: `LIMIT_REACHED` becomes `Limit reached`. */
export function sentenceCase(word: string): string {
  const spaced = word.toLowerCase().replaceAll("_", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Formats a wait for display, rounded up: `58 s`, `10 min`, `24 h`. */
export function waitWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 2 * 3_600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

const NUMBER = new Intl.NumberFormat("en-GB");

/** Formats a number with commas between thousands. */
export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** A share in percent with one decimal: not rounded down to none, or up to all. */
export function percentOf(part: number, whole: number): number {
  if (part === 0 || part === whole) return part === 0 ? 0 : 100;
  return Math.min(99.9, Math.max(0.1, Math.round((1_000 * part) / whole) / 10));
}

/** Decodes bytes; what the encoding does not have becomes U+FFFD or a control character. */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  // As a stream, because some releases of Node read Windows-1252 as Latin-1 otherwise (findings/windows-1252.sh).
  const decoder = new TextDecoder(encoding);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}
