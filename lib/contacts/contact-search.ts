import type { Role } from "@/db/schema/identity";
import { searchKey } from "@/lib/core/fold";
import { PHONE_DIGITS, type PhoneMatch, phonesWithPrefix, plainNumber, searchedDigits } from "@/lib/core/phone";
import { readSearchTerm } from "@/lib/core/search-term";
import { cutText } from "@/lib/core/text";
import { can } from "@/lib/workspaces/roles";
import { searchedPhones } from "./recipient";

/** What a list of people is searched for: an id, a number or a name. */
export type ContactSearch =
  | { by: "id"; id: string }
  /** Numbers in `phones`, and any that holds the digits of `part`. */
  | { by: "phone"; phones: PhoneMatch; part?: string }
  /** `prefix` is folded: names that begin with it, or in which each of its words begins one. */
  | { by: "name"; prefix: string };

/** Fewer digits are in most numbers. */
const LEAST_OF_A_PART = 4;

/** Members who see masked numbers must search for a full one, which matches its mask: else they could guess it. */
export function readContactSearch(given: string | undefined, role: Role): ContactSearch | undefined {
  const text = given && cutText(given.trim(), 200).replaceAll("\0", "").toWellFormed();
  if (!text) return undefined;
  const term = readSearchTerm(text);
  if (term?.kind === "id") return { by: "id", id: term.id };
  if (term?.kind === "text" && term.phone !== undefined && !can(role, "seeFullRecipient")) {
    return { by: "phone", phones: searchedPhones(term.phone, role) };
  }
  const digits = can(role, "seeFullRecipient") ? searchedDigits(text) : undefined;
  if (digits) return { by: "phone", phones: phonesWithPrefix(digits), ...partOf(text, digits) };
  const prefix = searchKey(text);
  return prefix === "" ? undefined : { by: "name", prefix };
}

/** As people know a number: its last digits, or all but the country code. A plus sign or 00 is the beginning of a number. */
function partOf(text: string, digits: string): { part?: string } {
  if (/^\+|^00/.test(plainNumber(text))) return {};
  const part = digits.length < PHONE_DIGITS[0] ? digits : digits.replace(/^0/, "");
  return part.length < LEAST_OF_A_PART ? {} : { part };
}
