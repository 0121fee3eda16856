import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { Day } from "@/lib/core/list-filters";
import { addDays, dateFormat, daysBetween, localDay, type Span } from "@/lib/core/local-time";
import type { Mode } from "@/lib/core/principal";
import { readUsageFilters, type UsageFilters } from "@/lib/messages/usage/usage-range";

/** What is counted: the messages of `days`, which are those of the workspace's time zone, in bars of days or months. */
export type CostScope = {
  mode: Mode;
  days: readonly Span[];
  by: "day" | "month";
  line?: string | undefined;
  key?: string | undefined;
};

export const DEFAULT_COST_RANGE = "month";

/** Ranges that end today, and two days that are chosen. Any other range is a month, such as `2026-10`. */
const LAST_DAYS: Record<string, number> = { "7d": 7, "30d": 30, "90d": 90 };
const RANGE_WORDS = { "7d": "Last 7 days", "30d": "Last 30 days", "90d": "Last 90 days", "12m": "Last 12 months" };
const MONTHS_OFFERED = 13;
/** Two years: as many days as a page reads in one statement. */
const MAX_DAYS = 731;
/** More bars are months. */
const MAX_DAY_BARS = 92;

export type CostFilters = Omit<UsageFilters, "range" | "view"> & {
  range: string;
  /** The days of the range `dates`. */
  from?: string | undefined;
  to?: string | undefined;
  view: "chart" | "messages" | "table";
};

const Filters = z.object({
  range: z
    .string()
    .regex(/^(month|7d|30d|90d|12m|dates|2\d{3}-(0[1-9]|1[0-2]))$/)
    .optional()
    .catch(undefined),
  from: Day,
  to: Day,
  view: z.enum(["chart", "messages", "table"]).catch("chart"),
});

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readCostFilters(query: Record<string, unknown>, role: Role): CostFilters {
  const { line, key } = readUsageFilters(query, role);
  const { range, from, to, view } = Filters.parse(query);
  if (range === "dates" || (range === undefined && (from ?? to) !== undefined))
    return { range: "dates", from, to, line, key, view };
  return { range: range ?? DEFAULT_COST_RANGE, line, key, view };
}

/** The ranges to choose from: this month and the ones before it, the last days, and two days. */
export function costRanges(now: Date, timeZone: string): { value: string; word: string }[] {
  const [, last = "", ...earlier] = monthsUntil(localDay(now, timeZone), MONTHS_OFFERED + 1).toReversed();
  return [
    { value: DEFAULT_COST_RANGE, word: "This month" },
    { value: last, word: "Last month" },
    ...Object.entries(RANGE_WORDS).map(([value, word]) => ({ value, word })),
    { value: "dates", word: "From … to …" },
    ...earlier.map((month) => ({ value: month, word: monthWords(month) })),
  ];
}

/** Days from the first to the last, both inclusive, and what to call them: `October 2026`, `last 30 days`. */
export type Period = { first: string; last: string; words: string };

/** A range's period, which ends today at the latest, and the one that it is compared with. */
export type CostPeriod = Period & {
  before: Period;
  /** The whole month before one that is not over. */
  wholeBefore?: Period;
};

export function costPeriodOf({ range, from, to }: CostFilters, now: Date, timeZone: string): CostPeriod {
  const today = localDay(now, timeZone);
  const thisMonth = monthOf(today);
  if (range === "dates") return chosenPeriod({ from, to, today });
  if (range in LAST_DAYS)
    return withBefore({ first: addDays(today, 1 - (LAST_DAYS[range] ?? 1)), last: today, words: wordsOf(range) });
  if (range === "12m")
    return withBefore({ first: `${monthsUntil(today, 12)[0]}-01`, last: today, words: wordsOf(range) });
  const month = range === DEFAULT_COST_RANGE || range > thisMonth ? thisMonth : range;
  const before = wholeMonth(monthBefore(month));
  if (month !== thisMonth) return { ...wholeMonth(month), before };
  const soFar = { ...before, last: min(`${monthOf(before.first)}-${today.slice(-2)}`, before.last) };
  return {
    first: `${month}-01`,
    last: today,
    words: `${monthWords(month)} so far`,
    before: { ...soFar, words: daysWords(soFar) },
    wholeBefore: before,
  };
}

/** Returns what a page or file of these filters counts in a period. */
export function costScopeOf(
  { line, key }: Pick<CostFilters, "line" | "key">,
  { mode, timeZone, first, last }: { mode: Mode; timeZone: string } & Pick<Period, "first" | "last">,
): CostScope {
  const days = daysBetween(first, last, timeZone);
  return { mode, days, by: days.length > MAX_DAY_BARS ? "month" : "day", line, key };
}

/** The bar of a day: `2026-01-15`, or `2026-01` of a month. */
export function costBucketOf(day: string, by: CostScope["by"]): string {
  return by === "month" ? monthOf(day) : day;
}

/** The bars of what is counted, oldest first. */
export function costBucketsOf({ days, by }: CostScope): string[] {
  return [...new Set(days.map(({ name }) => costBucketOf(name, by)))];
}

/** A bar's name for people: `15 Jan`, or `Jan 2026`. */
export function formatCostBucket(bucket: string): string {
  const rest = bucket.length === "2026-01".length ? ({ year: "numeric" } as const) : ({ day: "numeric" } as const);
  return dateFormat({ timeZone: "UTC", month: "short", ...rest }).format(new Date(bucket));
}

/** The days that someone chose, in the order of time, none of them after today, and not more than are read. */
function chosenPeriod({ from, to, today }: Pick<CostFilters, "from" | "to"> & { today: string }): CostPeriod {
  const until = to ?? today;
  const [first = today, last = today] = [from ?? `${monthOf(until)}-01`, until]
    .map((day) => min(day, today))
    .toSorted();
  const [, bounded = first] = [first, addDays(last, 1 - MAX_DAYS)].toSorted();
  return withBefore({ first: bounded, last, words: daysWords({ first: bounded, last }) });
}

/** Compares with as many days that end the day before. */
function withBefore(period: Period): CostPeriod {
  const days = Math.round((Date.parse(period.last) - Date.parse(period.first)) / 86_400_000) + 1;
  const before = { first: addDays(period.first, -days), last: addDays(period.first, -1) };
  return { ...period, before: { ...before, words: days === 1 ? "the day before" : `the ${days} days before` } };
}

const wordsOf = (range: string): string => (RANGE_WORDS[range as keyof typeof RANGE_WORDS] ?? range).toLowerCase();

const monthOf = (day: string): string => day.slice(0, "2026-01".length);
const min = (one: string, other: string): string => (one < other ? one : other);

/** The last `count` months, which end with that of the day, oldest first. */
function monthsUntil(day: string, count: number): string[] {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return Array.from({ length: count }, (_, i) => monthOf(new Date(Date.UTC(year, month - count + i)).toISOString()));
}

function monthBefore(month: string): string {
  return monthOf(addDays(`${month}-01`, -1));
}

function wholeMonth(month: string): Period {
  const next = monthOf(addDays(`${month}-28`, 4));
  return { first: `${month}-01`, last: addDays(`${next}-01`, -1), words: monthWords(month) };
}

/** `October 2026`. */
function monthWords(month: string): string {
  return dateFormat({ timeZone: "UTC", month: "long", year: "numeric" }).format(new Date(`${month}-01`));
}

/** `1 – 28 October 2026`, `3 October – 9 November 2026`. */
function daysWords({ first, last }: Pick<Period, "first" | "last">): string {
  const format = dateFormat({ timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
  // It sets thin spaces around the dash, which few fonts have.
  return format.formatRange(new Date(first), new Date(last)).replaceAll("\u2009", " ");
}
