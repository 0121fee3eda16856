import { z } from "zod";

/** Kinds of objects in the log: the prefixes of its action names. */
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

/** Filters of the log. Days are in the workspace's time zone, both inclusive. */
export type AuditFilters = z.output<typeof Filters>;

/** Reads the filters from a URL; invalid values are ignored. */
export function readAuditFilters(given: Record<string, unknown>): AuditFilters {
  return Filters.parse(given);
}

const id = z
  .string()
  .regex(/^[\w:.-]{1,80}$/)
  .optional()
  .catch(undefined);
// Years from 2000 on: a partly typed year is no valid date in Postgres.
const day = z.iso.date().regex(/^2/).optional().catch(undefined);

const Filters = z.object({
  actor: id,
  thing: z.enum(AUDITED_THINGS).optional().catch(undefined),
  target: id,
  from: day,
  to: day,
});
