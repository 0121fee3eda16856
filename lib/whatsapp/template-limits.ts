import { MOST_TEMPLATE_BUTTONS } from "./limits";
import { findPlaceholders, isNumeric } from "./placeholders";

export type BodyFault = "gap" | "leadingVariable" | "trailingVariable" | "adjacentVariables" | "tooFewWords";

/** How the variables of a template's body stand against WhatsApp's rules, in the order in which to report it. */
export function bodyFaults(body: string): BodyFault[] {
  const keys = findPlaceholders(body);
  if (keys.length === 0) return [];
  const words = body.trim().split(/\s+/).length;
  return [
    ...(firstGap(keys) === undefined ? [] : (["gap"] as const)),
    ...(/^\s*\{\{/.test(body) ? (["leadingVariable"] as const) : []),
    ...(/\}\}\s*$/.test(body) ? (["trailingVariable"] as const) : []),
    ...(/\}\}\s*\{\{/.test(body) ? (["adjacentVariables"] as const) : []),
    ...(words < 2 * keys.length + 1 ? (["tooFewWords"] as const) : []),
  ];
}

/** The first number that is missing among a body's keys. Names have no order, but stand beside no numbers. */
export function firstGap(keys: string[]): number | undefined {
  if (!keys.some(isNumeric)) return undefined;
  const place = keys.findIndex((key, index) => key !== String(index + 1));
  return place < 0 ? undefined : place + 1;
}

export type ButtonsFault =
  | { rule: "tooMany"; most: number }
  | { rule: "tooManyOfType"; type: keyof typeof MOST_TEMPLATE_BUTTONS; most: number }
  | { rule: "scatteredReplies" };

/** What WhatsApp refuses about the buttons of a template or card, from their types. */
export function buttonsFaults(types: readonly string[], most: number): ButtonsFault[] {
  const isReply = types.map((type) => type === "QUICK_REPLY");
  const turns = isReply.filter((is, index) => index > 0 && is !== isReply[index - 1]).length;
  return [
    ...(types.length > most ? [{ rule: "tooMany", most } as const] : []),
    ...BUTTON_TYPES.filter((type) => types.filter((one) => one === type).length > MOST_TEMPLATE_BUTTONS[type]).map(
      (type) => ({ rule: "tooManyOfType", type, most: MOST_TEMPLATE_BUTTONS[type] }) as const,
    ),
    ...(turns > 1 ? [{ rule: "scatteredReplies" } as const] : []),
  ];
}

const BUTTON_TYPES = Object.keys(MOST_TEMPLATE_BUTTONS) as (keyof typeof MOST_TEMPLATE_BUTTONS)[];
