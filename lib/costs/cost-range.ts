import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { dateFormat, daysBetween, lastDays, localDay, type Span } from "@/lib/core/local-time";
import type { Mode } from "@/lib/core/principal";
import { readUsageFilters, USAGE_RANGES, type UsageFilters } from "@/lib/messages/usage/usage-range";

/** Counted are the messages of `days`, which are those of the workspace's time zone. */
export type CostScope = { mode: Mode; days: readonly Span[]; line?: string | undefined; key?: string | undefined };

/** Days up to 90 are shown by day, a year by month; both are in the workspace's time zone. */
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

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readCostFilters(query: Record<string, unknown>, role: Role): CostFilters {
  return { ...readUsageFilters(query, role), range: Range.parse(query.range) };
}

/** The names of a range's bars, oldest first: `2026-01-15`, or `2026-01` for months. */
export function costBucketsOf(range: CostRange, now: Date, timeZone: string): string[] {
  if (range !== "12m") return lastDays(USAGE_RANGES[range], now, timeZone).map(({ name }) => name);
  const [year = 0, month = 1] = localDay(now, timeZone).split("-").map(Number);
  return Array.from({ length: 12 }, (_, i) =>
    new Date(Date.UTC(year, month - 12 + i)).toISOString().slice(0, "2026-01".length),
  );
}

/** A bar's name for people: `15 Jan`, or `Jan 2026`. */
export function formatCostBucket(bucket: string): string {
  const rest = bucket.length === "2026-01".length ? ({ year: "numeric" } as const) : ({ day: "numeric" } as const);
  return dateFormat({ timeZone: "UTC", month: "short", ...rest }).format(new Date(bucket));
}

/** Returns what a page or file of these filters counts: from the first of its bars until today. */
export function costScopeOf(
  { line, key }: Pick<CostFilters, "line" | "key">,
  { mode, timeZone, now, buckets }: { mode: Mode; timeZone: string; now: Date; buckets: readonly string[] },
): CostScope {
  const first = buckets[0] ?? "";
  const from = first.length === "2026-01".length ? `${first}-01` : first;
  return { mode, days: daysBetween(from, localDay(now, timeZone), timeZone), line, key };
}
