import { z } from "zod";
import { characterCount } from "@/lib/core/text";

const MAX_WORDS = 20;
const MAX_CHARACTERS = 40;

/** Returns a text as stop words are stored and compared: in lower case, without the spaces and marks around it. */
export function asWord(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .replace(/\s+/g, " ")
    .toLowerCase();
}

/** Words as an owner types them, separated by commas or lines. */
const Words = z
  .string()
  .max(2_000, `At most ${MAX_WORDS} words.`)
  .transform((text) => [
    ...new Set(
      text
        .split(/[,\n]/)
        .filter((part) => part.trim() !== "")
        .map(asWord),
    ),
  ])
  .refine((words) => !words.includes(""), "A word needs a letter or a digit.")
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
  .refine(({ stopWords, startWords }) => !startWords.some((word) => stopWords.includes(word)), {
    path: ["startWords"],
    message: "A word cannot stop marketing and allow it.",
  });
