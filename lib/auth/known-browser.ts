import { createHmac, randomBytes } from "node:crypto";
import { env } from "@/lib/core/env";
import { isSameSecret } from "@/lib/core/is-same-secret";
import { accountDigest } from "./account-digest";
import { cookieValue, usesSecureCookies } from "./session-token";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The id of the browser that these cookies come from, where it was used to sign in to this account before. */
export function knownBrowserId(cookieHeader: string | null, email: string): string | undefined {
  const [id = "", mark = ""] = (cookieValue(cookieHeader ?? "", cookieName()) ?? "").split(".");
  return isSameSecret(mark, markOf(id, email)) ? id : undefined;
}

/** Lets a browser that has just signed in be known by `knownBrowserId`; it opens nothing, and goes to the sign-in only. */
export function knownBrowserCookie(email: string, id = randomBytes(16).toString("base64url")): string {
  const secure = usesSecureCookies() ? " Secure;" : "";
  return `${cookieName()}=${id}.${markOf(id, email)}; Path=/api/auth/callback/credentials; Max-Age=${YEAR_SECONDS}; HttpOnly;${secure} SameSite=Lax`;
}

const cookieName = () => `${usesSecureCookies() ? "__Secure-" : ""}next-auth.known-browser`;

const markOf = (id: string, email: string) =>
  createHmac("sha256", env().NEXTAUTH_SECRET)
    .update(`known browser\0${id}\0${accountDigest(email)}`)
    .digest("base64url");
