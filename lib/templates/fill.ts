import { type Issue, invalid } from "@/lib/core/app-error";
import { listSome, quote, shorten } from "@/lib/core/text";
import type { CardComponent, TemplateComponent } from "@/lib/whatsapp/message-payload";
import { type Carousel, cardSource, checkCarousel } from "./carousel";
import type { TemplateDefinition } from "./definition";
import { type Faults, fillPart, type Gap, type PartSource } from "./fill-part";
import {
  type ComponentOnly,
  componentOnlyPlaces,
  HEADER_ID,
  HEADER_LINK,
  listVariables,
  readCardKey,
  type TemplateVariable,
} from "./variable-keys";

export type TemplateValues = {
  templateVariables?: Record<string, string>;
  /** Takes precedence over `templateVariables`, per slot, in the main body only. */
  bodyParameters?: Record<string, string>;
  carousel?: Carousel;
};

type Given = {
  variables: ReadonlyMap<string, string>;
  bodyParameters: ReadonlyMap<string, string>;
  carousel: Carousel | undefined;
  /** The field to name in the error for a missing body value. */
  bodyField: "templateVariables" | "bodyParameters";
};

/**
 * Builds a send's components from simple values; empty without variables. Link headers stay links, for the media
 * step to upload. Throws one VALIDATION_ERROR with every missing, extra and invalid value.
 */
export function fillTemplate(definition: TemplateDefinition, values: TemplateValues): TemplateComponent[] {
  const places = [definition, ...definition.cards].flatMap(componentOnlyPlaces);
  if (places.length > 0) throw invalid([unfillable(definition, places)]);
  return toComponents(fillParts(definition, values));
}

/** The components that simple values fill, of the message and of each card. */
export type FilledParts = { main: TemplateComponent[]; cards: { index: number; components: CardComponent[] }[] };

/** Fills only the parts that simple values can fill. Throws like `fillTemplate` for invalid values. */
export function fillParts(definition: TemplateDefinition, values: TemplateValues): FilledParts {
  const given: Given = {
    variables: new Map(Object.entries(values.templateVariables ?? {})),
    bodyParameters: new Map(Object.entries(values.bodyParameters ?? {})),
    carousel: values.carousel,
    bodyField: values.bodyParameters && !values.templateVariables ? "bodyParameters" : "templateVariables",
  };
  const faults: Faults = { gaps: [], issues: [] };
  const main = fillPart(definition, mainSource(definition, given), faults);
  const cards = fillCards(definition, given, faults);
  const issues = [
    ...describeGaps(faults.gaps, given),
    ...checkSurplus(definition, given),
    ...(given.carousel ? checkCarousel(definition, { ...given, carousel: given.carousel }) : []),
    ...withoutRepeats(faults.issues),
  ];
  if (issues.length > 0) throw invalid(issues);
  return { main, cards };
}

/** Adds the carousel with all its cards, or leaves it out if no card takes a value. */
export function toComponents({ main, cards }: FilledParts): TemplateComponent[] {
  return cards.some(({ components }) => components.length > 0) ? [...main, { type: "carousel", cards }] : main;
}

function unfillable({ name }: TemplateDefinition, places: ComponentOnly[]): Issue {
  const reasons = [...new Set(places.map(({ what }) => what))];
  const message = `Template ${quote(name)} has ${listSome(reasons)}, which simple values cannot fill. Send \`templateComponents\` instead.`;
  return { path: "templateComponents", message };
}

function mainSource({ isNamed }: TemplateDefinition, given: Given): PartSource {
  const variable = (key: string) => ({ path: `templateVariables.${key}`, text: given.variables.get(key) });
  return {
    kind: "main",
    isNamed,
    nameOf: (place) => place,
    headerText: variable,
    headerMedia: { link: variable(HEADER_LINK), id: variable(HEADER_ID) },
    body: (key) => {
      const text = given.bodyParameters.get(key);
      if (text !== undefined) return { path: `bodyParameters.${key}`, text };
      return given.bodyField === "templateVariables" ? variable(key) : { path: `bodyParameters.${key}`, text };
    },
    button: (_, key) => (key === null ? { path: "templateVariables", text: undefined } : variable(key)),
  };
}

const fillCards = (definition: TemplateDefinition, given: Given, faults: Faults) =>
  definition.cards.flatMap((card, index) => {
    // A card missing from the structured form is one fault, not one per slot.
    if (given.carousel && !given.carousel.cards.some((structured) => structured.index === index)) return [];
    const source = cardSource(card, index, { ...given, isNamed: definition.isNamed });
    return [{ index, components: fillPart(card, source, faults) }];
  });

/** Returns one issue per missing value: a key used by the body and a URL button is one value. */
const describeGaps = (gaps: Gap[], { bodyParameters }: Given): Issue[] =>
  [...new Set(gaps.map(({ path }) => path))].map((path) => {
    const same = gaps.filter((gap) => gap.path === path);
    const isBodyOnly = same.some(({ key }) => path === `templateVariables.${key}` && bodyParameters.has(key));
    const hint = isBodyOnly ? " `bodyParameters` reaches the main body only." : "";
    const places = same.map(({ place }) => place).join(" and ");
    return { path, message: `is required. It fills ${shorten(places, 160)}.${hint}` };
  });

function checkSurplus(definition: TemplateDefinition, { variables, bodyParameters }: Given): Issue[] {
  const listed = listVariables(definition);
  const keys = listed.flatMap(({ key, fillWith }) => (fillWith === undefined ? [key] : []));
  const bodyKeys = definition.body?.slots.map(({ key }) => key) ?? [];
  return [
    ...surplus(variables, keys).map((key) => {
      const special = listed.find((variable) => variable.key === key);
      return {
        path: `templateVariables.${key}`,
        message: special
          ? noStringFills(special)
          : `The template has no variable ${quote(key)}. ${expectedKeys(key, keys, definition.cards.length)}`,
      };
    }),
    ...surplus(bodyParameters, bodyKeys).map((key) => ({
      path: `bodyParameters.${key}`,
      message: `The main body has no {{${shorten(key, 20)}}}. ${variablesOf("Its variables", bodyKeys)}`,
    })),
  ];
}

/** Explains that a key given in `templateVariables` can only be filled by `templateComponents`. */
function noStringFills({ key, where, oneOf = [] }: TemplateVariable): string {
  const others = oneOf.filter((other) => other !== key).map((other) => `\`${other}\` here`);
  const ways = ["`templateComponents` in place of `templateVariables`", ...others].join(", or ");
  return `No string fills ${quote(key)} (${where.join(" and ")}). Send ${ways}.`;
}

const surplus = (given: ReadonlyMap<string, string>, known: string[]): string[] =>
  [...given.keys()].filter((key) => !known.includes(key));

function expectedKeys(key: string, keys: string[], cardCount: number): string {
  const card = readCardKey(key);
  if (!card) return variablesOf("Its variables", keys);
  if (cardCount === 0) return `It has no cards. ${variablesOf("Its variables", keys)}`;
  if (card.cardIndex >= cardCount) return `It has ${cardCount} cards, 0 to ${cardCount - 1}.`;
  const cardKeys = keys.filter((known) => readCardKey(known)?.cardIndex === card.cardIndex);
  return variablesOf(`The variables of card ${card.cardIndex}`, cardKeys);
}

function variablesOf(whose: string, keys: string[]): string {
  if (keys.length === 0) return "It has none: remove it.";
  const shown = keys.map((key) => shorten(key, 32));
  return `${whose} are ${listSome(shown, 6)}.`;
}

/** Reports an invalid value once, even if two slots use it. */
const withoutRepeats = (issues: Issue[]): Issue[] => [
  ...new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue])).values(),
];
