import { callerAddress } from "@/lib/http/request-headers";
import type { Visitor as Device } from "@/lib/sessions/device";

/** The client behind a request: its address, its browser and its cookies. */
export type Visitor = Device & { cookieHeader: string | null };

export function visitorOf(headers: Pick<Headers, "get">): Visitor {
  return {
    address: callerAddress(headers),
    userAgent: headers.get("user-agent"),
    cookieHeader: headers.get("cookie"),
  };
}
