import { z } from "zod";
import { log } from "./log";

/** The version of Node's zone data, such as `2026c`; empty if Node was built without it. */
export const ZONE_DATA = process.versions.tz ?? "";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Options = Intl.DateTimeFormatOptions & { timeZone: string };

// Creating a format costs a hundred times more than using it, so formats are cached: zones and forms are few.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached date format for a time zone; of one that this Node's zone data does not have yet, UTC. */
export function dateFormat(options: Options): Intl.DateTimeFormat {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? newFormat(options);
  formats.set(name, format);
  return format;
}

// A newer instance may have stored such a zone. A page by the wrong clock is better than none.
function newFormat(options: Options): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", options);
  } catch (error) {
    const { timeZone } = options;
    if (!(error instanceof RangeError) || timeZone === "UTC") throw error;
    log("error", "time-zone.unknown", { timeZone, zoneData: ZONE_DATA });
    return newFormat({ ...options, timeZone: "UTC" });
  }
}

/** The value of a `datetime-local` input: a local time to the minute, from the year 2000 on. */
export const LocalTime = z
  .string()
  .regex(/^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/)
  .refine((local) => !Number.isNaN(Date.parse(`${local}Z`)))
  .transform((local) => local.slice(0, 16));

const TO_THE_MINUTE = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const;

/** Formats an instant as the value of such an input, in `timeZone`. */
export function toLocalTime(at: Date, timeZone: string): string {
  const [day, month, year, hour, minute] = dateFormat({ timeZone, ...TO_THE_MINUTE })
    .format(at)
    .split(/\D+/);
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/** How far a zone's clock is ahead of UTC, in milliseconds, by whole minutes. */
export function offsetAt(at: Date, timeZone: string): number {
  return Date.parse(`${toLocalTime(at, timeZone)}Z`) - Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
}

/**
 * Returns the instant of a local time, to the minute: of one that occurs twice at a clock change the first or the last.
 * One that is skipped is read by the clock before the change, so that it comes after it.
 */
export function fromLocalTime(local: string, timeZone: string, which: "first" | "last" = "first"): Date {
  const wanted = Date.parse(`${local}Z`);
  // No zone changes its clock twice within two days.
  const before = wanted - offsetAt(new Date(wanted - DAY_MS), timeZone);
  const after = wanted - offsetAt(new Date(wanted + DAY_MS), timeZone);
  if (before === after) return new Date(before);
  const isShown = (ms: number) => toLocalTime(new Date(ms), timeZone) === local;
  if (!isShown(after)) return new Date(before);
  if (!isShown(before)) return new Date(after);
  return new Date(which === "first" ? Math.min(before, after) : Math.max(before, after));
}

const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["day", DAY_MS],
  ["hour", 3_600_000],
  ["minute", MINUTE_MS],
];

/** Formats an age: `4 minutes ago`, or `just now` below a minute and for times in the future. */
export function timeAgo(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const [unit, unitMs] = UNITS.find(([, least]) => ms >= least) ?? [];
  if (!unit || !unitMs) return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(-Math.floor(ms / unitMs), unit);
}

// Every local day of the product is computed here, by Node's zone data; the database only compares instants.

/** A local day or hour: from `since` on, before `until`. `name` is the day, `2026-01-15`, or what a caller calls it. */
export type Span = { name: string; since: Date; until: Date };

/** The calendar day of an instant in a zone: `2026-01-15`. */
export function localDay(at: Date, timeZone: string): string {
  return toLocalTime(at, timeZone).slice(0, "2026-01-15".length);
}

/** The calendar day that is `days` later, or earlier if negative. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, "2026-01-15".length);
}

/**
 * The first instant of a day, which is not always 00:00: clocks may skip midnight, or show it twice. A day that a zone
 * skipped begins and ends where the next one begins.
 */
export function dayStart(day: string, timeZone: string): Date {
  return fromLocalTime(`${day}T00:00`, timeZone, "first");
}

/** The days from one to another, both inclusive, oldest first. */
export function daysBetween(first: string, last: string, timeZone: string): Span[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  const starts = Array.from({ length: Math.max(0, count) + 1 }, (_, i) => dayStart(addDays(first, i), timeZone));
  return starts.slice(1).map((until, i) => ({ name: addDays(first, i), since: starts[i] ?? until, until }));
}

/** The last `count` days, which end with today. */
export function lastDays(count: number, now: Date, timeZone: string): Span[] {
  const today = localDay(now, timeZone);
  return daysBetween(addDays(today, 1 - count), today, timeZone);
}

/** Names the day of an instant in `timeZone`: `Today`, `Yesterday`, `Mon 23 Nov`, with its year unless that is this year. */
export function dayName(at: Date, now: Date, timeZone: string): string {
  const [day, today] = [localDay(at, timeZone), localDay(now, timeZone)];
  if (day === today) return "Today";
  if (day === addDays(today, -1)) return "Yesterday";
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  const options = { timeZone, weekday: "short", day: "numeric", month: "short" } as const;
  return dateFormat(isThisYear ? options : { ...options, year: "numeric" })
    .format(at)
    .replaceAll(",", "");
}
