import type { Role } from "@/db/schema/identity";
import { readSearchTerm } from "@/lib/search/search-term";
import { can } from "@/lib/workspaces/roles";

/** What a list of contacts is narrowed to: one of them, those whose number or name begins so, or nobody. */
export type ContactSearch =
  | { by: "id"; id: string }
  | { by: "phone"; from: string; to: string }
  | { by: "name"; prefix: string };

const LONGEST_PHONE = 15;

/** Whoever may not see whole numbers could find them out digit by digit, so a number must be whole there. */
export const readContactSearch = (given: string | undefined, role: Role): ContactSearch | undefined => {
  const text = given?.trim().slice(0, 200).replaceAll("\0", "").toWellFormed();
  if (!text) return undefined;
  const term = readSearchTerm(text);
  if (term?.kind === "id") return { by: "id", id: term.id };
  if (term?.kind === "text" && term.phone !== undefined && !can(role, "seeFullRecipient")) {
    return { by: "phone", from: term.phone, to: term.phone };
  }
  if (/^\+?[\d\s().-]+$/.test(text) && can(role, "seeFullRecipient")) {
    const digits = (term?.kind === "text" && term.phone) || text.replace(/\D/g, "").replace(/^00/, "");
    if (digits !== "") return { by: "phone", from: digits, to: digits.padEnd(LONGEST_PHONE, "9") };
  }
  return { by: "name", prefix: text.toLowerCase() };
};
