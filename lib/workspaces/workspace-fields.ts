import { z } from "zod";
import { MAX_RETENTION_DAYS } from "@/lib/core/plans";
import { characterCount } from "@/lib/core/text";

export const WorkspaceName = z
  .string()
  .trim()
  .min(1, "Enter a name, such as your shop's.")
  .refine((name) => characterCount(name) <= 100, "The name must have at most 100 characters.")
  .refine((name) => !/\p{Cc}/u.test(name), "The name must be a single line.");

export const TimeZone = z
  .string()
  .trim()
  .refine(isTimeZone, "Choose a time zone from the list, such as Europe/Berlin.");

/** Empty: the server's default. */
export const RetentionDays = z
  .string()
  .trim()
  .regex(/^(|[1-9]\d{0,3})$/, `A whole number of days, 1 to ${MAX_RETENTION_DAYS}; empty for the server's default.`)
  .transform((digits) => (digits === "" ? null : Number(digits)))
  .refine((days) => days === null || days <= MAX_RETENTION_DAYS, `At most ${MAX_RETENTION_DAYS} days.`);

/** Whether it is a named zone of the time zone database. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are not accepted: they have no daylight saving time, and Postgres inverts their sign.
  // Of these four it reads the abbreviation, which has none either.
  if (!/^[A-Za-z]/.test(name) || /^[CEMW]ET$/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** Lists the names of all zones to choose from. */
export function timeZoneNames(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}
