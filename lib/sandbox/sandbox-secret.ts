import { createHmac } from "node:crypto";

/**
 * What the built-in sandbox signs its webhooks with. Not the app secret itself: a webhook of the sandbox may speak for
 * test lines only, whatever line it names.
 */
export function sandboxSecret(appSecret: string): string {
  return createHmac("sha256", appSecret).update("switchboard sandbox").digest("hex");
}
