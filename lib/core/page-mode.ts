import type { Mode } from "@/db/schema/identity";

/** The mode that an address or a form names; undefined where it names none, or names several. */
export function readMode(given: unknown): Mode | undefined {
  return given === "live" || given === "test" ? given : undefined;
}

/** The pages that show one mode at a time. Every other page shows both, or something that has its own mode. */
const PAGES_OF_ONE_MODE = [
  "/dashboard",
  "/dashboard/messages",
  "/dashboard/requests",
  "/dashboard/send",
  "/dashboard/settings/webhooks",
  "/dashboard/templates",
  "/dashboard/templates/new",
  "/dashboard/usage",
  "/dashboard/webhooks",
];

export function showsOneMode(pathname: string): boolean {
  return PAGES_OF_ONE_MODE.includes(pathname.replace(/(?<=.)\/$/, ""));
}

/**
 * The address of a dashboard page in a mode. An address that names a mode keeps it, and one outside the dashboard is
 * returned as it is.
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

/** Filters that the other mode has nothing for: lines and keys belong to one mode, and so does a place in a list. */
const OF_ONE_MODE = ["line", "key", "older", "newer", "after"];
/** The page to send from begins empty: what it was opened with belongs to one mode. */
const STARTS_EMPTY = ["/dashboard/send", "/dashboard/templates/new"];

/** The address of the same page in another mode, with the filters that both modes have. */
export function switchedTo(mode: Mode, pathname: string, search: URLSearchParams): string {
  const kept = [...search].filter(([name]) => name !== "mode" && name !== "workspace" && !OF_ONE_MODE.includes(name));
  const parameters = new URLSearchParams(STARTS_EMPTY.includes(pathname) ? [] : kept);
  parameters.append("mode", mode);
  return `${pathname}?${parameters}`;
}
