import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { addDays, dayStart, localDay } from "@/lib/core/local-time";
import { type KeyLimits, PERMISSIONS } from "@/lib/core/principal";
import { formatNumber, quote } from "@/lib/core/text";

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

export const MAX_IP_RANGES = 50;

/** The ranges, or what is wrong by the line, counted from 1. */
export type RangesReading = { ranges: string[] } | { faults: { line: number; fault: string }[] };

/** Reads ranges in CIDR notation or single addresses. Blank lines and repetitions are dropped. */
export function readIpRanges(lines: readonly string[]): RangesReading {
  const given = lines.flatMap((text, index) => (text.trim() ? [{ line: index + 1, text: text.trim() }] : []));
  const surplus = given[MAX_IP_RANGES];
  if (surplus) {
    const fault = `A key has at most ${MAX_IP_RANGES} IP ranges, not ${formatNumber(given.length)}. Combine neighbors into larger ranges.`;
    return { faults: [{ line: surplus.line, fault }] };
  }
  const readings = given.map(({ line, text }) => ({ line, ...readRange(text) }));
  const faults = readings.flatMap((one) => ("fault" in one ? [{ line: one.line, fault: one.fault }] : []));
  if (faults.length > 0) return { faults };
  return { ranges: [...new Set(readings.flatMap((one) => ("range" in one ? [one.range] : [])))] };
}

const EXAMPLE = "such as 203.0.113.0/24 or 2001:db8::/32";

function readRange(given: string): { range: string } | { fault: string } {
  const [, address = "", , prefix] = /^([^/]*)(\/(.*))?$/s.exec(given) ?? [];
  // A zone, as in fe80::1%eth0, means something on one machine only.
  if (isIP(address) === 0 || address.includes("%") || !ipaddr.isValid(address)) {
    return { fault: `${quote(given)} is not an IP address or range, ${EXAMPLE}.` };
  }
  const bits = isIPv4(address) ? 32 : 128;
  if (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)) {
    return { fault: `${quote(given)} must end with a slash and a number from 0 to ${bits}, ${EXAMPLE}.` };
  }
  const written = ipaddr.parse(address);
  const isMapped = written instanceof ipaddr.IPv6 && written.isIPv4MappedAddress();
  const length = (prefix === undefined ? bits : Number(prefix)) - (isMapped ? 96 : 0);
  if (length < 0) return { fault: `${quote(given)} has IPv4 and IPv6 addresses. Write a range for each, ${EXAMPLE}.` };
  const first = ipaddr.process(address);
  const cidr = `${first}/${length}`;
  const family = first.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = family.networkAddressFromCIDR(cidr).toString();
  if (network === first.toString()) return { range: cidr };
  return { fault: `${quote(given)} begins within its range. Write ${network}/${length} for the range, or ${first}.` };
}
