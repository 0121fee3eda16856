import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { askDns } from "@/lib/core/host-lookup";

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/**
 * Returns true for a public IPv4 or IPv6 address, as written by DNS or a parsed URL. Private,
 * loopback, link-local and reserved ranges are false, and so is every IPv6 form that embeds an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  // Also for what ipaddr.js alone would read, such as octal numbers.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  // Outside 2000::/3 nothing is public; `::127.0.0.1` would otherwise pass as plain unicast.
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : true;
}

/** Returns the IP address in a URL's `hostname` (`[::1]` without its brackets), or undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? undefined : bare;
}

/** False for a private literal address, and for `localhost`, which some resolvers do not map to loopback. */
export function mayBePublic({ hostname }: URL): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? !/(^|\.)localhost\.?$/.test(hostname) : isPublicAddress(address);
}

/** Returns `host:port`, as in MEDIA_FETCH_ALLOW. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}

/** A host name without a public address. Omits the address, which may belong to a private network. */
export class NotPublic extends Error {
  override readonly name = "NotPublic";
}

export const LOOKUP_TIMEOUT_MS = 2_000;

/**
 * For a call through a proxy, which looks the name up itself: throws NotPublic if DNS knows a private address of it. A name
 * that only the proxy can look up passes: the proxy must refuse private addresses, too.
 */
export async function refusePrivateName(hostname: string): Promise<void> {
  const addresses = await askDns(hostname, { timeoutMs: LOOKUP_TIMEOUT_MS }).catch(() => []);
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw new NotPublic();
}

/**
 * The look-up of a client that calls hosts of a tenant's, by which a socket connects to the very addresses that were
 * checked. Of no use for a literal address, which no socket looks up (`mayBePublic`). Ends within 2 s or with `signal`, and
 * a silent DNS holds no thread.
 */
export function publicLookup(signal?: AbortSignal): LookupFunction {
  return (hostname, options, callback) => {
    const found = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(new NotPublic(), "");
      } else if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    };
    askDns(hostname, { timeoutMs: LOOKUP_TIMEOUT_MS, ...(signal && { signal }) }).then(found, (error) =>
      callback(error, ""),
    );
  };
}
