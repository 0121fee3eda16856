import { z } from "zod";
import { fold, withoutInvisible } from "@/lib/core/fold";
import { characterCount } from "@/lib/core/text";
import { splitWords } from "./word-list";

const MAX_WORDS = 20;
const MAX_CHARACTERS = 40;

/**
 * Returns a text as stop words are stored: in lower case, without the spaces and punctuation around it. Marks of its last
 * letter stay: in many scripts they are vowels. Invisible characters go first, because one may stand before such a mark.
 */
export function asWord(text: string): string {
  const plain = withoutInvisible(text).normalize("NFKC").replaceAll("\u20E3", "");
  const [word = ""] = plain.match(/[\p{L}\p{N}](?:.*[\p{L}\p{N}])?\p{M}*/su) ?? [];
  return word.replace(/\s+/g, " ").toLowerCase();
}

/** Returns how texts are compared with `words`: folded, so that words saved by an earlier release match, too. */
export function matcherOf(words: readonly string[]): (text: string) => boolean {
  const folded = new Set(words.map(comparable));
  return (text) => folded.size > 0 && folded.has(comparable(text));
}

/** Folded first: what it leaves out may hide where the word ends. */
const comparable = (text: string): string => asWord(fold(text));

/** Leaves out what repeats an earlier word in other letters. */
function distinct(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words.filter((word) => seen.size < seen.add(comparable(word)).size);
}

/** Words as an owner types them. */
const Words = z
  .string()
  .max(2_000, `At most ${MAX_WORDS} words.`)
  .transform((text) => distinct(splitWords(text).map(asWord)))
  .refine((words) => words.every((word) => comparable(word) !== ""), "A word needs a letter or a digit.")
  .refine((words) => words.length <= MAX_WORDS, `At most ${MAX_WORDS} words.`)
  .refine(
    (words) => words.every((word) => characterCount(word) <= MAX_CHARACTERS),
    `A word or phrase has at most ${MAX_CHARACTERS} characters.`,
  );

/** What a workspace does for people who want no marketing. */
export const StopWords = z
  .object({
    stopWords: Words,
    startWords: Words,
    refuseOptedOut: z
      .literal("on")
      .optional()
      .transform((given) => given === "on"),
  })
  .refine(({ stopWords, startWords }) => !startWords.some(matcherOf(stopWords)), {
    path: ["startWords"],
    message: "A word cannot stop marketing and allow it.",
  });
