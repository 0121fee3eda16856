import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { formatNumber, quote } from "@/lib/core/text";

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
