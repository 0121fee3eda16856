import { z } from "zod";
import { oneOf, Typed } from "@/lib/core/list-filters";
import { fromLocalTime, LocalTime } from "@/lib/core/local-time";
import { EVENT_TYPES, TEST_EVENT } from "@/lib/outgoing/events/event-types";

/** Filters of a list of deliveries. Times are in the workspace's time zone, both inclusive. */
export type DeliveryFilters = Readonly<z.infer<typeof Filters>>;

/** Reads the filters from a URL's query; invalid values count as absent. */
export function readDeliveryFilters(query: Record<string, unknown>): DeliveryFilters {
  return Filters.parse(query);
}

const time = LocalTime.optional().catch(undefined);

const Filters = z.object({
  /** The id of a message, a template or a delivery. */
  q: Typed,
  type: oneOf([...EVENT_TYPES, TEST_EVENT]),
  from: time,
  to: time,
});

const MINUTE_MS = 60_000;

/** Returns the range between two times, up to the end of the second one's minute. */
export function periodOf(
  { from, to }: Pick<DeliveryFilters, "from" | "to">,
  timeZone: string,
): { since: Date | undefined; until: Date | undefined } {
  return {
    since: from === undefined ? undefined : fromLocalTime(from, timeZone),
    until: to === undefined ? undefined : new Date(fromLocalTime(to, timeZone, "last").getTime() + MINUTE_MS),
  };
}
