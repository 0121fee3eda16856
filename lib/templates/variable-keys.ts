import { characterCount } from "@/lib/core/text";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { substitute } from "@/lib/whatsapp/placeholders";
import type { TemplateButton, TemplateDefinition, TemplateHeader, TemplatePart } from "./definition";
import { MAX_PARAMETER_CHARACTERS } from "./lengths";

/** One key of `templateVariables`, as the public template record lists it. */
export type TemplateVariable = {
  key: string;
  /** Every place that takes the value: `body`, `button 0 url`, `card 1 header`. */
  where: string[];
  example: string | null;
  /** In Unicode code points; null where no such limit applies. */
  maxLength: number | null;
  /** Whether a send without it is refused. */
  required: boolean;
  /** Keys of which a send must give exactly one; absent if there is no choice. */
  oneOf?: string[];
  /** Set if only components can fill the slot; absent if `templateVariables` can. */
  fillWith?: "templateComponents";
};

export const COPY_CODE = "copy_code";
export const PRODUCT = "catalog_product_retailer_id";
export const HEADER_LINK = "header_link";
export const HEADER_ID = "header";
const SECTIONS = "product_sections";

/** The key of a card's slot or header: card 0's `{{1}}` is `c0_1`. */
export function cardKey(cardIndex: number, key: string): string {
  return `c${cardIndex}_${key}`;
}

/** The card and slot that a key names, or null for a key outside the `c{i}_{slot}` form. */
export function readCardKey(key: string): { cardIndex: number; slot: string } | null {
  const match = /^c(0|[1-9]\d*)_(.+)$/s.exec(key);
  return match?.[1] && match[2] ? { cardIndex: Number(match[1]), slot: match[2] } : null;
}

const listed = new WeakMap<TemplateDefinition, readonly TemplateVariable[]>();

/** One entry per key, in the order of the message: header, body, buttons, then card by card. Computed once per definition. */
export function listVariables(definition: TemplateDefinition): readonly TemplateVariable[] {
  const variables = listed.get(definition) ?? describe(definition);
  listed.set(definition, variables);
  return variables;
}

function describe(definition: TemplateDefinition): TemplateVariable[] {
  const places = [
    ...listPlaces(definition),
    ...definition.cards.flatMap((card, index) =>
      listPlaces(card).map((place) => ({
        ...place,
        key: cardKey(index, place.key),
        where: `card ${index} ${place.where}`,
        ...(place.oneOf ? { oneOf: place.oneOf.map((key) => cardKey(index, key)) } : {}),
      })),
    ),
  ];
  const byKey = new Map<string, TemplateVariable>();
  for (const { where, ...place } of places) {
    // A named variable may have the same key as a part that only components fill.
    const id = `${place.fillWith ?? ""} ${place.key}`;
    const known = byKey.get(id);
    byKey.set(id, known ? join(known, { where: [where], ...place }) : { where: [where], ...place });
  }
  return [...byKey.values()];
}

type Place = Omit<TemplateVariable, "where"> & { where: string };

function listPlaces(part: TemplatePart & { hasExpiringOffer?: boolean }): Place[] {
  const componentOnly = componentOnlyPlaces(part).map(({ key, where }) => ({ key, where, ...COMPONENT }));
  return [
    ...headerPlaces(part.header),
    ...componentOnly.filter(({ where }) => where === "header"),
    ...(part.body?.slots ?? []).map((slot) => ({ ...slot, where: "body", ...TEXT })),
    ...componentOnly.filter(({ where }) => where !== "header"),
    ...part.buttons.flatMap(buttonPlaces),
  ];
}

const TEXT = { maxLength: MAX_PARAMETER_CHARACTERS, required: true };
const COMPONENT = { example: null, maxLength: null, required: true, fillWith: "templateComponents" } as const;

function headerPlaces(header: TemplateHeader | null): Place[] {
  switch (header?.kind) {
    case "text": {
      const fixed = substitute(header.text, new Map(header.slots.map(({ key }) => [key, ""])));
      const maxLength = Math.max(1, MAX_CHARACTERS.headerText - characterCount(fixed));
      return header.slots.map((slot) => ({ ...slot, where: "header", ...TEXT, maxLength }));
    }
    case "media": {
      const either = { where: "header", maxLength: null, required: false, oneOf: [HEADER_LINK, HEADER_ID] };
      return [
        { key: HEADER_LINK, example: header.example, ...either },
        { key: HEADER_ID, example: null, ...either },
      ];
    }
    default:
      return [];
  }
}

function buttonPlaces(button: TemplateButton): Place[] {
  const where = `button ${button.index}`;
  switch (button.kind) {
    case "url": {
      const maxLength = button.isOneTimeCode ? MAX_CHARACTERS.oneTimeCode : MAX_PARAMETER_CHARACTERS;
      return [{ ...button.slot, where: `${where} url`, ...TEXT, maxLength }];
    }
    case "copyCode": {
      const { example } = button;
      return [{ key: COPY_CODE, where: `${where} copy code`, example, ...TEXT, maxLength: MAX_CHARACTERS.couponCode }];
    }
    case "catalog":
      return [{ key: PRODUCT, where: `${where} product`, example: null, maxLength: null, required: false }];
    case "multiProduct": {
      // A single product can replace sections: it is sent as one section with one item.
      const oneOf = [PRODUCT, SECTIONS];
      return [
        { key: PRODUCT, where: `${where} product`, example: null, maxLength: null, required: false, oneOf },
        { key: SECTIONS, where: `${where} sections`, ...COMPONENT, oneOf },
      ];
    }
    default:
      return [];
  }
}

function join(a: TemplateVariable, b: TemplateVariable): TemplateVariable {
  const oneOf = a.oneOf ?? b.oneOf;
  return {
    ...a,
    where: [...a.where, ...b.where],
    example: a.example ?? b.example,
    maxLength:
      a.maxLength === null || b.maxLength === null ? (a.maxLength ?? b.maxLength) : Math.min(a.maxLength, b.maxLength),
    required: a.required || b.required,
    ...(oneOf ? { oneOf } : {}),
  };
}

/** A template slot that only `templateComponents` can fill, not a string. */
export type ComponentOnly = {
  /** Its key in the public template record, with the card's prefix on a card: `location`, `c0_product`. */
  key: string;
  where: string;
  /** For a sentence: `a LOCATION header`. */
  what: string;
};

/**
 * Returns the places of the message or of one card that only `templateComponents` can fill. Not multi-product buttons: a
 * single product can fill them.
 */
export function componentOnlyPlaces({
  header,
  buttons,
  hasExpiringOffer = false,
}: TemplatePart & { hasExpiringOffer?: boolean }): ComponentOnly[] {
  const offer = {
    key: "limited_time_offer",
    where: "limited-time offer",
    what: "a limited-time offer with an expiration",
  };
  // The button shows the header's product.
  const button = header?.kind === "other" ? undefined : buttons.find(({ kind }) => kind === "singleProduct");
  return [
    ...(header?.kind === "other" ? [ofHeader(header)] : []),
    ...(hasExpiringOffer ? [offer] : []),
    ...(button ? [{ key: "product", where: `button ${button.index} product`, what: "a single product" }] : []),
  ];
}

const ofHeader = ({ format }: Extract<TemplateHeader, { kind: "other" }>): ComponentOnly => ({
  key: format.toLowerCase() || "header_content",
  where: "header",
  what: `a ${format || "special"} header`,
});
