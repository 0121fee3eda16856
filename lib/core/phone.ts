import { quote } from "./text";

/** The fewest and the most digits of a number with its country code. */
export const PHONE_DIGITS = [7, 15] as const;

const SEPARATORS = /[ \-.()]/g;

export type PhoneReading = { phone: string } | { fault: string };

/** A recipient's number: separators and one leading `+` go, 7–15 digits with country code remain. Never guesses. */
export function readPhone(given: string): PhoneReading {
  const shown = quote(given);
  const digits = given.replace(SEPARATORS, "").replace(/^\+/, "");
  // Written for readers who dial at home; with the country code in front it would reach another person.
  if (/\(\s*0\s*\)/.test(given)) {
    const meant = given
      .replace(/\(\s*0\s*\)/g, "")
      .replace(SEPARATORS, "")
      .replace(/^\+/, "");
    return { fault: `${shown} holds the national (0). Leave it out: ${meant}.` };
  }
  if (digits === "") return { fault: `${shown} has no digits. Send country code and digits, like 447700900123.` };
  if (!/^[0-9]+$/.test(digits)) {
    return { fault: `${shown} has characters that are not digits. Send country code and digits, like 447700900123.` };
  }
  if (digits.startsWith("00")) {
    return {
      fault: `${shown} begins with 00. Send the country code first: ${digits.replace(/^0+/, "") || "447700900123"}.`,
    };
  }
  if (digits.startsWith("0")) {
    return {
      fault: `${shown} looks like a national number. Send it with its country code instead of the leading 0, like 447700900123.`,
    };
  }
  const [least, most] = PHONE_DIGITS;
  if (digits.length < least || digits.length > most) {
    return {
      fault: `${shown} has ${digits.length} digits; a number with country code has ${least} to ${most}, like 447700900123.`,
    };
  }
  return { phone: digits };
}

const TAIL = 4;
const LONGEST_HEAD = 5;
const LEAST_HIDDEN = 3;

/** A number with its middle hidden: `44770•••0126`. */
export function maskedPhone(digits: string): string {
  return `${shownHead(digits)}•••${digits.slice(-TAIL)}`;
}

const shownHead = (digits: string): string =>
  digits.slice(0, Math.max(0, Math.min(LONGEST_HEAD, digits.length - TAIL - LEAST_HIDDEN)));

/** Numbers that a search means: in the order of their digits from one to another, and of a pattern of SQL's `like`. */
export type PhoneMatch = { from: string; to: string; like: string };

export function thisPhone(digits: string): PhoneMatch {
  return { from: digits, to: digits, like: digits };
}

export function phonesThatBegin(digits: string): PhoneMatch {
  return {
    from: digits,
    to: digits.padEnd(PHONE_DIGITS[1], "9"),
    like: `${digits}%`,
  };
}

/** All of one mask: whether one of them is found reveals no more than the mask does. */
export function phonesOfMask(digits: string): PhoneMatch {
  return {
    ...phonesThatBegin(shownHead(digits)),
    like: `${shownHead(digits)}%${digits.slice(-TAIL)}`,
  };
}

/** Replaces an erased number in a message. */
export const ERASED_PHONE = "erased";
