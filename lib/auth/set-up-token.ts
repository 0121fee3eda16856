import { createHmac } from "node:crypto";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import { announce } from "@/lib/core/log";
import { hasAnyUser } from "./user-queries";

const TOKEN_CHARACTERS = 24;

/**
 * Returns the token required to create a deployment's first account. It is derived from a secret, so that every
 * instance knows it and none has to store it.
 */
const setUpToken = (): string =>
  createHmac("sha256", env().NEXTAUTH_SECRET)
    .update(`set-up token\0${env().APP_URL}`)
    .digest("base64url")
    .slice(0, TOKEN_CHARACTERS);

export function isSetUpToken(given: string): boolean {
  return isSameSecret(given, setUpToken());
}

let isAnnounced = false;

/**
 * Logs the token, once per process, while there is no account. Only someone with access to the log can create
 * the first account: a stranger who finds a fresh deployment cannot.
 */
export async function announceSetUp(): Promise<void> {
  if (isAnnounced || (await hasAnyUser())) return;
  isAnnounced = true;
  announce("setUp.token", {
    message: "There is no account yet. Open the gateway’s URL and enter this token to create the first one.",
    address: `${env().APP_URL}/set-up`,
    token: setUpToken(),
  });
}
