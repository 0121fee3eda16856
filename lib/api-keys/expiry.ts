import { addDays, dayStart, localDay } from "@/lib/core/local-day";

/** Returns the last day on which a key works, as a date input has it. */
export function lastDayOf(expiresAt: Date, timeZone: string): string {
  return localDay(new Date(expiresAt.getTime() - 1), timeZone);
}

/** Returns when a key expires that works until the end of a day; one whose last day that is already keeps its time. */
export function expiryAfter(lastDay: string | null, timeZone: string, stored: Date | null = null): Date | null {
  if (lastDay === null) return null;
  if (stored && lastDayOf(stored, timeZone) === lastDay) return stored;
  return dayStart(addDays(lastDay, 1), timeZone);
}
