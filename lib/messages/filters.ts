import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { messageStatus, messageType } from "@/db/schema/messages";
import { can } from "@/lib/workspaces/roles";

/** What a list of messages is narrowed to. Days are of the workspace's time zone, both included. */
export type MessageFilters = Readonly<z.infer<typeof Filters>>;

/** The filters in an address, as far as `role` may use them; what is none of them counts as absent. */
export function readMessageFilters(given: Record<string, unknown>, role: Role): MessageFilters {
  const filters = Filters.parse(given);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

export function isFiltered(filters: MessageFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

const word = (pattern: RegExp) => z.string().regex(pattern).optional().catch(undefined);
const typed = word(/^[^\0]{1,300}$/).transform((text) => text?.trim().toWellFormed() || undefined);
// Of this millennium: what a person types on the way to a year is no day of Postgres.
const day = z.iso.date().regex(/^2/).optional().catch(undefined);

const Filters = z.object({
  /** Any id, an idempotency key or a phone. */
  q: typed,
  status: z.enum(messageStatus.enumValues).optional().catch(undefined),
  type: z.enum(messageType.enumValues).optional().catch(undefined),
  line: word(/^pn_[0-9a-z]{1,40}$/),
  template: word(/^[\w.-]{1,512}$/),
  key: word(/^key_[0-9a-z]{1,40}$/),
  /** A phone in any format. */
  recipient: typed,
  /** WhatsApp's code of a failure. */
  code: word(/^[1-9]\d{0,8}$/),
  from: day,
  to: day,
});
