import type { Issue } from "@/lib/errors";
import { isRecord } from "@/lib/is-record";
import { checkGivenLengths } from "./lengths";

/**
 * The faults of the caller's own `templateComponents`, which are forwarded unchanged: what we know the platform would
 * refuse, and our 160-character rule. Component types that are new to us pass; an empty list is fine.
 */
export const checkGivenComponents = (components: unknown[]): Issue[] => [
  ...components.flatMap((component, index) => checkComponent(component, `templateComponents[${index}]`)),
  ...checkGivenLengths(components),
];

const checkComponent = (component: unknown, path: string): Issue[] => {
  if (!isRecord(component)) {
    const message =
      'A component is an object, like { "type": "body", "parameters": [{ "type": "text", "text": "Ada" }] }.';
    return [{ path, message }];
  }
  if (typeof component.type !== "string" || component.type === "") {
    const message = 'A component needs a string `type`, such as "header", "body", "button" or "carousel".';
    return [{ path: `${path}.type`, message }];
  }
  if (component.type.toLowerCase() !== "carousel" || !Array.isArray(component.cards)) return [];
  return component.cards.flatMap((card: unknown, index) => checkCard(card, index, `${path}.cards[${index}]`));
};

const checkCard = (card: unknown, index: number, path: string): Issue[] => {
  if (isRecord(card) && typeof card.card_index === "number") return [];
  const message = `A carousel card needs \`card_index\`, a number, here ${index}: without it the platform refuses the send with a duplicate-index error.`;
  return [{ path: `${path}.card_index`, message }];
};
