import { env } from "@/lib/core/env";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { callbackUrl, verifyWebhook } from "@/lib/phone-numbers/check-webhook";
import { WEBHOOK_FIELDS } from "@/lib/whatsapp/webhook-events";
import { askAddress } from "./ask-address";

/** Checks the public URL: its scheme, our server behind it, and the webhook's callback URL. */
export async function checkAddress(): Promise<Finding[]> {
  const server = await checkServer();
  const isServerThere = server.state !== "failed";
  return [judgeScheme(new URL(env().APP_URL)), server, await checkCallback(isServerThere)];
}

function judgeScheme({ protocol, origin, hostname }: URL): Finding {
  if (protocol === "https:") return passed("address", `The public address is ${origin}`);
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
    return passed("address", `The address is ${origin}, for this machine only`);
  }
  const words = `The public address ${origin} is plain http: secrets cross the network readable`;
  return failed("address", words, "Put TLS in front and set APP_URL to the https address; WhatsApp needs it, too.");
}

async function checkServer(): Promise<Finding> {
  const address = `${env().APP_URL}/api/health/ready`;
  const answer = await askAddress(address);
  if ("fault" in answer) {
    const advice = "Start the server (`npm start`), or fix APP_URL, its DNS entry or the proxy in front.";
    return failed("server", `${address}: ${answer.fault}`, advice);
  }
  const { status, headers, text } = answer;
  const health = status === 200 ? HEALTH.exec(text) : null;
  if (health?.[1] === "starting") {
    const advice = "Reload the dashboard in a few seconds; if it does not come back, the server’s log says why.";
    return warned("server", "The server answers, and its pages are being started", advice);
  }
  if (health?.[1] === "busy") {
    const advice = "Look in the log for slow pages, and at the proxy in front for addresses that ask for many at once.";
    return warned("server", "The server answers, and its pages refuse requests: too many wait for them", advice);
  }
  if (health) return passed("server", "The server answers, and its database too");
  if (status >= 300 && status < 400) {
    const place = originOf(headers.get("location") ?? "", address);
    return failed("server", `${address} redirects to ${place}`, "Set APP_URL to an address that does not redirect.");
  }
  if (status === 503 && text.includes("SERVICE_UNAVAILABLE")) {
    const part = /"schema":"old"/.test(text) ? "its database’s schema is old" : "cannot reach its database";
    const advice = "Run `npm run db:migrate` for an old schema; else the server’s log says why.";
    return failed("server", `The server answers, but ${part}`, advice);
  }
  const words = `${address} answers HTTP ${status}, and not as this server does`;
  return failed("server", words, "Fix APP_URL or the proxy in front: another server answers there.");
}

/** As lib/api/health.ts writes it. */
const HEALTH = /^\{"status":"ready",.*"pages":"(ok|starting|busy)".*\}$/;

const originOf = (location: string, base: string): string =>
  URL.canParse(location, base) ? new URL(location, base).origin : "nowhere";

async function checkCallback(isServerThere: boolean): Promise<Finding> {
  const fault = await verifyWebhook(callbackUrl());
  if (fault === undefined)
    return passed(
      "webhook",
      `The webhook answers WhatsApp’s verification. Fields to subscribe to: ${WEBHOOK_FIELDS.join(", ")}`,
    );
  return failed("webhook", `${callbackUrl()}: ${fault}`, adviceOn(fault, isServerThere));
}

function adviceOn(fault: string, isServerThere: boolean): string {
  if (!isServerThere) return "The server comes first: what keeps you from it keeps WhatsApp from the webhook, too.";
  return fault.includes("HTTP 403")
    ? "The server has another WHATSAPP_VERIFY_TOKEN than this environment: give both the same."
    : "WhatsApp meets the same obstacle. Let GET and POST of this one path through.";
}
