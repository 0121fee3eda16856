import { formatNumber } from "@/lib/core/text";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";

type Place = { latitude: number; longitude: number; name: string | null; address: string | null; url: string | null };

/** What an event holds of an answer (`message.received`). */
type Answered = { type: string; text: string | null; payload: string | null; location?: Place };

/** An interactive message as the docs show it. A test sends each form; another reads each answer. */
export type InteractiveKind = {
  /** The anchor of its section. */
  id: string;
  title: string;
  lead: string;
  /** Of its fields, by their names in the full form. */
  limits: Record<string, string>;
  /** Where there is a short form: it means the same as the full one. */
  short?: Record<string, unknown>;
  full: Record<string, unknown>;
  /** What people do with it. */
  answer: { words: string; event?: Answered };
};

export function characters(most: number): string {
  return `1 to ${formatNumber(most)} characters`;
}

export function entries([least, most]: readonly [number, number]): string {
  return `${least} to ${most}`;
}

export const TEXTS = {
  body: `Required. ${characters(MAX_CHARACTERS.body)}.`,
  footer: characters(MAX_CHARACTERS.footer),
};
export const HEADER = `\`text\` of ${characters(MAX_CHARACTERS.headerText)}, or \`image\`, \`video\` or \`document\` by \`link\` or \`id\``;
export const HEADER_TEXT = `\`text\` only, of ${characters(MAX_CHARACTERS.headerText)}`;
export const LABEL = characters(MAX_CHARACTERS.buttonTitle);
export const BUTTON_ID = `${characters(MAX_CHARACTERS.buttonId)}, no space at its ends, unique`;
