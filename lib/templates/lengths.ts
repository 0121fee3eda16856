import type { Issue } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { characterCount, quote } from "@/lib/core/text";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";

/** The API's limit for every text parameter of a template, including URL suffixes. */
export const MAX_PARAMETER_CHARACTERS = 160;

/** A caller's value and its field path: `templateVariables.1`. */
export type NamedText = { path: string; text: string };

/** One issue for each text over 160 code points, with its length. */
export function checkParameterLengths(parameters: NamedText[]): Issue[] {
  return parameters.flatMap((parameter) => checkLength(parameter, MAX_PARAMETER_CHARACTERS));
}

/** The 160-character rule on every `{ type: "text", text }` at any depth of the caller's own `templateComponents`. */
export function checkGivenLengths(components: unknown[]): Issue[] {
  return checkParameterLengths(textParameters(components, "templateComponents"));
}

/** Returns an issue if a value is longer than `maxCharacters` code points. */
export function checkLength({ path, text }: NamedText, maxCharacters: number): Issue[] {
  const characters = characterCount(text);
  if (characters <= maxCharacters) return [];
  return [{ path, message: `${quote(text)} is ${characters} characters, the limit is ${maxCharacters}. Shorten it.` }];
}

/** Checks WhatsApp's limit after substitution: 1,024 code points for a body, 160 on a card, 60 for a header. */
export function checkFilledLength({ path, text }: NamedText, kind: "body" | "card body" | "header"): Issue[] {
  const [name, most] = FILLED_TEXTS[kind];
  const characters = characterCount(text);
  if (characters <= most) return [];
  const message = `${name} is ${characters} characters with its values filled in; WhatsApp allows ${most}. Shorten the values.`;
  return [{ path, message }];
}

const FILLED_TEXTS = {
  body: ["The body", MAX_CHARACTERS.body],
  "card body": ["The card's body", MAX_CHARACTERS.cardBody],
  header: ["The header", MAX_CHARACTERS.headerText],
} as const;

function textParameters(value: unknown, path: string): NamedText[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => textParameters(item, `${path}[${index}]`));
  if (!isRecord(value)) return [];
  const below = Object.entries(value).flatMap(([key, item]) => textParameters(item, `${path}.${key}`));
  const { type, text } = value;
  return type === "text" && typeof text === "string" ? [{ path: `${path}.text`, text }, ...below] : below;
}
