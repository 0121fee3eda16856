import type { TemplateButton, TemplateDefinition, TemplatePart } from "./definition";
import { HEADER_ID, listVariables, readCardKey, type TemplateVariable } from "./variable-keys";

/** A field of the form that fills a template: one for each key of a send. */
export type ValueField = TemplateVariable & {
  /** The slots as named in the API, with the button's label: `body`, `button 1 url (Track)`. */
  places: string[];
  /** The template's URL up to the value, if the key fills only a link. */
  urlBase: string | null;
};

/** The fields of the message itself (`cardIndex` null) and of each card that takes values. */
export function groupFields(definition: TemplateDefinition): { cardIndex: number | null; fields: ValueField[] }[] {
  const fields = listVariables(definition)
    .filter(({ fillWith }) => fillWith === undefined)
    .map((variable) => fieldOf(variable, definition));
  const cardIndexOf = ({ key }: ValueField) => {
    const cardIndex = readCardKey(key)?.cardIndex ?? null;
    return cardIndex !== null && cardIndex < definition.cards.length ? cardIndex : null;
  };
  return [null, ...definition.cards.keys()]
    .map((cardIndex) => ({ cardIndex, fields: fields.filter((field) => cardIndexOf(field) === cardIndex) }))
    .filter((group) => group.fields.length > 0);
}

/** A media header takes a link or, in its place, a media id of WhatsApp's. */
export function isMediaId({ key }: ValueField): boolean {
  return (readCardKey(key)?.slot ?? key) === HEADER_ID;
}

/** Returns the labels of buttons that take no value. */
export function buttonsWithoutValue(definition: TemplateDefinition): string[] {
  return [
    ...new Set(
      [definition, ...definition.cards].flatMap(({ buttons }) =>
        buttons.flatMap(({ kind, label }) => (kind === "quickReply" || kind === "fixed" ? [label] : [])),
      ),
    ),
  ];
}

function fieldOf(variable: TemplateVariable, definition: TemplateDefinition): ValueField {
  const buttons = variable.where.map((place) => buttonAt(place, definition));
  const [first] = buttons;
  const isLinkOnly = buttons.every((button) => button?.kind === "url") && first?.kind === "url" && first.url !== null;
  return {
    ...variable,
    places: variable.where.map((place, at) => (buttons[at]?.label ? `${place} (${buttons[at]?.label})` : place)),
    urlBase: isLinkOnly ? (first.url?.slice(0, first.url.indexOf("{{")) ?? null) : null,
  };
}

function buttonAt(place: string, definition: TemplateDefinition): TemplateButton | undefined {
  const [, card, button] = /^(?:card (\d+) )?button (\d+)/.exec(place) ?? [];
  const part = card === undefined ? definition : definition.cards[Number(card)];
  return button === undefined ? undefined : part?.buttons[Number(button)];
}

/** Summarizes the inputs that a send of the template needs: `2 texts`, `image`, `link`, `3 cards`. */
export function inputKinds(definition: TemplateDefinition): string[] {
  const { cards } = definition;
  const ofCards = [...new Set(cards.flatMap(kindsOf))];
  return [
    ...kindsOf(definition),
    ...(cards.length > 0
      ? [
          `${cards.length === 1 ? "1 card" : `${cards.length} cards`}${ofCards.length > 0 ? ` (${ofCards.join(", ")})` : ""}`,
        ]
      : []),
  ];
}

function kindsOf({ header, body, buttons }: TemplatePart): string[] {
  const texts = new Set(
    [...(header?.kind === "text" ? header.slots : []), ...(body?.slots ?? [])].map(({ key }) => key),
  );
  const kinds = buttons.map(({ kind }) => kind);
  return [
    ...(header?.kind === "media" ? [header.format] : []),
    ...(header?.kind === "other" ? [header.format.toLowerCase()] : []),
    ...(texts.size > 0 ? [texts.size === 1 ? "1 text" : `${texts.size} texts`] : []),
    ...(kinds.includes("url") ? ["link"] : []),
    ...(kinds.includes("copyCode") ? ["code"] : []),
    ...(kinds.includes("catalog") || kinds.includes("multiProduct") ? ["product"] : []),
  ];
}
