import { invalidAt } from "./app-error";
import type { Mode } from "./principal";

/** Reads the mode from a URL or form value; undefined if it is missing, repeated or invalid. */
export function readMode(given: unknown): Mode | undefined {
  return given === "live" || given === "test" ? given : undefined;
}

/** Pages that show one mode at a time. Every other page shows both, or a record with its own mode. */
const PAGES_OF_ONE_MODE = [
  "/dashboard",
  "/dashboard/messages",
  "/dashboard/requests",
  "/dashboard/send",
  "/dashboard/settings/webhooks",
  "/dashboard/templates",
  "/dashboard/templates/new",
  "/dashboard/usage",
  "/dashboard/usage/costs",
  "/dashboard/webhooks",
];

export function showsOneMode(pathname: string): boolean {
  return PAGES_OF_ONE_MODE.includes(pathname.replace(/(?<=.)\/$/, ""));
}

/**
 * Returns a dashboard URL with `mode` added. A URL that already has a mode, or is outside the dashboard, is
 * returned unchanged.
 */
export function inMode(href: string, mode: Mode | undefined): string {
  const [address = "", hash] = href.split("#", 2);
  const [pathname = "", search] = address.split("?", 2);
  const isDashboard = pathname === "/dashboard" || pathname.startsWith("/dashboard/");
  const parameters = new URLSearchParams(search);
  if (mode === undefined || !isDashboard || parameters.has("mode")) return href;
  parameters.append("mode", mode);
  return `${pathname}?${parameters}${hash === undefined ? "" : `#${hash}`}`;
}

/** Parameters dropped on a mode switch: lines, keys and list positions belong to one mode. */
const OF_ONE_MODE = ["line", "key", "older", "newer", "after"];
/** Pages that drop all parameters on a mode switch, because what they were opened with belongs to one mode. */
const STARTS_EMPTY = ["/dashboard/send", "/dashboard/templates/new"];

/** Returns the URL of the same page in another mode, with the filters that apply to both. */
export function switchModeHref(mode: Mode, pathname: string, search: URLSearchParams): string {
  const kept = [...search].filter(([name]) => name !== "mode" && name !== "workspace" && !OF_ONE_MODE.includes(name));
  const parameters = new URLSearchParams(STARTS_EMPTY.includes(pathname) ? [] : kept);
  parameters.append("mode", mode);
  return `${pathname}?${parameters}`;
}

/** Returns the mode in the URL of a page's or form's request. Throws VALIDATION_ERROR without one. */
export function namedMode(url: URL): Mode {
  const mode = readMode(url.searchParams.get("mode"));
  if (!mode) throw invalidAt("mode", "must be `live` or `test`, the mode that the page was opened in.");
  return mode;
}

/** Marks requests of a page that refreshes itself: they are no visit, and keep no session open. */
export const REFRESH_COOKIE = "refresh";
