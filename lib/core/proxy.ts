import { getProxyForUrl } from "proxy-from-env";

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the forward proxy for calls to `url`, undefined if there is none: HTTPS_PROXY or HTTP_PROXY by its scheme, except
 * the hosts of NO_PROXY. Never for loopback, whatever NO_PROXY says.
 */
export function proxyFor(url: URL): string | undefined {
  return LOOPBACK.test(url.hostname) ? undefined : getProxyForUrl(url.href) || undefined;
}
