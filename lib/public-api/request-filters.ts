import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { can } from "@/lib/workspaces/roles";
import type { Operation } from "./request-record";

export const STATUS_CLASSES = ["2xx", "4xx", "5xx"] as const;
export const OPERATIONS = ["send", "status", "templates", "other"] as const satisfies readonly Operation[];
export const REPLAYS = ["yes", "no"] as const;

/** Filters of a list of calls. Days are in the workspace's time zone, both inclusive. */
export type RequestFilters = z.output<typeof Filters>;

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readRequestFilters(given: Record<string, unknown>, role: Role): RequestFilters {
  const filters = Filters.parse(given);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

const word = (pattern: RegExp) => z.string().regex(pattern).optional().catch(undefined);
const oneOf = <const Word extends string>(words: readonly Word[]) => z.enum(words).optional().catch(undefined);
// From the year 2000 on: Postgres rejects some dates that occur while a year is being typed.
const day = z.iso.date().regex(/^2/).optional().catch(undefined);

const Filters = z.object({
  /** The id of a call or of a message, or an idempotency key. */
  q: z
    .string()
    .regex(/^[^\0]{1,300}$/)
    .transform((text) => text.trim() || undefined)
    .optional()
    .catch(undefined),
  status: oneOf(STATUS_CLASSES),
  code: word(/^[A-Z_]{1,40}$/),
  key: word(/^key_[0-9a-z]{26}$/),
  operation: oneOf(OPERATIONS),
  replay: oneOf(REPLAYS),
  from: day,
  to: day,
});
