import { z } from "zod";

/** Kinds of things in the log, as its event names begin. */
export const AUDITED_THINGS = [
  "apiKey",
  "contact",
  "invitation",
  "member",
  "phoneNumber",
  "template",
  "webhookEndpoint",
  "workspace",
] as const;

/** What the log is narrowed to. Days are of the workspace's time zone, both included. */
export type AuditFilters = {
  actor?: string | undefined;
  thing?: (typeof AUDITED_THINGS)[number] | undefined;
  target?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** The filters in an address; what is none of them counts as absent. */
export function readAuditFilters(given: Record<string, unknown>): AuditFilters {
  return Filters.parse(given);
}

const id = z
  .string()
  .regex(/^[\w:.-]{1,80}$/)
  .optional()
  .catch(undefined);
// Of this millennium: what a person types on the way to a year is no day of Postgres.
const day = z.iso.date().regex(/^2/).optional().catch(undefined);

const Filters = z.object({
  actor: id,
  thing: z.enum(AUDITED_THINGS).optional().catch(undefined),
  target: id,
  from: day,
  to: day,
});
