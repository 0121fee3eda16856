import { cutText } from "./text";

/** Marks that vowels are written with in Arabic and Hebrew, where a writer likes; hamza and madda make other letters. */
const VOWEL_MARKS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g;
const TATWEEL = /\u0640/g;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u180e]/gu;
/** Marks of other scripts make another letter or word: Cyrillic й, Japanese が, Devanagari vowels. */
const ACCENTS = /([\p{Script=Latin}\p{Script=Greek}\p{N}])\p{M}+/gu;
/** Latin letters whose stroke Unicode does not take apart. */
const STROKES: Record<string, string> = { ø: "o", ł: "l", đ: "d", ħ: "h", ŧ: "t", æ: "ae", œ: "oe" };

/** Leaves out what no reader sees: zero-width characters, variation selectors, marks of direction. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

/**
 * Returns a text as it is compared with what another person typed: case, dots of i, accents of Latin and Greek letters,
 * optional vowel marks, tatweel, invisible characters and widths are equal. Idempotent; of one language for all.
 */
export function fold(text: string): string {
  return cased(withoutInvisible(text).normalize("NFKD"))
    .replace(/ı/g, "i")
    .replace(/ς/g, "σ")
    .replace(VOWEL_MARKS, "")
    .replace(TATWEEL, "")
    .replace(ACCENTS, "$1")
    .replace(/[øłđħŧæœ]/g, (letter) => STROKES[letter] ?? letter)
    .normalize("NFC")
    .replace(/\s+/gu, " ")
    .trim();
}

/** An index entry has at most 2,704 bytes, and a few characters fold to many. */
const MAX_KEY_CHARACTERS = 200;

/** Returns a name, or the beginning of one, as searches compare it. */
export function searchKey(name: string): string {
  return cutText(fold(name), MAX_KEY_CHARACTERS);
}

/** By way of capitals, which ß and ss, ς and σ, ı and i share. */
const cased = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();
