import { SNIPPET_LANGUAGES } from "./snippets";

/** What a reader may choose where a call is shown in several languages. */
export const LANGUAGES = { ...SNIPPET_LANGUAGES, json: "JSON body" } as const;
export type Language = keyof typeof LANGUAGES;

export function readLanguage(stored: string | null): Language {
  return LANGUAGE_NAMES.find((name) => name === stored) ?? "curl";
}

const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];
