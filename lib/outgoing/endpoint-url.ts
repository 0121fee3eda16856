import type { Mode } from "@/db/schema";
import { isPublicAddress, literalAddress } from "@/lib/media/public-address";

const MOST_CHARACTERS = 2_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export type UrlReading = { url: string } | { fault: string };

/** What decides which URLs an endpoint may have. */
export type UrlRules = {
  mode: Mode;
  /** Of this deployment. */
  origin: string;
  /** `host:port` of the operator's internal hosts. */
  allowed: readonly string[];
};

/**
 * Whether deliveries may go to this URL without a check of its addresses, over http as well: to the operator's internal
 * hosts; and in test mode on a developer's own machine, to a server there.
 */
export function isVouchedFor(url: URL, { mode, origin, allowed }: UrlRules): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const isLocalTest = mode === "test" && LOOPBACK.test(new URL(origin).hostname) && LOOPBACK.test(url.hostname);
  return isLocalTest || allowed.includes(`${url.hostname}:${port}`);
}

/** Reads an endpoint's URL as a member typed it. */
export function readEndpointUrl(given: string, rules: UrlRules): UrlReading {
  if (!URL.canParse(given)) return { fault: "Enter a full URL, such as https://example.com/webhooks." };
  const url = new URL(given);
  // As it is stored, where characters beyond ASCII are encoded.
  if (url.href.length > MOST_CHARACTERS) return { fault: `The URL has more than ${MOST_CHARACTERS} characters.` };
  if (url.username || url.password)
    return {
      fault: "The URL must not contain a user name or password. The signature shows that a request is Switchboard’s.",
    };
  url.hash = "";
  if (/^https?:$/.test(url.protocol) && isVouchedFor(url, rules)) return { url: url.href };
  if (url.protocol !== "https:")
    return { fault: "The URL must begin with https://. To receive test events on your computer, use listen." };
  const address = literalAddress(url.hostname);
  const isPrivate = address !== undefined && !isPublicAddress(address);
  if (isPrivate || /(^|\.)localhost\.?$/.test(url.hostname)) {
    return { fault: "The URL must lead to a public internet address." };
  }
  return { url: url.href };
}
