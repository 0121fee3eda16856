import type { Issue } from "@/lib/core/app-error";
import { listSome, quote } from "@/lib/core/text";
import type { MediaFormat } from "@/lib/whatsapp/message-payload";
import { isNumeric } from "@/lib/whatsapp/placeholders";
import type { Slot, TemplateButton, TemplateDefinition, TemplatePart } from "./definition";
import type { GivenValue, PartSource } from "./fill-part";
import { cardKey, HEADER_ID, HEADER_LINK, readCardKey } from "./variable-keys";

export type CarouselCard = {
  /** The card's place in the template, from 0. */
  index: number;
  /** Ordered: names fill the card's slots in the order the caller wrote them. */
  bodyValues: [slotKey: string, value: string][];
  /** `index` is the button's place on the card; `text` the URL's suffix or the quick reply's payload. */
  buttonValues: { index: number; subType: string; text: string }[];
  /** Exactly one of `link` and `id`. */
  header?: { format: MediaFormat; link?: string; id?: string };
};

/** The structured form of a send, as parsed. */
export type Carousel = { cards: CarouselCard[] };

type Variables = ReadonlyMap<string, string>;

/** Returns one card's values: from the structured form, else from `c{i}_{slot}` keys. */
export function cardSource(
  card: TemplatePart,
  cardIndex: number,
  values: { carousel: Carousel | undefined; variables: Variables; isNamed: boolean },
): PartSource {
  const position = values.carousel?.cards.findIndex(({ index }) => index === cardIndex) ?? -1;
  const structured = values.carousel?.cards[position];
  const root = `carousel.cards[${position}]`;
  const variable = (slot: string): GivenValue => {
    const key = cardKey(cardIndex, slot);
    return { path: `templateVariables.${key}`, text: values.variables.get(key) };
  };
  const body = assignBody(card.body?.slots ?? [], structured?.bodyValues ?? []).assigned;

  return {
    kind: "card",
    isNamed: values.isNamed,
    nameOf: (place) => `card ${cardIndex} ${place}`,
    headerText: variable,
    headerMedia: structured?.header
      ? {
          link: { path: `${root}.header.link`, text: structured.header.link },
          id: { path: `${root}.header.id`, text: structured.header.id },
        }
      : {
          link: variable(HEADER_LINK),
          id: variable(HEADER_ID),
          ...(structured ? { structuredPath: `${root}.header` } : {}),
        },
    body: (key) => {
      const given = body.get(key);
      if (given) return { path: `${root}.bodyValues.${given.key}`, text: given.text };
      const fallback = variable(key);
      if (!structured || fallback.text !== undefined) return fallback;
      return { path: `${root}.bodyValues.${key}`, text: undefined };
    },
    button: (index, key) => {
      const at = structured?.buttonValues.findIndex((value) => value.index === index) ?? -1;
      const given = structured?.buttonValues[at];
      if (given) return { path: `${root}.buttonValues[${at}].parameters.text`, text: given.text };
      const none = { path: `${root}.buttonValues`, text: undefined };
      if (key === null) return none;
      const fallback = variable(key);
      return !structured || fallback.text !== undefined ? fallback : none;
    },
  };
}

/** Returns faults of the structured form other than missing or invalid values: indexes, extra values, duplicates. */
export function checkCarousel(
  { cards }: TemplateDefinition,
  { carousel, variables }: { carousel: Carousel; variables: Variables },
): Issue[] {
  return [
    ...checkIndexes(cards.length, carousel.cards),
    ...carousel.cards.flatMap((structured, position) => {
      const card = cards[structured.index];
      if (!card) return [];
      const root = `carousel.cards[${position}]`;
      return [
        ...checkBodyValues(card, structured, root),
        ...checkButtonValues(card, structured, root),
        ...checkHeader(card, structured, root),
        ...checkDoubles(card, structured, { root, variables }),
      ];
    }),
  ];
}

function checkIndexes(cardCount: number, given: CarouselCard[]): Issue[] {
  if (cardCount === 0) {
    const message = "The template has no cards. Leave `carousel` out, or name a carousel template.";
    return given.length > 0 ? [{ path: "carousel", message }] : [];
  }
  const range = `The template has ${cardCount} cards, 0 to ${cardCount - 1}`;
  const indexes = given.map(({ index }) => index);
  const missing = Array.from({ length: cardCount }, (_, index) => index).filter((index) => !indexes.includes(index));
  const faulty = indexes.flatMap((index, position) => {
    const path = `carousel.cards[${position}].index`;
    if (!Number.isInteger(index) || index < 0 || index >= cardCount) {
      return [{ path, message: `${range}: there is no card ${index}. Count from 0.` }];
    }
    const isRepeated = indexes.indexOf(index) < position;
    return isRepeated ? [{ path, message: `Card ${index} is given twice. Give every card once.` }] : [];
  });
  if (missing.length === 0) return faulty;
  const message = `${range}, and WhatsApp needs every one. Add card ${listSome(missing.map(String))}.`;
  return [{ path: "carousel.cards", message }, ...faulty];
}

function checkBodyValues({ body }: TemplatePart, { bodyValues }: CarouselCard, root: string): Issue[] {
  const slots = body?.slots ?? [];
  const surplus = assignBody(slots, bodyValues).surplus.map((key) => ({
    path: `${root}.bodyValues.${key}`,
    message: `The card's body has ${slots.length} slots${slots.length > 0 ? ` (${listSome(slots.map((slot) => slot.key))})` : ""}, and ${quote(key)} fits none of them. Remove it.`,
  }));
  const numbers = bodyValues.filter(([key]) => isNumeric(key)).length;
  if (numbers === 0 || numbers === bodyValues.length) return surplus;
  const message =
    "Numbers match {{1}}, {{2}}; names fill the slots in their order. The two do not mix: use numbers only, or names only.";
  return [{ path: `${root}.bodyValues`, message }, ...surplus];
}

const checkButtonValues = ({ buttons }: TemplatePart, { buttonValues }: CarouselCard, root: string): Issue[] =>
  buttonValues.flatMap(({ index, subType }, at) => {
    const path = `${root}.buttonValues[${at}]`;
    const button = buttons[index];
    if (!button) {
      const message = `The card has ${buttons.length} buttons, counted from 0: there is no button ${index}.`;
      return [{ path: `${path}.index`, message }];
    }
    if (buttonValues.findIndex((value) => value.index === index) < at) {
      return [{ path: `${path}.index`, message: `Button ${index} is given twice. Give it once.` }];
    }
    const expected = SUB_TYPES[button.kind];
    if (!expected) {
      return [
        { path, message: `Button ${index} takes no value (its URL is fixed, or it has none). Remove the entry.` },
      ];
    }
    if (subType.toLowerCase() === expected) return [];
    const message = `Button ${index} is of sub_type ${quote(expected)}, not ${quote(subType)}.`;
    return [{ path: `${path}.sub_type`, message }];
  });

const SUB_TYPES: Partial<Record<TemplateButton["kind"], string>> = {
  url: "url",
  quickReply: "quick_reply",
  copyCode: "copy_code",
  catalog: "catalog",
  multiProduct: "mpm",
};

function checkHeader({ header: expected }: TemplatePart, { header }: CarouselCard, root: string): Issue[] {
  if (!header) return [];
  if (expected?.kind !== "media") {
    return [{ path: `${root}.header`, message: "The card has no media header in the template. Remove `header`." }];
  }
  if (header.format !== expected.format) {
    const message = `The card's header is of format ${quote(expected.format)} in the template, not ${quote(header.format)}.`;
    return [{ path: `${root}.header.format`, message }];
  }
  return [];
}

/** `c{i}_{slot}` fills slots that the structured form leaves empty; otherwise the slot is given twice. */
function checkDoubles(
  card: TemplatePart,
  structured: CarouselCard,
  { root, variables }: { root: string; variables: Variables },
): Issue[] {
  const { assigned } = assignBody(card.body?.slots ?? [], structured.bodyValues);
  const isDouble = (slot: string): boolean => {
    if (card.header?.kind === "media" && (slot === HEADER_LINK || slot === HEADER_ID)) {
      return structured.header !== undefined;
    }
    const inBody = card.body?.slots.some(({ key }) => key === slot) ? [assigned.has(slot)] : [];
    const inButtons = card.buttons
      .filter((button) => button.kind === "url" && button.slot.key === slot)
      .map((button) => structured.buttonValues.some(({ index }) => index === button.index));
    const isNamed = [...inBody, ...inButtons];
    return isNamed.length > 0 && isNamed.every(Boolean);
  };
  return [...variables.keys()].flatMap((key) => {
    const named = readCardKey(key);
    if (named?.cardIndex !== structured.index || !isDouble(named.slot)) return [];
    return [{ path: `templateVariables.${key}`, message: `\`${root}\` fills this slot too. Keep one of the two.` }];
  });
}

type AssignedBody = { assigned: Map<string, { key: string; text: string }>; surplus: string[] };

/** A key equal to a slot's fills it; other keys fill the remaining slots, in the order given. */
function assignBody(slots: Slot[], bodyValues: CarouselCard["bodyValues"]): AssignedBody {
  const given = new Set(bodyValues.map(([key]) => key));
  const open = slots.map(({ key }) => key).filter((key) => !given.has(key));
  const result: AssignedBody = { assigned: new Map(), surplus: [] };
  for (const [key, text] of bodyValues) {
    const isOwn = slots.some((slot) => slot.key === key);
    const slotKey = isOwn ? key : isNumeric(key) ? undefined : open.shift();
    if (slotKey === undefined) result.surplus.push(key);
    else result.assigned.set(slotKey, { key, text });
  }
  return result;
}
