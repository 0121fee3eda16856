import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** What a request reveals about the browser behind it. */
export type Visitor = { userAgent: string | null; address: string };

/** Returns browser and system for the session list, such as `Firefox on Linux`; drops everything else. */
export function deviceName(userAgent: string | null): string {
  const named = (names: readonly [string, RegExp][]) => names.find(([, mark]) => mark.test(userAgent ?? ""))?.[0];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (!browser) return system ? `Unknown browser on ${system}` : "Unknown browser";
  return system ? `${browser} on ${system}` : browser;
}

// Most user agents also name older browsers, so the more specific ones come first.
const BROWSERS = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//],
  ["curl", /^curl\//],
] as const satisfies readonly [string, RegExp][];

const SYSTEMS = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["Windows", /\bWindows\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
] as const satisfies readonly [string, RegExp][];

/** Masks the part that identifies one machine: `203.0.113.x`, or `2001:db8:1::` for IPv6. `::1` is each machine's own. */
export function maskedAddress(address: string): string {
  const bare = address.replace(/\/\d+$/, "");
  if (isIP(bare) === 0 || !ipaddr.isValid(bare)) return "unknown";
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join(".")}.x`;
  if (parsed.range() === "loopback") return parsed.toString();
  return new ipaddr.IPv6([...parsed.parts.slice(0, 3), 0, 0, 0, 0, 0]).toString();
}
