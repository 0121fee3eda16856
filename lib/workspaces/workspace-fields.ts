import { z } from "zod";
import { MAX_RETENTION_DAYS } from "@/lib/core/principal";
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
  .transform(zoneOf)
  .refine(isTimeZone, "Choose a time zone from the list, such as Europe/Berlin.");

/** Empty: the server's default. */
export const RetentionDays = z
  .string()
  .trim()
  .regex(/^(|[1-9]\d{0,3})$/, `A whole number of days, 1 to ${MAX_RETENTION_DAYS}; empty for the server's default.`)
  .transform((digits) => (digits === "" ? null : Number(digits)))
  .refine((days) => days === null || days <= MAX_RETENTION_DAYS, `At most ${MAX_RETENTION_DAYS} days.`);

/** A city by itself is its zone, where one zone ends with its name. */
function zoneOf(text: string): string {
  if (isTimeZone(text)) return text;
  const end = `/${text.replaceAll(" ", "_")}`.toLowerCase();
  const zones = Intl.supportedValuesOf("timeZone").filter((name) => name.toLowerCase().endsWith(end));
  return (zones.length === 1 && zones[0]) || text;
}

/** Names of the time zone database that look like abbreviations. */
const SHORT_NAMES = /^(UTC|GMT|UCT|EST|MST|HST|PRC|ROC|ROK)$/i;

/** Whether it is a named zone of the time zone database. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 and abbreviations such as CET are not accepted, because they have no daylight saving time.
  // Node knows names of old Java versions, too, and some of them are other places elsewhere: IST, PST, US/Pacific-New.
  if (!/^[A-Za-z]/.test(name) || /^US\/Pacific-New$/i.test(name)) return false;
  if (name.length === 3 && !SHORT_NAMES.test(name)) return false;
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
