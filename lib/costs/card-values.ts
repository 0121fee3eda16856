type Mark = "." | ",";

/** What a list writes where a category has no price. */
export function isNoPrice(text: string): boolean {
  return /^(n\/?\.?a\.?|none|[-–—]+|)$/i.test(text);
}

/**
 * Returns the decimal mark of a card's prices. `1,234` alone may mean either, so all prices decide together: `0,0625` shows a
 * comma, `1,234.50` a point. Without any sign it is a point.
 */
export function decimalMarkOf(prices: readonly string[]): Mark {
  const marks = new Set(prices.flatMap(marksIn));
  return marks.has(",") && !marks.has(".") ? "," : ".";
}

/** Returns a price as Postgres reads it; undefined if it is none, or has more than 9 digits before or 8 after the mark. */
export function readPrice(text: string, mark: Mark): string | undefined {
  const digits = text.replace(/(?<=\d)[\s'’](?=\d{3})/g, "");
  const isGrouped = mark === "." ? /^\d{1,3}(,\d{3})+(\.\d+)?$/ : /^\d{1,3}(\.\d{3})+(,\d+)?$/;
  const ungrouped = isGrouped.test(digits) ? digits.replaceAll(otherThan(mark), "") : digits;
  const price = mark === "," && !ungrouped.includes(".") ? ungrouped.replace(",", ".") : ungrouped;
  return (mark === "." || !ungrouped.includes(".")) && /^\d{1,9}(\.\d{1,8})?$/.test(price) ? price : undefined;
}

/** Which mark a price shows to be the decimal one: none where it could group thousands. */
function marksIn(price: string): Mark[] {
  const marks = [...price].filter((character): character is Mark => character === "." || character === ",");
  const last = marks.at(-1);
  if (last === undefined || !/^[\d.,\s'’]+$/.test(price)) return [];
  if (new Set(marks).size > 1) return [last];
  if (marks.length > 1) return [otherThan(last)];
  const [whole = "", rest = ""] = price.split(last);
  return whole.length > 3 || /^0+$/.test(whole) || rest.length !== 3 ? [last] : [];
}

function otherThan(mark: Mark): Mark {
  return mark === "." ? "," : ".";
}

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));
/** As WhatsApp's cards and people write them. */
const SIGNS = new Map([
  ["$", "USD"],
  ["$US", "USD"],
  ["US$", "USD"],
  ["$AU", "AUD"],
  ["A$", "AUD"],
  ["MX$", "MXN"],
  ["$MX", "MXN"],
  ["R$", "BRL"],
  ["RP", "IDR"],
  ["€", "EUR"],
  ["£", "GBP"],
  ["₹", "INR"],
]);

/** Returns the code of a currency: `USD` for `usd`, `$US` and `US$`; undefined for anything else. */
export function readCurrency(given: string): string | undefined {
  const word = given.toUpperCase().replace(/\s/g, "");
  const code = SIGNS.get(word) ?? word.replace(/\p{Sc}/gu, "");
  return CURRENCIES.has(code) ? code : undefined;
}

/** Returns the currency that a note names, as in `Cost per message in USD`; undefined if it names none or several. */
export function currencyIn(note: string): string | undefined {
  const codes = new Set(
    [...note.matchAll(/\b[A-Z]{3}\b/g)].map(([code]) => code).filter((code) => CURRENCIES.has(code)),
  );
  return codes.size === 1 ? [...codes][0] : undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = "([a-z]{3,9})\\.?";

/** Returns the day from which a note says that prices are valid, as in `effective October 1, 2026`. */
export function effectiveDayIn(note: string): string | undefined {
  const rests = [...note.matchAll(DAY_FOLLOWS)].map(([, rest = ""]) => rest);
  return rests.map(dayAtStart).find((day) => day !== undefined);
}

const DAY_FOLLOWS = /\b(?:effective|valid|as of)\b(?: from| as of)?:?\s*(?=(.{0,40}))/gis;

/** Whether a note says from which day, in digits that could be read in two ways, as in `effective 01/10/2026`. */
export function hasUnclearDay(note: string): boolean {
  return [...note.matchAll(DAY_FOLLOWS)].some(([, rest = ""]) => /^\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d\b/.test(rest));
}

function dayAtStart(rest: string): string | undefined {
  const [, iso] = /^(20\d{2}-\d{2}-\d{2})\b/.exec(rest) ?? [];
  if (iso !== undefined) return isDay(iso) ? iso : undefined;
  const [, month, day, year] = new RegExp(`^${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? (20\\d{2})\\b`, "i").exec(rest) ?? [];
  const [, day2, month2, year2] =
    new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)? ${MONTH},? (20\\d{2})\\b`, "i").exec(rest) ?? [];
  const number = MONTHS.indexOf((month ?? month2 ?? "").slice(0, 3).toLowerCase()) + 1;
  const text = [year ?? year2, `${number}`.padStart(2, "0"), (day ?? day2 ?? "").padStart(2, "0")].join("-");
  return isDay(text) ? text : undefined;
}

/** Whether the text is a day such as 2026-10-01. */
export function isDay(text: string): boolean {
  return /^20\d{2}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}
