import type { Role } from "@/db/schema/identity";
import { ERASED_PHONE, maskedPhone } from "@/lib/contacts/phone";
import { can } from "@/lib/workspaces/roles";

/** A recipient's number as `role` may see it: whole, or with its middle hidden (`44770•••0126`). */
export const shownRecipient = (phone: string, role: Role): string => {
  if (phone === ERASED_PHONE) return phone;
  return can(role, "seeFullRecipient") ? `+${phone}` : maskedPhone(phone);
};
