import type { Issue } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { ENTRIES, MAX_INDEX } from "@/lib/whatsapp/limits";
import { meantKey, rightKey } from "@/lib/whatsapp/right-key";
import { checkGivenLengths } from "./lengths";

const [, MAX_CARDS] = ENTRIES.cards;

/**
 * Returns the faults of the caller's own `templateComponents`, which are forwarded unchanged: a shape that WhatsApp
 * refuses in the fields that the contract names, a key of WhatsApp's in another spelling, and our 160-character rule. Other
 * types and fields pass.
 */
export function checkGivenComponents(components: unknown[]): Issue[] {
  const misspelt = misspeltKeys(components, "templateComponents");
  const isMissed = ({ path }: Issue) => misspelt.some(({ meant }) => meant === path);
  return [
    ...misspelt.map(({ path, right }) => ({ path, message: meantKey(right) })),
    ...checkComponents(components, "templateComponents").filter((issue) => !isMissed(issue)),
    ...checkGivenLengths(components),
  ];
}

/** The types of components and parameters whose keys are known. */
const TYPES = [
  ...["header", "body", "button", "carousel", "limited_time_offer", "tap_target_configuration", "text", "currency"],
  ...["date_time", "image", "video", "document", "location", "product", "payload", "coupon_code", "action"],
];
/** It holds the caller's own data. */
const FREE = "flow_action_data";

function misspeltKeys(value: unknown, path: string): { path: string; meant: string; right: string }[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => misspeltKeys(item, `${path}[${index}]`));
  if (!isRecord(value) || (typeof value.type === "string" && !TYPES.includes(value.type.toLowerCase()))) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const [at, right] = [`${path}.${key}`, rightKey(key)];
    if (right !== undefined) return { path: at, meant: `${path}.${right}`, right };
    return key === FREE ? [] : misspeltKeys(item, at);
  });
}

const checkComponents = (components: unknown[], path: string): Issue[] =>
  components.flatMap((component, index) => checkComponent(component, `${path}[${index}]`));

function checkComponent(component: unknown, path: string): Issue[] {
  if (!isRecord(component)) {
    return fault(
      path,
      'A component is an object, like { "type": "body", "parameters": [{ "type": "text", "text": "Ada" }] }.',
    );
  }
  const { type, parameters } = component;
  if (typeof type !== "string" || type === "") {
    return fault(
      `${path}.type`,
      'A component needs a string `type`, such as "header", "body", "button" or "carousel".',
    );
  }
  const kind = type.toLowerCase();
  return [
    ...(kind === "button" ? checkButton(component, path) : []),
    ...(kind === "carousel" ? checkCards(component.cards, `${path}.cards`) : []),
    ...(parameters === undefined ? [] : checkParameters(parameters, `${path}.parameters`)),
  ];
}

function checkParameters(parameters: unknown, path: string): Issue[] {
  if (!Array.isArray(parameters)) {
    return fault(path, '`parameters` must be an array, like [{ "type": "text", "text": "Ada" }].');
  }
  return parameters.flatMap((parameter: unknown, index) => checkParameter(parameter, `${path}[${index}]`));
}

function checkParameter(parameter: unknown, path: string): Issue[] {
  if (!isRecord(parameter)) {
    return fault(path, 'A parameter must be an object, like { "type": "text", "text": "Ada" }.');
  }
  const { type, text } = parameter;
  if (typeof type !== "string" || type === "") {
    return fault(`${path}.type`, 'A parameter needs a string `type`, such as "text".');
  }
  const isTextNeeded = type === "text" || text !== undefined;
  return isTextNeeded && typeof text !== "string" ? fault(`${path}.text`, "`text` must be a string.") : [];
}

const checkButton = ({ sub_type: subType, index }: Record<string, unknown>, path: string): Issue[] => [
  ...(typeof subType === "string" && subType !== ""
    ? []
    : fault(`${path}.sub_type`, 'A button needs `sub_type`, a string: "url" for a link.')),
  ...(isButtonIndex(index)
    ? []
    : fault(
        `${path}.index`,
        "A button needs `index`, from 0 to 9: its place on the template, where the first button is 0.",
      )),
];

const isButtonIndex = (index: unknown): boolean =>
  (typeof index === "string" || typeof index === "number") && /^\d$/.test(String(index));

function checkCards(cards: unknown, path: string): Issue[] {
  if (!Array.isArray(cards)) return fault(path, "A carousel needs `cards`, an array with one object for each card.");
  if (cards.length < 1 || cards.length > MAX_CARDS) {
    return fault(path, `A carousel has 1 to ${MAX_CARDS} cards, and this one has ${cards.length}.`);
  }
  const indexes = cards.map((card: unknown) => (isRecord(card) ? card.card_index : undefined));
  return cards.flatMap((card: unknown, at) => {
    if (!isRecord(card)) return fault(`${path}[${at}]`, "A card is an object with `card_index` and `components`.");
    const isRepeated = indexes.indexOf(card.card_index) < at;
    return checkCard(card, { at, isRepeated, path: `${path}[${at}]` });
  });
}

type Place = { at: number; isRepeated: boolean; path: string };

const checkCard = ({ card_index: index, components }: Record<string, unknown>, place: Place): Issue[] => [
  ...checkCardIndex(index, place),
  ...(Array.isArray(components)
    ? checkComponents(components, `${place.path}.components`)
    : fault(`${place.path}.components`, "A card needs `components`, an array; it may be empty.")),
];

function checkCardIndex(index: unknown, { at, isRepeated, path }: Place): Issue[] {
  if (typeof index !== "number") {
    return fault(
      `${path}.card_index`,
      `A carousel card needs \`card_index\`, a number, here ${at}: without it WhatsApp refuses the send with a duplicate-index error.`,
    );
  }
  if (!Number.isInteger(index) || index < 0 || index > MAX_INDEX) {
    return fault(`${path}.card_index`, `\`card_index\` must be a whole number from 0 to ${MAX_INDEX}.`);
  }
  return isRepeated ? fault(`${path}.card_index`, `\`card_index\` ${index} is that of an earlier card, too.`) : [];
}

const fault = (path: string, message: string): Issue[] => [{ path, message }];
