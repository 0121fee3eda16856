import { fromLocalTime, toLocalTime } from "@/lib/core/date-format";

const DAY_MS = 86_400_000;

/** Returns the last day on which a key works, as a date input has it. */
export function lastDayOf(expiresAt: Date, timeZone: string): string {
  return toLocalTime(new Date(expiresAt.getTime() - 1), timeZone).slice(0, 10);
}

/** Returns when a key expires that works until the end of a day; one whose last day that is already keeps its time. */
export function expiryAfter(lastDay: string | null, timeZone: string, stored: Date | null = null): Date | null {
  if (lastDay === null) return null;
  if (stored && lastDayOf(stored, timeZone) === lastDay) return stored;
  const next = new Date(Date.parse(`${lastDay}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return fromLocalTime(`${next}T00:00`, timeZone);
}
