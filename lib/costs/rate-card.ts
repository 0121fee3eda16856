import type { Rate } from "@/db/schema";
import { type CsvRow, type RowFault, readCsv } from "@/lib/core/csv-rows";
import { quote } from "@/lib/core/text";
import { readMarket } from "./markets";

export type CardRate = Omit<Rate, "workspaceId">;

/** WhatsApp's own cards have some 300 rows. */
export const MAX_CARD_CHARACTERS = 250_000;
const MAX_ROWS = 5_000;
/** A region stands for up to 43 countries. */
const MAX_RATES = 20_000;

export const CARD_COLUMNS = ["country", "category", "price", "currency", "valid from"] as const;
type Column = (typeof CARD_COLUMNS)[number];

const HEADINGS: Record<Column, RegExp> = {
  country: /^(country|region|market|country or region|country\/region)$/,
  category: /^(pricing )?category$/,
  price: /^(price|rate)$/,
  currency: /^currency$/,
  "valid from": /^(valid|effective)( from)?$/,
};

/** WhatsApp's categories as a status's pricing names them. */
const CATEGORIES = [
  "marketing",
  "marketing_lite",
  "utility",
  "authentication",
  "authentication_international",
  "service",
  "referral_conversion",
];

/** Parses a rate card; with any fault it has no rates, so that a part of a card never counts as all of it. */
export function readRateCard(text: string): { rates: CardRate[]; faults: RowFault[] } {
  if (text.length > MAX_CARD_CHARACTERS) return refused(1, "The file has more than 250,000 characters.");
  const [heading, ...rows] = readCsv(text).rows;
  if (!heading) return refused(1, "The file is empty.");
  if (rows.length > MAX_ROWS) return refused(heading.row, "The file has more than 5,000 rows.");
  const places = placesOf(heading.cells);
  const missing = CARD_COLUMNS.filter((column) => places[column] < 0);
  if (missing.length > 0) return refused(heading.row, missingWords(missing));
  if (rows.length === 0) return refused(heading.row, "No prices below the headings.");
  const read = rows.map((row) => readRow(row, places));
  const faults = read.flatMap((one) => ("reason" in one ? [one] : []));
  const rates = read.flatMap((one) => ("reason" in one ? [] : one.rates));
  faults.push(...repeatsIn(read));
  if (faults.length > 0) return { rates: [], faults: faults.toSorted((one, other) => one.row - other.row) };
  if (rates.length > MAX_RATES) return refused(heading.row, "The regions stand for more than 20,000 prices.");
  return { rates, faults };
}

const refused = (row: number, reason: string) => ({ rates: [], faults: [{ row, reason }] });

const missingWords = (missing: readonly string[]) =>
  `Heading ${missing.map(quote).join(", ")} is missing. The first row must name ${CARD_COLUMNS.join(", ")}.`;

const placesOf = (cells: readonly string[]): Record<Column, number> => {
  const words = cells.map((cell) => cell.toLowerCase().replace(/[\s_-]+/g, " "));
  const place = (column: Column) => words.findIndex((word) => HEADINGS[column].test(word));
  return Object.fromEntries(CARD_COLUMNS.map((column) => [column, place(column)])) as Record<Column, number>;
};

type ReadRow = { row: number; rates: CardRate[] };

const readRow = ({ row, cells }: CsvRow, places: Record<Column, number>): ReadRow | RowFault => {
  // The apostrophe against formulas, which our own exports write, too.
  const of = (column: Column) => (cells[places[column]] ?? "").replace(/^'/, "");
  const empty = CARD_COLUMNS.find((column) => of(column) === "");
  if (empty) return { row, reason: `The ${empty} is missing.` };
  const market = readMarket(of("country"));
  const word = of("category")
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  const category = CATEGORIES.find((one) => one === word);
  const [price, currency, validFrom] = [of("price"), of("currency").toUpperCase(), of("valid from")];
  if (!market)
    return { row, reason: `${quote(of("country"))} is no country and no region of WhatsApp’s. Use a code such as BR.` };
  if (!category) return { row, reason: `${quote(of("category"))} is no category. Use ${CATEGORIES.join(", ")}.` };
  if (!/^\d{1,9}(\.\d{1,8})?$/.test(price))
    return { row, reason: `The price ${quote(price)} must be a number with a point, such as 0.0625.` };
  if (!CURRENCIES.has(currency))
    return { row, reason: `${quote(of("currency"))} is no currency. Use a code such as USD.` };
  if (!isDay(validFrom)) return { row, reason: `The date ${quote(validFrom)} must be a day such as 2026-10-01.` };
  const { countries, isRegional } = market;
  return { row, rates: countries.map((country) => ({ country, isRegional, category, validFrom, price, currency })) };
};

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

const isDay = (text: string): boolean =>
  /^20\d{2}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** Rows that give a price again, which may be another one. */
const repeatsIn = (read: readonly (ReadRow | RowFault)[]): RowFault[] => {
  const seen = new Map<string, number>();
  return read.flatMap((one) => {
    if ("reason" in one) return [];
    const keys = one.rates.map((rate) => [rate.country, rate.isRegional, rate.category, rate.validFrom].join(" "));
    const earlier = keys.map((key) => seen.get(key)).find((row) => row !== undefined);
    for (const key of keys) if (!seen.has(key)) seen.set(key, one.row);
    return earlier === undefined
      ? []
      : [{ row: one.row, reason: `Row ${earlier} has a price for this country, category and day.` }];
  });
};
