import { dateFormat, fromLocalTime, toLocalTime } from "./date-format";

// Every local day of the product is computed here, by Node's zone data; the database only compares instants.

/** A local day or hour: from `since` on, before `until`. `name` is the day, `2026-01-15`, or what a caller calls it. */
export type Span = { name: string; since: Date; until: Date };

const DAY_MS = 86_400_000;

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
