import { shorten } from "@/lib/core/text";

const REASON_CHARACTERS = 1_000;

/** WhatsApp's text as Postgres can keep it: no NUL, a lone surrogate becomes U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** WhatsApp's words within a message of ours: short, as `details.platform` has them whole, and with a full stop. */
export function asSentence(text: string, mostCharacters = 150): string {
  const shortened = shorten(text, mostCharacters);
  return /[.!?…]$/.test(shortened) ? shortened : `${shortened}.`;
}

/** One line of at most 1,000 characters: line breaks and tabs become spaces, other control characters go. */
export function reasonText(text: string): string {
  const line = storableText(text)
    .replace(/[\t\n\r]+/g, " ")
    .replace(/\p{Control}/gu, "")
    .trim();
  return [...line.slice(0, REASON_CHARACTERS * 2)].slice(0, REASON_CHARACTERS).join("");
}
