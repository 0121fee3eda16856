import { z } from "zod";

type Options = Intl.DateTimeFormatOptions & { timeZone: string };

// Creating a format costs a hundred times more than using it, so formats are cached: zones and forms are few.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached date format for a time zone. */
export function dateFormat(options: Options): Intl.DateTimeFormat {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? new Intl.DateTimeFormat("en-GB", options);
  formats.set(name, format);
  return format;
}

/** The value of a `datetime-local` input: a local time to the minute, from the year 2000 on. */
export const LocalTime = z
  .string()
  .regex(/^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/)
  .refine((local) => !Number.isNaN(Date.parse(`${local}Z`)))
  .transform((local) => local.slice(0, 16));

/** Formats an instant as the value of such an input, in `timeZone`. */
export function toLocalTime(at: Date, timeZone: string): string {
  // The Swedish locale uses the ISO 8601 format.
  return at.toLocaleString("sv-SE", { timeZone }).replace(" ", "T").slice(0, 16);
}

/** Returns the instant of a local time; if it occurs twice at a clock change, one of the two. */
export function fromLocalTime(local: string, timeZone: string): Date {
  const wanted = Date.parse(`${local}Z`);
  const aheadAt = (ms: number) =>
    Date.parse(`${toLocalTime(new Date(ms), timeZone)}Z`) - Math.floor(ms / 60_000) * 60_000;
  return new Date(wanted - aheadAt(wanted - aheadAt(wanted)));
}

/** Names the day of an instant in `timeZone`: `Today`, `Yesterday`, `Mon 23 Nov`, with its year unless that is this year. */
export function dayName(at: Date, now: Date, timeZone: string): string {
  const dayOf = (moment: Date) =>
    dateFormat({ timeZone, dateStyle: "short" }).format(moment).split("/").reverse().join("-");
  const [day, today] = [dayOf(at), dayOf(now)];
  if (day === today) return "Today";
  if (day === dayBefore(today)) return "Yesterday";
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  const options = { timeZone, weekday: "short", day: "numeric", month: "short" } as const;
  return dateFormat(isThisYear ? options : { ...options, year: "numeric" })
    .format(at)
    .replaceAll(",", "");
}

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00Z`) - 86_400_000).toISOString().slice(0, 10);

const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** Formats an age: `4 minutes ago`, or `just now` below a minute and for times in the future. */
export function timeAgo(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const [unit, unitMs] = UNITS.find(([, least]) => ms >= least) ?? [];
  if (!unit || !unitMs) return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(-Math.floor(ms / unitMs), unit);
}
