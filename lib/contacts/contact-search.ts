import type { Role } from "@/db/schema/identity";
import { type PhoneMatch, phonesThatBegin } from "@/lib/core/phone";
import { readSearchTerm } from "@/lib/core/search-term";
import { can } from "@/lib/workspaces/roles";
import { searchedPhones } from "./recipient";

/** What a list of contacts is narrowed to: one of them, those whose number or name begins so, or none. */
export type ContactSearch =
  | { by: "id"; id: string }
  | { by: "phone"; phones: PhoneMatch }
  | { by: "name"; prefix: string };

/** A member who may not see whole numbers could find them digit by digit: there a number must be whole, and finds its mask. */
export function readContactSearch(given: string | undefined, role: Role): ContactSearch | undefined {
  const text = given?.trim().slice(0, 200).replaceAll("\0", "").toWellFormed();
  if (!text) return undefined;
  const term = readSearchTerm(text);
  if (term?.kind === "id") return { by: "id", id: term.id };
  if (term?.kind === "text" && term.phone !== undefined && !can(role, "seeFullRecipient")) {
    return { by: "phone", phones: searchedPhones(term.phone, role) };
  }
  if (/^\+?[\d\s().-]+$/.test(text) && can(role, "seeFullRecipient")) {
    const digits = (term?.kind === "text" && term.phone) || text.replace(/\D/g, "").replace(/^00/, "");
    if (digits !== "") return { by: "phone", phones: phonesThatBegin(digits) };
  }
  return { by: "name", prefix: text.toLowerCase() };
}
