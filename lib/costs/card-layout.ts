import type { CsvRow } from "@/lib/core/csv-rows";

/** WhatsApp's categories as a status's pricing names them. */
export const CATEGORIES = [
  "marketing",
  "marketing_lite",
  "utility",
  "authentication",
  "authentication_international",
  "service",
  "referral_conversion",
] as const;

export const CARD_COLUMNS = ["country", "category", "price", "currency", "valid from"] as const;
export type CardColumn = (typeof CARD_COLUMNS)[number];

const HEADINGS: Record<CardColumn, RegExp> = {
  country: /^(country|region|market|country or region|country\/region)$/,
  category: /^(pricing )?category$/,
  price: /^(price|rate)$/,
  currency: /^currency$/,
  "valid from": /^((valid|effective)( from| date)?)$/,
};

/** Where a card has what: the place of each column, below zero if it has none, and those of prices by category. */
export type CardLayout = { places: Record<CardColumn, number>; prices: { category: string; place: number }[] };

/** A card's parts: WhatsApp's own has notes above the headings, and a column of prices for each category. */
export type CardTable = { notes: CsvRow[]; heading: CsvRow; rows: CsvRow[]; layout: CardLayout };

const MAX_NOTES = 30;

/** Finds the headings: the first row that has a country, and prices in any form; else the first row. Undefined without rows. */
export function tableOf(rows: readonly CsvRow[]): CardTable | undefined {
  const at = Math.max(
    0,
    rows.slice(0, MAX_NOTES).findIndex(({ cells }) => isHeading(layoutOf(cells))),
  );
  const heading = rows[at];
  return heading && { notes: rows.slice(0, at), heading, rows: rows.slice(at + 1), layout: layoutOf(heading.cells) };
}

/** Whether the card has a row for each price; else it has a column for each category. */
export function isLong({ prices }: CardLayout): boolean {
  return prices.length === 0;
}

/** Returns the category, however WhatsApp or a person spells it; undefined for anything else. */
export function readCategory(given: string): string | undefined {
  const word = plain(given).replaceAll(" ", "_");
  return CATEGORIES.find((one) => one === (word === "international" ? "authentication_international" : word));
}

function isHeading({ places, prices }: CardLayout): boolean {
  return places.country >= 0 && (prices.length > 0 || (places.category >= 0 && places.price >= 0));
}

function layoutOf(cells: readonly string[]): CardLayout {
  const words = cells.map(plain);
  const place = (column: CardColumn) => words.findIndex((word) => HEADINGS[column].test(word));
  const places = Object.fromEntries(CARD_COLUMNS.map((column) => [column, place(column)])) as Record<
    CardColumn,
    number
  >;
  const categories = places.category >= 0 ? [] : cells.map(readCategory);
  const prices = categories.flatMap((category, at) => (category === undefined ? [] : [{ category, place: at }]));
  return { places, prices };
}

/** In lower case; WhatsApp breaks a heading's line after its hyphen. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}
