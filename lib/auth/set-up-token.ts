import { createHmac } from "node:crypto";
import { env } from "@/lib/core/env";
import { isSameSecret } from "@/lib/core/is-same-secret";
import { announce } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { hasAnyUser } from "./user-queries";

const TOKEN_CHARACTERS = 24;

/**
 * The token that the first account of a deployment asks for. It is derived from the deployment's own secret, so that every
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

/**
 * Writes the token to the server's log, once in each process, while there is no account. Only who reads the log can make
 * the first account: a stranger who finds a fresh deployment cannot.
 */
export async function announceSetUp(): Promise<void> {
  const state = processWide("set-up-announcement", () => ({ isDone: false }));
  if (state.isDone || (await hasAnyUser())) return;
  state.isDone = true;
  announce("setUp.token", {
    message: "There is no account yet. Open the address and type this token to make the first one.",
    address: `${env().APP_URL}/set-up`,
    token: setUpToken(),
  });
}
