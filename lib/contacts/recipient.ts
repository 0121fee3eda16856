import type { Role } from "@/db/schema/identity";
import { invalid } from "@/lib/core/app-error";
import { maskNumbers } from "@/lib/core/masked-text";
import { ERASED_PHONE, maskedPhone, type PhoneMatch, phonesOfMask, thisPhone } from "@/lib/core/phone";
import { can } from "@/lib/workspaces/roles";

/** A recipient's number, or user id, as `role` may see it: whole, or with its middle hidden (`44770•••0126`). */
export function shownRecipient(phone: string, role: Role): string {
  if (phone === ERASED_PHONE) return phone;
  if (!can(role, "seeFullRecipient")) return maskedPhone(phone);
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}

/** A contact's number, or the user id of one that shows none. */
export function shownContact(
  { phone, whatsappUserId }: { phone: string | null; whatsappUserId: string | null },
  role: Role,
): string {
  const known = phone ?? whatsappUserId;
  return known === null ? "No number" : shownRecipient(known, role);
}

/** What a search for a number finds. A member who sees masks could find a number by guessing, were it found alone. */
export function searchedPhones(phone: string, role: Role): PhoneMatch {
  return can(role, "seeFullRecipient") ? thisPhone(phone) : phonesOfMask(phone);
}

/** A text of WhatsApp's as `role` may see it: it may quote the recipient. */
export function shownReason(reason: string, role: Role): string {
  return can(role, "seeFullRecipient") ? reason : maskNumbers(reason);
}

/** Both together must agree, so they would reveal whether a guessed number is a contact's. Throws VALIDATION_ERROR. */
export function refuseGuess(role: Role, { phone, contactId }: { phone?: string; contactId?: string }): void {
  if (phone === undefined || contactId === undefined || can(role, "seeFullRecipient")) return;
  throw invalid([
    { path: "phone", message: "cannot be combined with `contactId` in a member's send. Send one of the two." },
  ]);
}
