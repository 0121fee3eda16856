import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { Day, matching, oneOf, Typed } from "@/lib/core/list-filters";
import { can } from "@/lib/workspaces/roles";
import type { Operation } from "./request-record";

export const STATUS_CLASSES = ["2xx", "4xx", "5xx"] as const;
export const OPERATIONS = ["send", "status", "templates", "other"] as const satisfies readonly Operation[];
export const REPLAYS = ["yes", "no"] as const;

/** Filters of a list of calls. Days are in the workspace's time zone, both inclusive. */
export type RequestFilters = z.output<typeof Filters>;

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readRequestFilters(query: Record<string, unknown>, role: Role): RequestFilters {
  const filters = Filters.parse(query);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

const Filters = z.object({
  /** The id of a call or of a message, an idempotency key, or a recipient's name or number or a part of it. */
  q: Typed,
  status: oneOf(STATUS_CLASSES),
  code: matching(/^[A-Z_]{1,40}$/),
  key: matching(/^key_[0-9a-z]{26}$/),
  operation: oneOf(OPERATIONS),
  replay: oneOf(REPLAYS),
  from: Day,
  to: Day,
});
