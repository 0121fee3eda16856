import { z } from "zod";
import { Day, matching, oneOf } from "@/lib/core/list-filters";

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
export function readAuditFilters(query: Record<string, unknown>): AuditFilters {
  return Filters.parse(query);
}

const Id = matching(/^[\w:.-]{1,80}$/);

const Filters = z.object({ actor: Id, thing: oneOf(AUDITED_THINGS), target: Id, from: Day, to: Day });
