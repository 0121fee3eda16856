import { env } from "@/lib/core/env";
import type { Mode } from "@/lib/core/principal";
import { hostAndPort, mayBePublic } from "@/lib/media/public-address";

const MAX_CHARACTERS = 2_000;
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
 * Returns whether a URL may be called over http and without an IP address check: one of the operator's internal
 * hosts, or in test mode a local server on a developer's machine.
 */
export function isTrustedUrl(url: URL, { mode, origin, allowed }: UrlRules): boolean {
  const isLocalTest = mode === "test" && LOOPBACK.test(new URL(origin).hostname) && LOOPBACK.test(url.hostname);
  return isLocalTest || allowed.includes(hostAndPort(url));
}

/** Reads an endpoint's URL as a member typed it. */
export function readEndpointUrl(given: string, rules: UrlRules): UrlReading {
  if (!URL.canParse(given)) return { fault: "Enter a full URL, such as https://example.com/webhooks." };
  const url = new URL(given);
  // As it is stored, where characters beyond ASCII are encoded.
  if (url.href.length > MAX_CHARACTERS) return { fault: `The URL has more than ${MAX_CHARACTERS} characters.` };
  if (url.username || url.password)
    return {
      fault: "The URL must not contain a user name or password. The signature shows that a request is Switchboard’s.",
    };
  url.hash = "";
  if (/^https?:$/.test(url.protocol) && isTrustedUrl(url, rules)) return { url: url.href };
  if (url.protocol !== "https:")
    return { fault: "The URL must begin with https://. To receive test events on your computer, use listen." };
  return mayBePublic(url) ? { url: url.href } : { fault: "The URL must lead to a public internet address." };
}

/** The rules of this deployment for the endpoints of a mode. */
export function urlRules(mode: Mode): UrlRules {
  const { APP_URL: origin, WEBHOOK_ALLOW: allowed } = env();
  return { mode, origin, allowed };
}
