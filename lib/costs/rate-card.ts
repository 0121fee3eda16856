import type { CardRow, Rate } from "@/db/schema";
import { type CsvRow, type RowFault, readCsv } from "@/lib/core/csv-rows";
import { quote, shorten } from "@/lib/core/text";
import {
  CARD_COLUMNS,
  CATEGORIES,
  type CardColumn,
  type CardLayout,
  type CardTable,
  isLong,
  readCategory,
  tableOf,
} from "./card-layout";
import {
  currencyIn,
  decimalMarkOf,
  effectiveDaysIn,
  hasUnclearDay,
  isDay,
  isNoPrice,
  mayNameDay,
  readCurrency,
  readPrice,
} from "./card-values";
import { marketName, readMarket } from "./markets";

export type CardRate = Omit<Rate, "workspaceId" | "validUntil">;

export type ReadCard = { rates: CardRate[]; rows: CardRow[]; faults: RowFault[] };

/** WhatsApp's own cards have some 60 rows of 5 prices; with a row for each price, some 300. */
export const MAX_CARD_CHARACTERS = 250_000;
const MAX_ROWS = 5_000;
const MAX_REASON_CHARACTERS = 390;
const MAX_SHOWN_CHARACTERS = 200;
/** A region stands for up to 43 countries. */
const MAX_RATES = 20_000;
/** Of prices without a date: before any message. */
export const ALWAYS = "2000-01-01";

/**
 * Parses a rate card with a row for each price, or as WhatsApp publishes it: notes, then a row for each market with a column
 * for each category. With any fault it has no rates, so that a part of a card never counts as all of it; a row's
 * reason names all of its faults.
 */
export function readRateCard(text: string): ReadCard {
  if (text.length > MAX_CARD_CHARACTERS) return refused(1, "The file has more than 250,000 characters.");
  const table = tableOf(readCsv(text).rows);
  if (!table) return refused(1, "The file is empty.");
  const { notes, heading, rows, layout } = table;
  if (rows.length > MAX_ROWS) return refused(heading.row, "The file has more than 5,000 rows.");
  const said = notes.map(({ cells }) => cells.join(" ")).join("\n");
  const hasDays = layout.places["valid from"] >= 0;
  const [day, ...otherDays] = effectiveDaysIn(said);
  const unread = hasDays || day !== undefined ? undefined : dayElsewhere(table);
  if (!hasDays && otherDays.length > 0)
    return refused(
      notes[0]?.row ?? 1,
      "The notes above the table name several days. Leave the first day of the prices.",
    );
  if (unread && !isLong(layout)) return refused(unread.row, unreadWords(unread, heading.row));
  // Without a word of a day a card is for any day; a cell that is empty beside days is a fault of its row.
  const defaults = {
    currency: currencyIn(said),
    "valid from": day ?? (isLong(layout) || hasDays ? undefined : ALWAYS),
  };
  const missing = requiredOf(layout).filter(
    (column) => layout.places[column] < 0 && (defaults as Record<string, string | undefined>)[column] === undefined,
  );
  if (missing.length > 0) return refused(heading.row, missingWords(missing));
  if (rows.length === 0) return refused(heading.row, "No prices below the headings.");
  const mark = decimalMarkOf(rows.flatMap((row) => pricesIn(row, layout).map(({ price }) => price)));
  const read = rows.map((row) => readRow(row, { layout, mark, defaults }));
  const rates = read.flatMap((one) => ("shown" in one ? one.rates : []));
  const faults = [...read.flatMap((one) => ("reason" in one ? [one] : [])), ...repeatsIn(read)];
  if (faults.length > 0) return { rates: [], rows: [], faults: faults.toSorted((one, other) => one.row - other.row) };
  if (rates.length > MAX_RATES) return refused(heading.row, "The regions stand for more than 20,000 prices.");
  if (rates.length === 0) return refused(heading.row, "No prices below the headings.");
  const above = notes.map(({ row, cells }) => leftOut(row, cells, "A note above the table."));
  return { rates, rows: [...above, ...read.flatMap((one) => ("shown" in one ? [one.shown] : []))], faults: [] };
}

/** The first row with what may be a day, outside its prices: taken for none, it would replace the prices of all days. */
function dayElsewhere({ notes, heading, rows, layout }: CardTable): { row: number; cell: string } | undefined {
  const places = new Set([layout.places.price, ...layout.prices.map(({ place }) => place)]);
  const ofRow = ({ row, cells }: CsvRow) =>
    cells.filter((cell, at) => !places.has(at) && mayNameDay(cell)).map((cell) => ({ row, cell }));
  const above = notes.flatMap(({ row, cells }) =>
    mayNameDay(cells.join(" ")) ? [{ row, cell: cells.join(" ") }] : [],
  );
  return above[0] ?? [heading, ...rows].flatMap(ofRow)[0];
}

function unreadWords({ row, cell }: { row: number; cell: string }, heading: number): string {
  const where = row < heading ? "The day above the table" : `The day ${quote(cell)}`;
  const why = hasUnclearDay(cell) ? "can be read in two ways" : "cannot be read";
  const how =
    row < heading
      ? "Write it as 2026-10-01"
      : "Write Effective 2026-10-01 above the table, or fill a column valid from";
  return `${where} ${why}. ${how}.`;
}

const refused = (row: number, reason: string): ReadCard => ({ rates: [], rows: [], faults: [{ row, reason }] });

const missingWords = (missing: readonly string[]) =>
  `Heading ${missing.map(quote).join(", ")} is missing. The first row must name ${CARD_COLUMNS.join(", ")}; WhatsApp’s own card is read as it is.`;

function requiredOf(layout: CardLayout): readonly CardColumn[] {
  return isLong(layout) ? CARD_COLUMNS : ["country", "currency", "valid from"];
}

function leftOut(row: number, cells: readonly string[], outcome: string): CardRow {
  return { row, given: shownCell(cells.find((cell) => cell !== "") ?? ""), isRead: false, outcome };
}

/** What Postgres can store, and people read, of any cell: without control characters and halves of characters. */
const shownCell = (text: string): string =>
  shorten(text.slice(0, 4 * MAX_SHOWN_CHARACTERS).replace(/[\p{Cc}\p{Cs}]+/gu, " "), MAX_SHOWN_CHARACTERS);

/** The cell without the apostrophe against formulas, which our own exports write, too. */
const cellAt = ({ cells }: CsvRow, place: number): string => (cells[place] ?? "").replace(/^'/, "");

function pricesIn(row: CsvRow, { places, prices }: CardLayout): { category: string; price: string }[] {
  return prices.length === 0
    ? [{ category: cellAt(row, places.category), price: cellAt(row, places.price) }]
    : prices.map(({ category, place }) => ({ category, price: cellAt(row, place) }));
}

type Context = {
  layout: CardLayout;
  mark: ReturnType<typeof decimalMarkOf>;
  defaults: { currency: string | undefined; "valid from": string | undefined };
};

type ReadRow = { shown: CardRow; rates: CardRate[] } | RowFault;

function readRow(given: CsvRow, { layout, mark, defaults }: Context): ReadRow {
  const { row, cells } = given;
  const of = (column: (typeof CARD_COLUMNS)[number]) => cellAt(given, layout.places[column]);
  const currencyCell = of("currency") || (defaults.currency ?? "");
  const validFrom = of("valid from") || (defaults["valid from"] ?? "");
  const cellsOf = { country: of("country"), category: of("category"), price: of("price") };
  const market = readMarket(cellsOf.country);
  const values = { ...cellsOf, currency: currencyCell, "valid from": validFrom };
  const reasons = requiredOf(layout).flatMap((column) => (values[column] === "" ? [`The ${column} is missing.`] : []));
  const prices = pricesIn(given, layout).filter(({ price }) => !isNoPrice(price));
  if (prices.length === 0 && (reasons.length === 0 || !isLong(layout)))
    return { shown: leftOut(row, cells, market ? "It has no price." : "A note."), rates: [] };
  if (!market && cellsOf.country !== "")
    reasons.push(`${quote(cellsOf.country)} is no country and no region of WhatsApp’s. Use a code such as BR.`);
  const currency = readCurrency(currencyCell);
  if (currency === undefined && currencyCell !== "")
    reasons.push(`${quote(currencyCell)} is no currency. Use a code such as USD.`);
  if (!isDay(validFrom) && validFrom !== "")
    reasons.push(`The date ${quote(validFrom)} must be a day such as 2026-10-01.`);
  const rates: CardRate[] = [];
  for (const { category: word, price: written } of prices) {
    const category = readCategory(word);
    const price = readPrice(written, mark);
    if (!category && word !== "") reasons.push(`${quote(word)} is no category. Use ${CATEGORIES.join(", ")}.`);
    if (price === undefined) {
      const [name, example] = mark === "." ? ["point", "0.0625"] : ["comma, as the others", "0,0625"];
      reasons.push(`The price ${quote(written)} must be a number with a ${name}, such as ${example}.`);
    }
    if (!market || !category || price === undefined || currency === undefined) continue;
    const { countries, isRegional } = market;
    rates.push(...countries.map((country) => ({ country, isRegional, category, validFrom, price, currency })));
  }
  if (!market || reasons.length > 0)
    return { row, reason: shorten([...new Set(reasons)].join(" "), MAX_REASON_CHARACTERS) };
  const names = market.countries.map((country) => marketName({ country, isRegional: false }));
  const shown = [...new Map(rates.map(({ category, price }) => [category, price]))].map(
    ([category, price]) => `${category} ${price}`,
  );
  const outcome = `${names.join(", ")}: ${shown.join(", ")} ${currency ?? ""}`;
  return { shown: { row, given: shownCell(cellsOf.country), isRead: true, outcome }, rates };
}

/** Rows that give a price again, which may be another one. */
function repeatsIn(read: readonly ReadRow[]): RowFault[] {
  const seen = new Map<string, number>();
  return read.flatMap((one) => {
    if ("reason" in one) return [];
    const keys = one.rates.map((rate) => [rate.country, rate.isRegional, rate.category, rate.validFrom].join(" "));
    const earlier = keys.map((key) => seen.get(key)).find((row) => row !== undefined);
    for (const key of keys) if (!seen.has(key)) seen.set(key, one.shown.row);
    return earlier === undefined
      ? []
      : [{ row: one.shown.row, reason: `Row ${earlier} has a price for this country, category and day.` }];
  });
}
