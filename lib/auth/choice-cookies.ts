import { usesSecureCookies } from "./session-token";

/** Cookies for a visitor's choices. They grant no access: each request checks the membership. */
export const WORKSPACE_COOKIE = "workspace";
export const THEME_COOKIE = "theme";
export const SHORTCUTS_COOKIE = "shortcuts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

export function choiceCookie() {
  return {
    path: "/",
    httpOnly: true,
    sameSite: "lax" as const,
    secure: usesSecureCookies(),
    maxAge: YEAR_SECONDS,
  };
}

export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

export function readTheme(cookie: string | undefined): Theme {
  return THEMES.find((theme) => theme === cookie) ?? "system";
}

/** Single-letter shortcuts can be turned off, because speech input may trigger them by accident. */
export function areShortcutsOn(cookie: string | undefined): boolean {
  return cookie !== "off";
}
