import type { Role } from "@/db/schema/identity";
import { ERASED_PHONE } from "@/lib/contacts/phone";
import { can } from "@/lib/workspaces/roles";

const TAIL = 4;
const LONGEST_HEAD = 5;
const LEAST_HIDDEN = 3;

/** A recipient's number as `role` may see it: whole, or with its middle hidden (`44770•••0126`). */
export const shownRecipient = (phone: string, role: Role): string => {
  if (phone === ERASED_PHONE) return phone;
  if (can(role, "seeFullRecipient")) return `+${phone}`;
  const head = Math.max(0, Math.min(LONGEST_HEAD, phone.length - TAIL - LEAST_HIDDEN));
  return `${phone.slice(0, head)}•••${phone.slice(-TAIL)}`;
};
