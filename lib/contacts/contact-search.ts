import type { Role } from "@/db/schema/identity";
import { searchKey } from "@/lib/core/fold";
import { type PhoneMatch, phonesWithPrefix, searchedDigits } from "@/lib/core/phone";
import { readSearchTerm } from "@/lib/core/search-term";
import { cutText } from "@/lib/core/text";
import { can } from "@/lib/workspaces/roles";
import { searchedPhones } from "./recipient";

/** Filter of a contact list: one contact, those whose number or name starts with the text, or none. */
export type ContactSearch =
  | { by: "id"; id: string }
  | { by: "phone"; phones: PhoneMatch }
  /** `prefix` is folded. */
  | { by: "name"; prefix: string };

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
  if (digits) return { by: "phone", phones: phonesWithPrefix(digits) };
  const prefix = searchKey(text);
  return prefix === "" ? undefined : { by: "name", prefix };
}
