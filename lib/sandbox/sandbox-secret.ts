import { createHmac } from "node:crypto";

/**
 * Returns the signing secret of the built-in sandbox. Not the app secret, because sandbox webhooks may affect
 * only test lines, whatever line they name.
 */
export function sandboxSecret(appSecret: string): string {
  return createHmac("sha256", appSecret).update("switchboard sandbox").digest("hex");
}
