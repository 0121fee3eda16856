import { env } from "@/lib/core/env";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { fetchHost } from "@/lib/core/host-lookup";
import { ownOrigin } from "@/lib/core/own-server";
import { whyUnreachable } from "@/lib/media/unreachable";
import { newOwnChallenge } from "@/lib/whatsapp/webhook-signature";

export const WEBHOOK_PATH = "/api/webhooks/whatsapp";

/** Returns the callback URL to paste at WhatsApp. */
export function callbackUrl(): string {
  return `${env().APP_URL}${WEBHOOK_PATH}`;
}

const TIMEOUT_MS = 6_000;

/**
 * Calls our webhook as WhatsApp's verification does: once internally, once by its public URL. Neither proves that
 * WhatsApp can reach it; they only find what would prevent it.
 */
export async function checkWebhook(): Promise<Finding[]> {
  const inside = `${ownOrigin()}${WEBHOOK_PATH}`;
  return Promise.all([checkInside(inside), checkOutside(callbackUrl())]);
}

async function checkInside(address: string): Promise<Finding> {
  const fault = await verifyWebhook(address);
  if (fault === undefined) return passed("callback", "Our own check: the webhook responds to the verification");
  return failed("callback", `Our own check: ${fault}`, "Look at the server’s log.");
}

async function checkOutside(address: string): Promise<Finding> {
  const host = new URL(address).host;
  if (!address.startsWith("https://")) {
    const words = `The public address is ${new URL(address).origin}, and WhatsApp delivers to https only`;
    const advice = "Add a TLS proxy and set APP_URL to the https URL. Test mode works without it.";
    return warned("reachability", words, advice);
  }
  const fault = await verifyWebhook(address);
  if (fault === undefined) return passed("reachability", `${host} answers the verification over https`);
  const advice = "WhatsApp has the same problem. Allow GET and POST on this path.";
  return failed("reachability", `${host}: ${fault}`, advice);
}

/** Returns why the challenge was not returned; undefined if it was. */
export async function verifyWebhook(address: string): Promise<string | undefined> {
  const challenge = newOwnChallenge();
  const url = new URL(address);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.challenge", challenge);
  url.searchParams.set("hub.verify_token", env().WHATSAPP_VERIFY_TOKEN);
  try {
    const response = await fetchHost(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status >= 300 && response.status < 400) return "it redirects, and WhatsApp follows no redirect";
    if (response.status !== 200) return `it answered HTTP ${response.status} to the verification`;
    return (await response.text()) === challenge ? undefined : "it returned something other than the challenge";
  } catch (error) {
    return whyUnreachable(error, TIMEOUT_MS);
  }
}
