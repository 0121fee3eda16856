import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { askDns } from "./ask-dns";
import { isPublicAddress } from "./public-address";

/** A name that does not lead to the public internet. Names no address: it may belong to a private network. */
export class NotPublic extends Error {
  override readonly name = "NotPublic";
}

/**
 * A socket's look-up that knows public addresses only: what is connected to is what was checked, at every connection.
 * Bounded by `timeoutMs`, and on sockets of its own, so that a silent DNS holds no thread.
 */
export function publicLookup(timeoutMs: number): LookupFunction {
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
    askDns(hostname, { timeoutMs }).then(found, (error) => callback(error, ""));
  };
}
