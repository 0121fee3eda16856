import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { dateFormat } from "@/lib/core/date-format";
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
export function readUsageFilters(given: Record<string, unknown>, role: Role): UsageFilters {
  const filters = Filters.parse(given);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

/** Returns a note on active filters that do not apply to a figure: `, of all lines and keys`, or nothing. */
export function ignoredFiltersNote(filters: UsageFilters, names: readonly ("line" | "key")[]): string {
  const all = names.filter((name) => filters[name] !== undefined).map((name) => `${name}s`);
  return all.length === 0 ? "" : `, of all ${all.join(" and ")}`;
}

const id = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_\\w{1,60}$`))
    .optional()
    .catch(undefined);

const Filters = z.object({
  range: z.enum(["24h", "7d", "14d", "30d", "90d"]).catch(DEFAULT_RANGE),
  line: id("pn"),
  key: id("key"),
  view: z.enum(["chart", "table"]).catch("chart"),
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The names of a range's bars, oldest first: `2026-01-15`, or the beginning of an hour in epoch milliseconds. */
export function bucketsOf(range: UsageRange, now: Date, timeZone: string): string[] {
  return range === "24h" ? lastHours(now, timeZone) : lastDays(USAGE_RANGES[range], now, timeZone);
}

/** The first day of a range, also where it is shown by hour: `2026-01-15`. */
export function firstDayOf(range: UsageRange, now: Date, timeZone: string): string {
  const [first = ""] = bucketsOf(range, now, timeZone);
  return range === "24h" ? localDay(new Date(Number(first)), timeZone) : first;
}

/** Calendar days, so that days of 23 or 25 hours work, too. */
const lastDays = (count: number, now: Date, timeZone: string): string[] => {
  const today = Date.parse(localDay(now, timeZone));
  return Array.from({ length: count }, (_, i) =>
    new Date(today - (count - 1 - i) * DAY_MS).toISOString().slice(0, "2026-01-15".length),
  );
};

/** Full hours in the workspace's time zone, which can be offset from UTC's by 30 or 45 minutes. */
const lastHours = (now: Date, timeZone: string): string[] => {
  const [minute = 0, second = 0] = now
    .toLocaleTimeString("sv-SE", { timeZone, minute: "2-digit", second: "2-digit" })
    .split(":")
    .map(Number);
  const start = now.getTime() - (minute * 60 + second) * 1_000 - now.getMilliseconds();
  return Array.from({ length: 24 }, (_, i) => String(start - (23 - i) * HOUR_MS));
};

/** The calendar day in a zone: `2026-01-15`. */
export function localDay(at: Date, timeZone: string): string {
  return at.toLocaleDateString("sv-SE", { timeZone });
}

/** A bar's name for people: `15 Jan`, or `14:00`. */
export function formatBucket(bucket: string, range: UsageRange, timeZone: string): string {
  return range === "24h"
    ? dateFormat({ timeZone, hour: "2-digit", minute: "2-digit" }).format(new Date(Number(bucket)))
    : dateFormat({ timeZone: "UTC", day: "numeric", month: "short" }).format(new Date(bucket));
}
