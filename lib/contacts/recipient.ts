import type { Role } from "@/db/schema/identity";
import { invalid } from "@/lib/core/app-error";
import { ERASED_PHONE, exactPhone, maskedPhone, maskNumbers, type PhoneMatch, phonesWithMask } from "@/lib/core/phone";
import { can } from "@/lib/workspaces/roles";

/** Formats a recipient's number or user id for `role`: in full, or masked (`44770•••0126`). */
export function shownRecipient(phone: string, role: Role): string {
  if (phone === ERASED_PHONE) return phone;
  if (!can(role, "seeFullRecipient")) return maskedPhone(phone);
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}

/** Formats a contact's number, or its user id if it has no number. */
export function shownContact(
  { phone, whatsappUserId }: { phone: string | null; whatsappUserId: string | null },
  role: Role,
): string {
  const known = phone ?? whatsappUserId;
  return known === null ? "No number" : shownRecipient(known, role);
}

/** The numbers that a search matches. With exact matches, members who see masks could guess a number. */
export function searchedPhones(phone: string, role: Role): PhoneMatch {
  return can(role, "seeFullRecipient") ? exactPhone(phone) : phonesWithMask(phone);
}

/** Masks WhatsApp's text for `role`, because it may quote the recipient. */
export function shownReason(reason: string, role: Role): string {
  return can(role, "seeFullRecipient") ? reason : maskNumbers(reason);
}

/** Refuses both fields together: they must match, which would confirm a guessed number. Throws VALIDATION_ERROR. */
export function refuseGuess(role: Role, { phone, contactId }: { phone?: string; contactId?: string }): void {
  if (phone === undefined || contactId === undefined || can(role, "seeFullRecipient")) return;
  throw invalid([
    { path: "phone", message: "cannot be combined with `contactId` in a member's send. Send one of the two." },
  ]);
}
