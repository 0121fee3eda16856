import type { TemplateDefinition, TemplatePart } from "./definition";
import { MAX_COUPON_CODE_CHARACTERS, MAX_ONE_TIME_CODE_CHARACTERS, MAX_PARAMETER_CHARACTERS } from "./lengths";

/** One key of `templateVariables`, as the public template record lists it. */
export type TemplateVariable = {
  key: string;
  /** Every place that takes the value: `body`, `button 0 url`, `card 1 header`. */
  where: string[];
  example: string | null;
  /** In Unicode code points; null where no such limit applies. */
  maxLength: number | null;
  /** False for `header` too: it stands in for `header_link`, and exactly one of the two is sent. */
  required: boolean;
};

export const COPY_CODE = "copy_code";
export const PRODUCT = "catalog_product_retailer_id";
export const HEADER_LINK = "header_link";
export const HEADER_ID = "header";

/** The key of a card's slot or header: card 0's `{{1}}` is `c0_1`. */
export const cardKey = (cardIndex: number, key: string): string => `c${cardIndex}_${key}`;

/** The card and slot that a key names, or null for a key outside the `c{i}_{slot}` form. */
export const readCardKey = (key: string): { cardIndex: number; slot: string } | null => {
  const match = /^c(0|[1-9]\d*)_(.+)$/s.exec(key);
  return match?.[1] && match[2] ? { cardIndex: Number(match[1]), slot: match[2] } : null;
};

/** One entry per key, in the order of the message: header, body, buttons, then card by card. */
export const listVariables = (definition: TemplateDefinition): TemplateVariable[] => {
  const places = [
    ...listPlaces(definition),
    ...definition.cards.flatMap((card, index) =>
      listPlaces(card).map((place) => ({
        ...place,
        key: cardKey(index, place.key),
        where: `card ${index} ${place.where}`,
      })),
    ),
  ];
  const byKey = new Map<string, TemplateVariable>();
  for (const { where, ...place } of places) {
    const known = byKey.get(place.key);
    byKey.set(place.key, known ? join(known, { where: [where], ...place }) : { where: [where], ...place });
  }
  return [...byKey.values()];
};

type Place = Omit<TemplateVariable, "where"> & { where: string };

const listPlaces = ({ header, body, buttons }: TemplatePart): Place[] => {
  const text = { maxLength: MAX_PARAMETER_CHARACTERS, required: true };
  const places: Place[] = [];
  if (header?.kind === "text") places.push(...header.slots.map((slot) => ({ ...slot, where: "header", ...text })));
  if (header?.kind === "media") {
    places.push(
      { key: HEADER_LINK, where: "header", example: header.example, maxLength: null, required: true },
      { key: HEADER_ID, where: "header", example: null, maxLength: null, required: false },
    );
  }
  if (body) places.push(...body.slots.map((slot) => ({ ...slot, where: "body", ...text })));
  for (const button of buttons) {
    const where = `button ${button.index}`;
    if (button.kind === "url") {
      const maxLength = button.isOneTimeCode ? MAX_ONE_TIME_CODE_CHARACTERS : MAX_PARAMETER_CHARACTERS;
      places.push({ ...button.slot, where: `${where} url`, maxLength, required: true });
    }
    if (button.kind === "copyCode") {
      const { example } = button;
      places.push({
        key: COPY_CODE,
        where: `${where} copy code`,
        example,
        maxLength: MAX_COUPON_CODE_CHARACTERS,
        required: true,
      });
    }
    if (button.kind === "catalog" || button.kind === "multiProduct") {
      places.push({ key: PRODUCT, where: `${where} product`, example: null, maxLength: null, required: false });
    }
  }
  return places;
};

const join = (a: TemplateVariable, b: TemplateVariable): TemplateVariable => ({
  key: a.key,
  where: [...a.where, ...b.where],
  example: a.example ?? b.example,
  maxLength:
    a.maxLength === null || b.maxLength === null ? (a.maxLength ?? b.maxLength) : Math.min(a.maxLength, b.maxLength),
  required: a.required || b.required,
});
