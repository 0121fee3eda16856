import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from "libphonenumber-js/max";
import { countryName } from "@/lib/core/country-name";
import { PHONE_DIGITS, plainNumber, readPhone } from "@/lib/core/phone";
import { quote } from "@/lib/core/text";

/** How numbers without a plus are meant: with their country code, as the API reads them, or as national ones. */
export type Bare = "international" | "national";

/** The country that a row's own cell names: it alone completes that row's number, because another's is another person's. */
export type RowCountry = { country: CountryCode | null; said: string };

/**
 * What numbers are read by: the country of national ones, and how those without a plus are meant; `isProposed` where the
 * file's owner has not chosen that, `said` what the row says of its country, which is then the `country`.
 */
export type Dialling = { country: CountryCode | null; bare: Bare | null; isProposed?: boolean; said?: string };

/**
 * `isGuessed` if the cell may mean another number: a country code was added, something was left out, or no country has it so.
 * `hasMore` if it holds another number, too, which is left out.
 */
export type FilePhone = { phone: string; isGuessed: boolean; hasMore: boolean } | { fault: string };

export type CallingCode = { country: CountryCode; code: string };

/** The countries that a national number can be of, by name. */
export const CALLING_CODES: readonly CallingCode[] = getCountries()
  .map((country) => ({ country, code: String(getCountryCallingCode(country)) }))
  .toSorted((one, other) => countryName(one.country).localeCompare(countryName(other.country), "en"));

/** The country if a national number can be of it. */
export function diallingCountry(code: string | null | undefined): CountryCode | null {
  return code && isSupportedCountry(code) ? code : null;
}

/** Reads the first number that can be dialled of a cell: `+49 171 …`, and in a file with a country also `0171 …`. */
export function readFilePhone(cell: string, dialling: Dialling): FilePhone {
  const text = plainNumber(cell).replace(/\s+/g, " ").trim();
  if (text === "") return { fault: "Phone is missing." };
  if (/^\d[.,]?\d*E\+?\d+$/i.test(text))
    return {
      fault: `${quote(text)} lost its last digits in a spreadsheet. Format the column as text, and export it again.`,
    };
  // What spreadsheets put around numbers: an apostrophe or ="…" against formulas, and decimals.
  const plain = text
    .replace(/^="(.*)"$/, "$1")
    .replace(/^['=](?=[+\d(])/, "")
    .replace(/^(\+?\d{5,})[.,]0+$/, "$1");
  if (SHORTENED.test(plain))
    return { fault: `${quote(text)} is short for several numbers. Write one of them whole, with its country code.` };
  const parts = plain
    .split(SEVERAL)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const readings = parts.map((part) => readPart(part, dialling));
  const found = readings.find((reading) => "phone" in reading);
  if (!found) return readings.find((reading) => "fault" in reading) ?? { fault: "Phone is missing." };
  const isGuessed = found.isGuessed || parts.length > 1 || plain !== text.replace(/^'/, "");
  return { ...found, isGuessed, hasMore: parts.filter((part) => part.replace(/\P{Nd}/gu, "").length >= 3).length > 1 };
}

type Part = { phone: string; isGuessed: boolean } | { fault: string };

function readPart(given: string, { country, bare, isProposed = false, said }: Dialling): Part {
  // As Twilio, browsers and Facebook's lead forms write them.
  const text = given.replace(/^(?:whatsapp|tel|p):\s*/i, "");
  if (DATE.test(text)) return { fault: `${quote(text)} is a date.` };
  const reading = readPhone(text);
  const literal = "phone" in reading ? asWritten(reading.phone) : { fault: reading.fault.replace(/\bSend\b/, "Write") };
  if (text.startsWith("+")) return "phone" in literal ? literal : (guess(text, null) ?? literal);
  if (/^00/.test(text)) return guess(text, country) ?? guess(text.replace(/^00/, "+"), null) ?? literal;
  const national = country && guess(text, country);
  const isSurelyNational = /^0/.test(text) || isNorthAmerican(text);
  const isLong = "phone" in literal && literal.phone.length >= LONG;
  if (said !== undefined && !country && !isLong && NUMBER.test(text)) return withUnread(said);
  if (isSurelyNational || "fault" in literal) {
    if (national) return national;
    if (country) return notOf(country, text, said);
    return isSurelyNational ? withoutCountry(text) : literal;
  }
  const called = isCalled(literal.phone, country);
  const isOther = national && national.phone !== literal.phone;
  if (isOther && bare === "national") return national;
  if (called && isOther && !isLong && bare === null)
    return {
      fault: `${quote(text)} may be +${literal.phone} or +${national.phone}. Choose how numbers without + are meant.`,
    };
  const isSure = isLong || (country !== null && (!isProposed || isOwn(literal.phone, country)));
  if (called || isLong) return { ...literal, isGuessed: !called || !isSure };
  if (country) return national ?? notOf(country, text, said);
  return /^\d+$/.test(text) ? { ...literal, isGuessed: true } : withoutCountry(text);
}

function withUnread(said: string): { fault: string } {
  return {
    fault: `The row says ${quote(said)}, which is not read as one country. Write a code such as CH there, or the number with + and its country code.`,
  };
}

function withoutCountry(text: string): { fault: string } {
  return {
    fault: `${quote(text)} has no country code. Choose the country of national numbers, or write it with + and its country code.`,
  };
}

/** Separates several numbers of a cell: Google writes `:::`, people a slash, which may also follow an area code. */
const SEVERAL = /:::|[;,|&\n]|\s(?:and|or|und|oder|et|ou|y|o|e)\s|(?<=(?:\d\D?){7})\/(?=\D*(?:\d\D?){7})/;

/** As Germans write the extensions of one line: `030 901820/21`. */
const SHORTENED = /^\D*(?:\d[ ().\-/]*){7,}\/ *\d{1,3}$/;

/** As phone books of North America write a national number: `(415) 555-2671`. */
export function isNorthAmerican(text: string): boolean {
  return /^\s*(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\s*$/.test(text);
}

/** National numbers are shorter, and what is this long has its country code, unless its file says otherwise. */
const LONG = 12;

const asWritten = (phone: string) => ({ phone, isGuessed: false });

function notOf(country: CountryCode, text: string, said: string | undefined): { fault: string } {
  const digits = text.replace(/\D/g, "").length;
  const length = digits < PHONE_DIGITS[0] ? "TOO_SHORT" : validatePhoneNumberLength(text, country);
  if (digits === 0) return { fault: `${quote(text)} has no digits.` };
  const says = said === undefined ? "" : `The row says ${countryName(country)}: `;
  const isOf = `${says}${quote(text)} is not a number of ${countryName(country)}`;
  if (length === "TOO_SHORT") return { fault: `${isOf}: ${digits} digits are too few. Look up the whole number.` };
  if (/\p{L}/u.test(text)) return { fault: `${isOf}. Keep only the number in the cell.` };
  const tooMany = length === "TOO_LONG" ? `: ${digits} digits are too many` : "";
  return { fault: `${isOf}${tooMany}. If it is of another country, write it with + and its country code.` };
}

/** Its digits could be a number. */
const DATE = /^(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})(?:$|[ T]\d)/;

/** What a number is written with; libphonenumber also finds one in a sentence. */
const NUMBER = /^\+?[\p{Nd}\s().\-/]+$/u;

/** What libphonenumber makes of a number that is not written as the API takes it; undefined if no plan has it. */
function guess(text: string, country: CountryCode | null): { phone: string; isGuessed: true } | undefined {
  if (!NUMBER.test(text)) return undefined;
  const parsed = parsePhoneNumberFromString(text, country ?? undefined);
  if (!parsed || !(parsed.isValid() || IS_FICTITIOUS.test(parsed.number))) return undefined;
  const reading = readPhone(parsed.number);
  return "phone" in reading ? { phone: reading.phone, isGuessed: true } : undefined;
}

/** Britain and France keep these for films; the sandbox's test numbers are of them. */
const IS_FICTITIOUS = /^\+(?:447700900\d{3}|3363998\d{4})$/;

/** Whether digits can be a number with its country code: their country's numbers may be that long. */
export function canBeCalled(digits: string): boolean {
  return parsePhoneNumberFromString(`+${digits}`)?.isPossible() ?? false;
}

/** Whether digits are those of a number with its country code: of the file's own country, or in use elsewhere. */
function isCalled(digits: string, country: CountryCode | null): boolean {
  return (country !== null && isOwn(digits, country) && canBeCalled(digits)) || guess(`+${digits}`, null) !== undefined;
}

const isOwn = (digits: string, country: CountryCode) => digits.startsWith(getCountryCallingCode(country));

/** A number that may be both, as it is written, and what it would be; `country` is that of the national one. */
export type BareSample = { given: string; country: CountryCode } & Record<Bare, string>;

/**
 * Proposes how numbers without a plus are meant; null if some may be both, so that the owner has to choose. `sample` is the
 * first that may be; null without any.
 */
export function bareOf(cells: readonly { cell: string; country: CountryCode | null }[]): {
  bare: Bare | null;
  sample: BareSample | null;
} {
  const counts = { international: 0, national: 0, either: 0 };
  let sample: BareSample | null = null;
  for (const { cell, country } of cells) {
    if (!country) continue;
    const given = cell.trim();
    const literal = readPhone(given);
    if (!/^\d/.test(given) || "fault" in literal) continue;
    const called = isCalled(literal.phone, country);
    const national = guess(given, country);
    const isLong = literal.phone.length >= LONG;
    if (called && national && !isLong && literal.phone !== national.phone)
      sample ??= { given, country, international: literal.phone, national: national.phone };
    if (called && national && !isLong && !isOwn(literal.phone, country)) counts.either += 1;
    else if (called || isLong) counts.international += 1;
    else if (national) counts.national += 1;
  }
  if (counts.national > counts.international) return { bare: "national", sample };
  return { bare: counts.either > 0 ? null : "international", sample };
}
