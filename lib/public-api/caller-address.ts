import { env } from "@/lib/core/env";
import { hasFrontDoor } from "@/lib/core/front-door";
import { clientAddress } from "./request-headers";

/** The address that a request is limited by, as this deployment's settings make it out. */
export function callerAddress(headers: Pick<Headers, "get">): string {
  return clientAddress(headers, {
    trustedProxyHops: env().TRUSTED_PROXY_HOPS,
    hasFrontDoor: hasFrontDoor(),
    isVercel: env().VERCEL,
  });
}
