import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { matching } from "@/lib/core/list-filters";
import { dateFormat, lastDays, localDay, type Span, toLocalTime } from "@/lib/core/local-time";
import type { Mode } from "@/lib/core/principal";
import { can } from "@/lib/workspaces/roles";

/** Ranges of the usage page. Days are in the workspace's time zone; 24 hours are shown by hour. */
export const USAGE_RANGES = { "24h": 1, "7d": 7, "14d": 14, "30d": 30, "90d": 90 } as const;

export const DEFAULT_RANGE = "14d";

export type UsageRange = keyof typeof USAGE_RANGES;

export const RANGE_LABELS: Record<UsageRange, string> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "14d": "Last 14 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
};

export type UsageFilters = {
  range: UsageRange;
  line?: string | undefined;
  key?: string | undefined;
  view: "chart" | "table";
};

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readUsageFilters(query: Record<string, unknown>, role: Role): UsageFilters {
  const filters = Filters.parse(query);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

/** Returns a note on active filters that do not apply to a figure: `, of all lines and keys`, or nothing. */
export function ignoredFiltersNote(filters: UsageFilters, names: readonly ("line" | "key")[]): string {
  const all = names.filter((name) => filters[name] !== undefined).map((name) => `${name}s`);
  return all.length === 0 ? "" : `, of all ${all.join(" and ")}`;
}

const Filters = z.object({
  range: z.enum(["24h", "7d", "14d", "30d", "90d"]).catch(DEFAULT_RANGE),
  line: matching(/^pn_\w{1,60}$/),
  key: matching(/^key_\w{1,60}$/),
  view: z.enum(["chart", "table"]).catch("chart"),
});

const HOUR_MS = 3_600_000;

/** What the usage queries count: one bar for each span. */
export type UsageScope = Pick<UsageFilters, "line" | "key"> & { mode: Mode; spans: readonly Span[] };

/** Returns what a page or file with these filters counts. */
export function usageScope(
  { range, line, key }: UsageFilters,
  { mode, timeZone, now }: { mode: Mode; timeZone: string; now: Date },
): UsageScope {
  return { mode, line, key, spans: spansOf(range, now, timeZone) };
}

/** A range's bars, oldest first, named by their day, `2026-01-15`, or the start of their hour in epoch milliseconds. */
export function spansOf(range: UsageRange, now: Date, timeZone: string): Span[] {
  return range === "24h" ? lastHours(now, timeZone) : lastDays(USAGE_RANGES[range], now, timeZone);
}

/** The first day of a range, also where it is shown by hour: `2026-01-15`. */
export function firstDayOf(range: UsageRange, now: Date, timeZone: string): string {
  const [first] = spansOf(range, now, timeZone);
  return localDay(first?.since ?? now, timeZone);
}

/** Full hours by the workspace's clock now, which can be offset from UTC by 30 or 45 minutes. */
function lastHours(now: Date, timeZone: string): Span[] {
  const pastTheHour = Number(toLocalTime(now, timeZone).slice(-2)) * 60_000 + (now.getTime() % 60_000);
  const last = now.getTime() - pastTheHour;
  return Array.from({ length: 24 }, (_, i) => {
    const since = last - (23 - i) * HOUR_MS;
    return { name: String(since), since: new Date(since), until: new Date(since + HOUR_MS) };
  });
}

/** A bar's name for people: `15 Jan`, or `14:00`. */
export function formatBucket(bucket: string, range: UsageRange, timeZone: string): string {
  return range === "24h"
    ? dateFormat({ timeZone, hour: "2-digit", minute: "2-digit" }).format(new Date(Number(bucket)))
    : dateFormat({ timeZone: "UTC", day: "numeric", month: "short" }).format(new Date(bucket));
}
