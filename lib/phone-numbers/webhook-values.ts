import { env } from "@/lib/core/env";
import { WEBHOOK_FIELDS } from "@/lib/whatsapp/webhook-fields";
import { callbackUrl } from "./check-webhook";

/** What is pasted and ticked in the webhook settings of WhatsApp's app. The verify token is for owners and admins. */
export function webhookValues() {
  return {
    callbackUrl: callbackUrl(),
    verifyToken: env().WHATSAPP_VERIFY_TOKEN,
    fields: WEBHOOK_FIELDS,
  };
}
