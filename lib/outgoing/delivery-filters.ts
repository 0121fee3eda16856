import { z } from "zod";
import { fromLocalTime, LocalTime } from "@/lib/core/local-time";
import { EVENT_TYPES, TEST_EVENT } from "@/lib/public-api/event-types";

/** What a list of deliveries is narrowed to. Times are of the workspace's time zone, both included. */
export type DeliveryFilters = Readonly<z.infer<typeof Filters>>;

/** The filters in an address; what is none of them counts as absent. */
export function readDeliveryFilters(given: Record<string, unknown>): DeliveryFilters {
  return Filters.parse(given);
}

const time = LocalTime.optional().catch(undefined);

const Filters = z.object({
  /** The id of a message, a template or a delivery. */
  q: z
    .string()
    .regex(/^[^\0]{1,300}$/)
    .optional()
    .catch(undefined)
    .transform((text) => text?.trim().toWellFormed() || undefined),
  type: z
    .enum([...EVENT_TYPES, TEST_EVENT])
    .optional()
    .catch(undefined),
  from: time,
  to: time,
});

const MINUTE_MS = 60_000;

/** The moments between two times, of which the second is within its minute. */
export function periodOf(
  { from, to }: Pick<DeliveryFilters, "from" | "to">,
  timeZone: string,
): { since: Date | undefined; until: Date | undefined } {
  return {
    since: from === undefined ? undefined : fromLocalTime(from, timeZone),
    until: to === undefined ? undefined : new Date(fromLocalTime(to, timeZone).getTime() + MINUTE_MS),
  };
}
