import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isRecord } from "@/lib/core/json";
import { asciiJson, sign } from "@/lib/whatsapp/webhook-signature";
import { titleOf } from "./graph-error";
import type { AcceptedSend } from "./message-rules";
import { displayPhoneNumber } from "./phone-numbers";
import type { Reaction, Step } from "./recipients";

const TRIES = 5;
const RETRY_FACTOR = 3;
const ANSWER_TIMEOUT_MS = 10_000;

export type Webhook = { url: string; appSecret: string };

/** A message that was accepted. */
export type StatusOf = {
  whatsappMessageId: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  send: AcceptedSend;
};

/** Builds the body of a status webhook; `happenedAtMs` is in epoch milliseconds. */
export function statusBody(
  step: Step,
  { whatsappMessageId, whatsappPhoneNumberId, whatsappBusinessAccountId, send }: StatusOf,
  happenedAtMs: number,
) {
  const { recipient, callbackData } = send;
  const hasFailed = step.status === "failed";
  const status = {
    id: whatsappMessageId,
    status: step.status,
    timestamp: String(Math.floor(happenedAtMs / 1000)),
    ...(recipient.kind === "phone" ? { recipient_id: recipient.whatsappId } : { recipient_user_id: recipient.userId }),
    ...(callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData }),
    ...(hasFailed ? { errors: [statusError(step.errorCode ?? 131000)] } : { pricing: pricing(send.pricingCategory) }),
  };
  const value = {
    ...envelopeOf(whatsappPhoneNumberId),
    ...(hasFailed ? {} : { contacts: [contactOf(send)] }),
    statuses: [status],
  };
  return bodyOf({ id: whatsappBusinessAccountId, changes: [{ field: "messages", value }] });
}

/** Builds the body of the webhook in which the recipient reacts to a message. */
export function reactionBody(
  reaction: Reaction,
  { whatsappMessageId, whatsappPhoneNumberId, whatsappBusinessAccountId, send }: StatusOf,
  happenedAtMs: number,
) {
  const contact = contactOf(send);
  const timestamp = String(Math.floor(happenedAtMs / 1000));
  const change = (field: string, named: object) => {
    const value = { ...envelopeOf(whatsappPhoneNumberId), contacts: [contact], ...named };
    return bodyOf({ id: whatsappBusinessAccountId, changes: [{ field, value }] });
  };
  if (reaction === "stop" || reaction === "resume") {
    const { profile: _, ...person } = contact;
    const detail = `User requested to ${reaction} marketing messages`;
    const preference = { ...person, detail, category: "marketing_messages", value: reaction, timestamp };
    return change("user_preferences", { user_preferences: [preference] });
  }
  const message = {
    ...(contact.wa_id === undefined ? { from_user_id: contact.user_id } : { from: contact.wa_id }),
    id: `wamid.HBgL${randomBytes(30).toString("base64")}`,
    timestamp,
    context: { from: displayPhoneNumber(whatsappPhoneNumberId).replace(/\D/g, ""), id: whatsappMessageId },
    ...(reaction === "chooses" ? choiceOf(send) : { type: "text", text: { body: "Thank you!" } }),
  };
  return change("messages", { messages: [message] });
}

/** The first button or row of an interactive message, a flow's answer, or a quick reply. */
function choiceOf({ interactive }: AcceptedSend): object {
  const action = isRecord(interactive) && isRecord(interactive.action) ? interactive.action : {};
  const [button] = listOf(action.buttons);
  const [row] = listOf(listOf(action.sections)[0]?.rows);
  if (isRecord(button?.reply)) return chosen("button_reply", button.reply);
  if (row) return chosen("list_reply", row);
  if (isRecord(interactive) && interactive.type === "flow")
    return chosen("nfm_reply", { name: "flow", body: "Sent", response_json: '{"flow_token":"unused"}' });
  return { type: "button", button: { text: "Yes", payload: "yes" } };
}

const chosen = (type: string, choice: object) => ({ type: "interactive", interactive: { type, [type]: choice } });
const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

const envelopeOf = (whatsappPhoneNumberId: string) => ({
  messaging_product: "whatsapp",
  metadata: {
    display_phone_number: displayPhoneNumber(whatsappPhoneNumberId).replace(/\D/g, ""),
    phone_number_id: whatsappPhoneNumberId,
  },
});

const contactOf = ({ recipient }: AcceptedSend): { profile: object; wa_id?: string; user_id?: string } => ({
  profile: { name: "Zoë Test" },
  ...(recipient.kind === "phone" ? { wa_id: recipient.whatsappId } : { user_id: recipient.userId }),
});

/** Builds the body of a webhook with a template's review result. */
export function reviewBody(
  whatsappBusinessAccountId: string,
  template: { id: string; name: string; language: string; category: string },
  verdict: { status: "APPROVED" | "REJECTED"; reason: string },
) {
  const value = {
    event: verdict.status,
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
    message_template_category: template.category,
    reason: verdict.reason,
  };
  const changes = [{ field: "message_template_status_update", value }];
  return bodyOf({ id: whatsappBusinessAccountId, time: Math.floor(Date.now() / 1000), changes });
}

const bodyOf = (entry: { id: string; time?: number; changes: { field: string; value: unknown }[] }) => ({
  object: "whatsapp_business_account",
  entry: [entry],
});

export type Attempt = { attempt: number; answer: number | "unreachable" };

/** Posts a body until the response is 200, at most five times with growing pauses; returns whether it was. */
export async function deliver(
  webhook: Webhook,
  body: unknown,
  { retryBaseMs, onAttempt }: { retryBaseMs: number; onAttempt: (attempt: Attempt) => void },
): Promise<boolean> {
  const bytes = asciiJson(JSON.stringify(body));
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const answer = await post(webhook, bytes);
    onAttempt({ attempt, answer });
    if (answer === 200) return true;
    if (attempt < TRIES) await wait(retryBaseMs * RETRY_FACTOR ** (attempt - 1));
  }
  return false;
}

async function post({ url, appSecret }: Webhook, bytes: string): Promise<Attempt["answer"]> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-signature-256": sign(bytes, appSecret) },
      body: bytes,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return "unreachable";
  }
}

const statusError = (code: number) => ({
  code,
  title: titleOf(code),
  message: titleOf(code),
  error_data: { details: `${titleOf(code)}.` },
  href: "https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/",
});

/** As within an open customer service window, which is where a message that is no template can be sent. */
const pricing = (category: string) => ({
  billable: category !== "service",
  pricing_model: "PMP",
  type: category === "service" ? "free_customer_service" : "regular",
  category,
});
