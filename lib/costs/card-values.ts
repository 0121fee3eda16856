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
const DAY = "(\\d{1,2})(?:st|nd|rd|th|\\.)?";
const YEAR = "(20\\d{2})(?!\\d)";

/** Returns the days from which notes say that prices are valid, as in `effective October 1, 2026`. */
export function effectiveDaysIn(notes: string): string[] {
  const days = [...notes.matchAll(DAY_FOLLOWS)].flatMap(([, rest = ""]) => dayAtStart(rest) ?? []);
  return [...new Set(days)];
}

const DAY_FOLLOWS =
  /(?<!\p{L})(?:effective|valid|as of|starting|beginning|applicable|in force|gültig)(?:[\s:,–—-]+(?:date|day|from|as of|on|since|starting|is|ab|seit)(?!\p{L}))*[\s:–—-]*(?=(.{0,40}))/gisu;

/** Whether a text has what may be a day: a year, days in digits, or a month beside a number. */
export function mayNameDay(text: string): boolean {
  return MAY_BE_DAY.test(text.normalize("NFKC").replace(/\p{Nd}/gu, "0")) || /(?<!\d)20\d\d(?:\d{4})?(?!\d)/.test(text);
}

const A_MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?!\\p{L})";
const MAY_BE_DAY = new RegExp(
  `(?<!\\d)\\d{1,4}[./-]\\d{1,2}[./-]\\d{2,4}(?!\\d)|(?<!\\p{L})${A_MONTH}[ .-]*\\d|\\d(?:st|nd|rd|th|\\.)?(?: of)?[ -]*${A_MONTH}`,
  "iu",
);

/** Whether a day is in digits that could be read in two ways, as in `effective 01/10/2026`. */
export function hasUnclearDay(text: string): boolean {
  return /(?<![\d./-])\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d(?!\d)/.test(text);
}

function dayAtStart(rest: string): string | undefined {
  const [, ...inDigits] = new RegExp(`^${YEAR}([-/.])(\\d{1,2})\\2(\\d{1,2})(?!\\d)`).exec(rest) ?? [];
  if (inDigits.length > 0) return dayOf(inDigits[0], Number(inDigits[2]), inDigits[3]);
  const [, month, day, year] = new RegExp(`^${MONTH}[ -]${DAY},?[ -]${YEAR}`, "i").exec(rest) ?? [];
  const [, day2, month2, year2] = new RegExp(`^${DAY}[ -]?${MONTH},?[ -]${YEAR}`, "i").exec(rest) ?? [];
  const number = MONTHS.indexOf((month ?? month2 ?? "").slice(0, 3).toLowerCase()) + 1;
  return dayOf(year ?? year2, number, day ?? day2);
}

function dayOf(year: string | undefined, month: number, day: string | undefined): string | undefined {
  const text = [year, `${month}`.padStart(2, "0"), (day ?? "").padStart(2, "0")].join("-");
  return isDay(text) ? text : undefined;
}

/** Whether the text is a day such as 2026-10-01. */
export function isDay(text: string): boolean {
  return /^20\d{2}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}
