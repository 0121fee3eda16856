import { createHmac, randomInt } from "node:crypto";
import { testServers } from "./environment";

type WebhookLine = { whatsappPhoneNumberId: string; whatsappBusinessAccountId: string };

/** `sha256=` and lower-case hex, as WhatsApp signs. */
export const signatureOf = (raw: string | Uint8Array, secret = testServers().environment.WHATSAPP_APP_SECRET ?? "") =>
  `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`;

/** A webhook with changes of one field of a business account. */
export const accountWebhook = (
  { whatsappBusinessAccountId }: Pick<WebhookLine, "whatsappBusinessAccountId">,
  field: string,
  value: Record<string, unknown>,
  time?: number,
) => ({
  object: "whatsapp_business_account",
  entry: [{ id: whatsappBusinessAccountId, ...(time === undefined ? {} : { time }), changes: [{ field, value }] }],
});

/** A webhook with messages that contacts wrote to one line. */
export const inboundWebhook = (line: WebhookLine, messages: object[], contacts: object[] = []) =>
  accountWebhook(line, "messages", {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "442079460123", phone_number_id: line.whatsappPhoneNumberId },
    contacts,
    messages: messages.map((message) => ({
      id: `wamid.IN${randomInt(10 ** 12)}`,
      timestamp: `${Math.floor(Date.now() / 1_000)}`,
      type: "text",
      ...message,
    })),
  });

/** The smallest flow message, as `content`. */
export const FLOW_CONTENT = JSON.stringify({
  type: "flow",
  body: { text: "Book a table" },
  action: { name: "flow", parameters: { flow_message_version: "3", flow_id: "1", flow_cta: "Book" } },
});
