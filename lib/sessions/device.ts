import ipaddr from "ipaddr.js";

/** What a request reveals about the browser behind it. */
export type Visitor = { userAgent: string | null; address: string };

/** Browser and system for a list of sessions, such as `Firefox on Linux`; of a made-up User-Agent nothing is kept. */
export function deviceName(userAgent: string | null): string {
  const named = (names: readonly [string, RegExp][]) => names.find(([, mark]) => mark.test(userAgent ?? ""))?.[0];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (!browser) return system ? `Unknown browser on ${system}` : "Unknown browser";
  return system ? `${browser} on ${system}` : browser;
}

// Most browsers also name those that came before them, so the more special one stands first.
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

/** The address without the part that names one machine: `203.0.113.x`, or `2001:db8:1::` of an IPv6 address. */
export function maskedAddress(address: string): string {
  const bare = address.replace(/\/\d+$/, "");
  if (!ipaddr.isValid(bare)) return "unknown";
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join(".")}.x`;
  return `${parsed.parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(":")}::`;
}
