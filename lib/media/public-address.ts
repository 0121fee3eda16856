import ipaddr from "ipaddr.js";

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/**
 * True for an IPv4 or IPv6 address, as DNS or a parsed URL writes it, that belongs to the public internet. Private,
 * loopback, link-local and reserved ranges are false, and so is every IPv6 form that carries an IPv4 address inside.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  // Outside 2000::/3 nothing is public; `::127.0.0.1` would otherwise pass as plain unicast.
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : ipaddr.IPv4.isValidFourPartDecimal(address);
}

/** The address in a URL's `hostname` (`[::1]` without its brackets), or undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(bare) ? bare : undefined;
}
