import { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { PHONE_DIGITS } from "@/lib/core/phone";
import { INTERACTIVE } from "@/lib/whatsapp/interactive";
import { ENTRIES, MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { list, media, text } from "@/lib/whatsapp/parts";
import { GraphError } from "./graph-error";
import { parseShape } from "./shape";
import type { SandboxTemplate } from "./template-layout";
import { matchTemplate } from "./template-rules";
import { mapPlace, TemplateSend } from "./template-shape";

/** A valid send. */
export type AcceptedSend = {
  type: string;
  recipient: Recipient;
  callbackData: string | undefined;
  /** In lower case, as a status webhook's pricing writes it. */
  pricingCategory: string;
  /** Of an interactive message, as it was sent. */
  interactive?: unknown;
};

type Recipient =
  | { kind: "phone"; input: string; whatsappId: string }
  /** A business-scoped user id. */
  | { kind: "user"; userId: string };

export type TemplateRules = {
  findByName: (templateName: string) => Promise<SandboxTemplate[]>;
  acceptUnknown: boolean;
};

/** Validates the body of `POST /{phone-number-id}/messages`; throws WhatsApp's error for its first fault. */
export async function checkSend(body: unknown, templates: TemplateRules): Promise<AcceptedSend> {
  requireMessagingProduct(body);
  const envelope = parseShape(Envelope, body);
  const recipient = readRecipient(envelope.to, envelope.recipient);
  const send = { type: envelope.type, recipient, callbackData: envelope.biz_opaque_callback_data };
  const content = envelope[envelope.type];
  if (envelope.type !== "template") {
    if (envelope.type === "interactive") checkInteractive(content);
    else parseShape(CONTENT[envelope.type], content, [envelope.type]);
    return { ...send, pricingCategory: "service", interactive: envelope.interactive };
  }
  const template = parseShape(CONTENT.template, content, ["template"]);
  const sameNamed = await templates.findByName(template.name);
  const known = matchTemplate(template, sameNamed, { acceptUnknown: templates.acceptUnknown });
  if (known?.category === "AUTHENTICATION" && recipient.kind === "user")
    throw new GraphError(131062, "Authentication templates need a phone number in the parameter to.");
  return { ...send, pricingCategory: known?.category.toLowerCase() ?? "utility" };
}

/** `{messaging_product, status: "read", message_id, typing_indicator?}`, which shares the endpoint with sends. */
export function isReadReceipt(body: unknown): boolean {
  return isRecord(body) && body.status !== undefined;
}

/** Throws WhatsApp's error for an invalid read receipt. */
export function checkReadReceipt(body: unknown): void {
  requireMessagingProduct(body);
  parseShape(ReadReceipt, body);
}

/** The only missing parameter that WhatsApp reports as invalid. */
function requireMessagingProduct(body: unknown): void {
  if (isRecord(body) && body.messaging_product !== undefined) return;
  throw new GraphError(100, "The parameter messaging_product is required.");
}

const caption = text(MAX_CHARACTERS.caption).optional();

/** What a message of each type holds, in the order in which WhatsApp lists the types. */
const CONTENT = {
  text: z.strictObject({ body: text(MAX_CHARACTERS.text, { code: 100 }), preview_url: z.boolean().optional() }),
  template: TemplateSend,
  interactive: z.looseObject({ type: z.string() }),
  image: media({ caption }),
  video: media({ caption }),
  audio: media({ voice: z.boolean().optional() }),
  document: media({ caption, filename: z.string().optional() }),
  sticker: media({}),
  location: mapPlace,
  contacts: list(
    z.looseObject({ name: z.looseObject({ formatted_name: text(MAX_CHARACTERS.contactName) }) }),
    ENTRIES.contacts,
  ),
  reaction: z.strictObject({ message_id: text(MAX_CHARACTERS.messageId), emoji: z.string().optional() }),
};

type MessageType = keyof typeof CONTENT;
const MESSAGE_TYPES = Object.keys(CONTENT) as MessageType[];

const messageType = z
  .string()
  .refine((type) => MESSAGE_TYPES.some((known) => known === type), {
    error: `must be one of {${MESSAGE_TYPES.join(", ")}}.`,
    params: { code: 131051 },
    abort: true,
  })
  .pipe(z.enum(MESSAGE_TYPES));

const Envelope = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().optional(),
  recipient: z.string().optional(),
  type: messageType,
  context: z.strictObject({ message_id: z.string() }).optional(),
  biz_opaque_callback_data: text(MAX_CHARACTERS.callbackData, { code: 100, isBlankAllowed: true }).optional(),
  recipient_identity_key_hash: z.string().optional(),
  messaging_account_id: z.string().optional(),
  paid_messaging_account_id: z.string().optional(),
  ...(Object.fromEntries(MESSAGE_TYPES.map((type) => [type, z.unknown().optional()])) as Record<
    MessageType,
    z.ZodOptional<z.ZodUnknown>
  >),
});

const ReadReceipt = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: text(MAX_CHARACTERS.messageId),
  typing_indicator: z.strictObject({ type: z.literal("text") }).optional(),
});

function readRecipient(to: string | undefined, userId: string | undefined): Recipient {
  if (to !== undefined) return readPhone(to);
  if (userId === undefined) throw new GraphError(100, "The parameter to is required.");
  if (!/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(userId))
    throw new GraphError(131009, "Param recipient must be a business-scoped user id.");
  return { kind: "user", userId };
}

function readPhone(input: string): Recipient {
  const digits = input.replace(/\D/g, "");
  const [least, most] = PHONE_DIGITS;
  const isPhone = /^\+?[\d\-() ]+$/.test(input.trim()) && digits.length >= least && digits.length <= most;
  if (!isPhone) throw new GraphError(131009, "Param to must be a valid phone number.");
  return { kind: "phone", input, whatsappId: digits };
}

/** Checks a message's `interactive` object against the limits of its type; throws WhatsApp's refusal. */
export function checkInteractive(interactive: unknown): void {
  const { type } = parseShape(CONTENT.interactive, interactive, ["interactive"]);
  if (PROGRAM_TYPES.has(type)) return;
  const schema = INTERACTIVE.get(type);
  if (!schema) throw new GraphError(131009, `Param interactive['type'] "${type}" is not a known interactive type.`);
  parseShape(schema, interactive, ["interactive"]);
}

/** Types limited to special programs and countries: accepted unchecked, because their rules are not public enough. */
const PROGRAM_TYPES = new Set([
  "call_permission_request",
  "voice_call",
  "request_contact_info",
  "address_message",
  "order_details",
  "order_status",
]);
