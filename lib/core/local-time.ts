import { z } from "zod";

/** A time as an input of type `datetime-local` sends it: by some clock, to the minute. Of this millennium. */
export const LocalTime = z
  .string()
  .regex(/^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/)
  .refine((local) => !Number.isNaN(Date.parse(`${local}Z`)))
  .transform((local) => local.slice(0, 16));

/** The value of such an input for a moment, by the clock of `timeZone`. */
export function toLocalTime(at: Date, timeZone: string): string {
  // Sweden writes times as ISO 8601 does.
  return at.toLocaleString("sv-SE", { timeZone }).replace(" ", "T").slice(0, 16);
}

/** When that clock shows `local`; where clocks are changed and show it twice, one of the two. */
export function fromLocalTime(local: string, timeZone: string): Date {
  const wanted = Date.parse(`${local}Z`);
  const aheadAt = (ms: number) =>
    Date.parse(`${toLocalTime(new Date(ms), timeZone)}Z`) - Math.floor(ms / 60_000) * 60_000;
  return new Date(wanted - aheadAt(wanted - aheadAt(wanted)));
}
