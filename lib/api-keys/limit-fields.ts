import { z } from "zod";
import { addDays, dayStart, localDay } from "@/lib/core/local-day";
import { type KeyLimits, PERMISSIONS } from "@/lib/core/principal";
import { readIpRanges } from "./ip-ranges";

const MAX_NAMED = 200;
const HIGHEST_CAP = 2_147_483_647;

/** A field that a form has never, once or several times. */
const stringList = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((given) => [...new Set([given].flat().filter(Boolean))].toSorted());

const boundedList = (what: string) =>
  stringList.refine((names) => names.length <= MAX_NAMED, `A key is limited to at most ${MAX_NAMED} ${what}.`);

/** The limits as a form or a command line gives them; what is empty is no limit. */
export const LimitFields = z.object({
  permissions: stringList.pipe(
    z
      .array(z.enum(PERMISSIONS, `Use ${PERMISSIONS.join(", ")}.`))
      .min(1, "Choose at least one, or the key can do nothing."),
  ),
  phoneNumberIds: boundedList("lines"),
  templateNames: boundedList("templates").refine(
    (names) => names.every((name) => /^[a-z0-9_]{1,512}$/.test(name)),
    "A template’s name has lower case letters, digits and underscores.",
  ),
  /** One a line, or separated by commas. */
  ipRanges: z
    .string()
    .default("")
    .transform((text, { addIssue }) => {
      const lines = text.split(/\r\n|[\r\n]/);
      const given = lines.flatMap((line, at) => line.split(",").map((range) => ({ range, line: at + 1 })));
      const reading = readIpRanges(given.map(({ range }) => range));
      if ("ranges" in reading) return reading.ranges;
      const [first, ...more] = reading.faults.map(({ line: place, fault }) => ({
        fault,
        line: given[place - 1]?.line,
      }));
      const rest = more.length > 0 ? ` ${more.length} more ${more.length === 1 ? "line is" : "lines are"} wrong.` : "";
      addIssue(`Line ${first?.line}: ${first?.fault}${rest}`);
      return z.NEVER;
    }),
  monthlyCap: z
    .string()
    .trim()
    .default("")
    .refine(
      (text) => text === "" || (/^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= HIGHEST_CAP),
      "Give a whole number from 1, or leave it empty.",
    )
    .transform((text) => (text === "" ? null : Number(text))),
});

/** Returns the limits of such fields. */
export function toKeyLimits({ permissions, ...fields }: z.output<typeof LimitFields>): KeyLimits {
  const { phoneNumberIds, templateNames, ipRanges, monthlyCap } = fields;
  return {
    // Of every permission there is none left to limit.
    ...(permissions.length < PERMISSIONS.length ? { permissions } : {}),
    ...(phoneNumberIds.length > 0 ? { phoneNumberIds } : {}),
    ...(templateNames.length > 0 ? { templateNames } : {}),
    ...(ipRanges.length > 0 ? { ipRanges } : {}),
    ...(monthlyCap === null ? {} : { monthlyCap }),
  };
}

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
