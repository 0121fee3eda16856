import { z } from "zod";
import type { Mode } from "@/db/schema/identity";
import { dateFormat } from "@/lib/core/date-format";
import { localDay, readUsageFilters, type UsageFilters } from "@/lib/messages/usage-range";

/** `from` and `until` are days, `2026-01-15`, both inclusive, in the workspace's time zone. */
export type CostScope = {
  mode: Mode;
  timeZone: string;
  from: string;
  until: string;
  line?: string | undefined;
  key?: string | undefined;
};

/** Days up to 90 are shown by day, a year by month; both are in the workspace's time zone. */
const DAYS = { "7d": 7, "30d": 30, "90d": 90 } as const;
const MONTHS = 12;

export const COST_RANGE_LABELS = {
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  "12m": "Last 12 months",
} as const;

export type CostRange = keyof typeof COST_RANGE_LABELS;

export const DEFAULT_COST_RANGE = "30d";

export type CostFilters = Omit<UsageFilters, "range"> & { range: CostRange };

const Range = z.enum(["7d", "30d", "90d", "12m"]).catch(DEFAULT_COST_RANGE);

/** Reads the filters from a URL's query; invalid values count as absent. */
export function readCostFilters(given: Record<string, unknown>): CostFilters {
  return { ...readUsageFilters(given), range: Range.parse(given.range) };
}

/** The names of a range's bars, oldest first: `2026-01-15`, or `2026-01` for months. */
export function costBucketsOf(range: CostRange, now: Date, timeZone: string): string[] {
  const [year = 0, month = 1, day = 1] = localDay(now, timeZone).split("-").map(Number);
  const count = range === "12m" ? MONTHS : DAYS[range];
  return Array.from({ length: count }, (_, i) => {
    const back = count - 1 - i;
    return range === "12m"
      ? new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, "2026-01".length)
      : new Date(Date.UTC(year, month - 1, day - back)).toISOString().slice(0, "2026-01-15".length);
  });
}

/** A bar's name for people: `15 Jan`, or `Jan 2026`. */
export function formatCostBucket(bucket: string): string {
  const isMonth = bucket.length === "2026-01".length;
  const at = new Date(isMonth ? `${bucket}-01` : bucket);
  return isMonth
    ? dateFormat({ timeZone: "UTC", month: "short", year: "numeric" }).format(at)
    : dateFormat({ timeZone: "UTC", day: "numeric", month: "short" }).format(at);
}

/** Returns what a page or file of these filters counts: from the first of its bars until today. */
export function costScopeOf(
  { line, key }: Pick<CostFilters, "line" | "key">,
  { mode, timeZone, buckets }: { mode: Mode; timeZone: string; buckets: readonly string[] },
): CostScope {
  const first = buckets[0] ?? "";
  const from = first.length === "2026-01".length ? `${first}-01` : first;
  return { mode, timeZone, from, until: localDay(new Date(), timeZone), line, key };
}
