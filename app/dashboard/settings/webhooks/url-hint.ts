import type { Mode } from "@/db/schema/identity";
import { isVouchedFor } from "@/lib/outgoing/endpoint-url";
import { urlRules } from "@/lib/outgoing/url-rules";

const BESIDE = new URL("http://localhost");

/** What a URL of an endpoint must be. */
export function urlHint(mode: Mode): string {
  return isVouchedFor(BESIDE, urlRules(mode))
    ? "A public https:// address. This deployment is on your own machine, so http://localhost works too."
    : "A public https:// address.";
}
