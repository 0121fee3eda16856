import { quote } from "./text";

/** The fewest and the most digits of a number with its country code. */
export const PHONE_DIGITS = [7, 15] as const;

const SEPARATORS = /[ \-.()]/g;

export type PhoneReading = { phone: string } | { fault: string };

/** Parses a recipient's number: strips separators and a leading `+`, and requires 7–15 digits. Never guesses. */
export function readPhone(given: string): PhoneReading {
  const digits = given.replace(SEPARATORS, "").replace(/^\+/, "");
  // (0) is only for national dialing; after a country code it would reach someone else.
  if (/\(\s*0\s*\)/.test(given)) {
    const meant = given
      .replace(/\(\s*0\s*\)/g, "")
      .replace(SEPARATORS, "")
      .replace(/^\+/, "");
    return { fault: `${quote(given)} holds the national (0). Leave it out: ${meant}.` };
  }
  if (digits === "")
    return { fault: `${quote(given)} has no digits. Send country code and digits, like 447700900123.` };
  if (!/^[0-9]+$/.test(digits)) {
    return {
      fault: `${quote(given)} has characters that are not digits. Send country code and digits, like 447700900123.`,
    };
  }
  if (digits.startsWith("00")) {
    return {
      fault: `${quote(given)} begins with 00. Send the country code first: ${digits.replace(/^0+/, "") || "447700900123"}.`,
    };
  }
  if (digits.startsWith("0")) {
    return {
      fault: `${quote(given)} looks like a national number. Send it with its country code instead of the leading 0, like 447700900123.`,
    };
  }
  const [least, most] = PHONE_DIGITS;
  if (digits.length < least || digits.length > most) {
    return {
      fault: `${quote(given)} has ${digits.length} digits; a number with country code has ${least} to ${most}, like 447700900123.`,
    };
  }
  return { phone: digits };
}

const TAIL = 4;
const LONGEST_HEAD = 5;
const LEAST_HIDDEN = 3;

/** Returns a number with its middle hidden: `44770•••0126`. */
export function maskedPhone(digits: string): string {
  return `${shownHead(digits)}•••${digits.slice(-TAIL)}`;
}

const shownHead = (digits: string): string =>
  digits.slice(0, Math.max(0, Math.min(LONGEST_HEAD, digits.length - TAIL - LEAST_HIDDEN)));

/** The numbers that a search matches: an index range of digits, and an SQL `like` pattern within it. */
export type PhoneMatch = { from: string; to: string; like: string };

export function exactPhone(digits: string): PhoneMatch {
  return { from: digits, to: digits, like: digits };
}

export function phonesWithPrefix(digits: string): PhoneMatch {
  return {
    from: digits,
    to: digits.padEnd(PHONE_DIGITS[1], "9"),
    like: `${digits}%`,
  };
}

/** Matches all numbers with the same mask, so a match reveals no more than the mask does. */
export function phonesWithMask(digits: string): PhoneMatch {
  return {
    ...phonesWithPrefix(shownHead(digits)),
    like: `${shownHead(digits)}%${digits.slice(-TAIL)}`,
  };
}

/** Replaces an erased number in a message. */
export const ERASED_PHONE = "erased";
