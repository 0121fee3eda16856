import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import metadata from "libphonenumber-js/min/metadata";

/**
 * Returns the ISO code of a recipient's country: from the digits of a number, or from a user id such as `US.13491208`.
 * A number that no plan has counts to the largest country of its calling code. Null for anything else.
 */
export function countryOf(recipient: string): string | null {
  const [, ofUserId] = /^([A-Z]{2})\./.exec(recipient) ?? [];
  if (ofUserId) return ofUserId;
  if (!/^\d{7,15}$/.test(recipient)) return null;
  const number = parsePhoneNumberFromString(`+${recipient}`);
  if (!number) return null;
  return number.country ?? metadata.country_calling_codes[number.countryCallingCode]?.[0] ?? null;
}
