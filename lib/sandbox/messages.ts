import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { errorResponse, GraphError } from "./graph-error";
import { type AcceptedSend, checkReadReceipt, checkSend, isReadReceipt, type TemplateRules } from "./message-rules";
import {
  type Answer,
  behaviourOf,
  type Delays,
  type Moment,
  REACTS_AFTER_MS,
  type Reaction,
  type Step,
} from "./recipients";
import { type Attempt, deliver, reactionBody, statusBody, type Webhook } from "./webhooks";

const EARLY_WEBHOOK_LIMIT_MS = 5_000;

export type StatusPlan = {
  webhook: Webhook | undefined;
  delaysMs: Delays;
  retryBaseMs: number;
  businessAccountOf: (whatsappPhoneNumberId: string) => Promise<string>;
  /** Keeps work alive that outlasts the response. */
  background: (work: Promise<unknown>) => void;
  onAttempt: (status: { whatsappMessageId: string; status: Step["status"] | Reaction } & Attempt) => void;
};

export type SendRequest = {
  whatsappPhoneNumberId: string;
  body: unknown;
  templates: TemplateRules;
  /** Called with the status before a delayed response is sent. */
  onDecision: (httpStatus: number) => void;
};

/** `POST /{phone-number-id}/messages`: the response depends on the recipient's number; status webhooks follow. */
export async function messagesResponse(request: SendRequest, plan: StatusPlan): Promise<Response> {
  if (isReadReceipt(request.body)) {
    checkReadReceipt(request.body);
    return Response.json({ success: true });
  }
  const send = await checkSend(request.body, request.templates);
  const { answer, steps, reaction } = behaviourOf(send.recipient.kind === "phone" ? send.recipient.whatsappId : "");
  const whatsappMessageId = `wamid.HBgL${randomBytes(30).toString("base64")}`;
  const response = respond(answer, send, whatsappMessageId);
  request.onDecision(response.status);

  const { afterMs = 0, stepsBefore = 0 } = answer.kind === "accepted" ? answer : {};
  const acceptedAtMs = Date.now() + afterMs;
  const readAbout = async () => {
    const { whatsappPhoneNumberId } = request;
    const whatsappBusinessAccountId = await plan.businessAccountOf(whatsappPhoneNumberId);
    return { whatsappMessageId, whatsappPhoneNumberId, whatsappBusinessAccountId, send };
  };
  const deliverSteps = async (some: readonly Step[]) => {
    if (!plan.webhook || some.length === 0) return;
    const about = await readAbout();
    for (const step of some) {
      const happenedAtMs = acceptedAtMs + msOf(step.at, plan.delaysMs);
      await wait(Math.max(0, acceptedAtMs + msOf(step.deliveredAt ?? step.at, plan.delaysMs) - Date.now()));
      const onAttempt = (attempt: Attempt) => plan.onAttempt({ whatsappMessageId, status: step.status, ...attempt });
      for (let copy = 0; copy < (step.copies ?? 1); copy++)
        await deliver(plan.webhook, statusBody(step, about, happenedAtMs), {
          retryBaseMs: plan.retryBaseMs,
          onAttempt,
        });
    }
  };
  const react = async () => {
    if (!plan.webhook || !reaction) return;
    await wait(REACTS_AFTER_MS);
    const body = reactionBody(reaction, await readAbout(), Date.now());
    const onAttempt = (attempt: Attempt) => plan.onAttempt({ whatsappMessageId, status: reaction, ...attempt });
    await deliver(plan.webhook, body, { retryBaseMs: plan.retryBaseMs, onAttempt });
  };
  const early = deliverSteps(steps.slice(0, stepsBefore));
  plan.background(early.then(() => deliverSteps(steps.slice(stepsBefore))).then(react));
  if (stepsBefore > 0) await Promise.race([early, wait(EARLY_WEBHOOK_LIMIT_MS, undefined, { ref: false })]);
  if (afterMs > 0) await wait(afterMs);
  return response;
}

const msOf = (moment: Moment, delaysMs: Delays): number => (typeof moment === "number" ? moment : delaysMs[moment]);

function respond(answer: Answer, send: AcceptedSend, whatsappMessageId: string): Response {
  switch (answer.kind) {
    case "refused":
      return errorResponse(new GraphError(answer.code, answer.details, { subcode: answer.subcode }));
    case "html":
      return new Response("<!DOCTYPE html><html><body><h1>Sorry, something went wrong.</h1></body></html>", {
        status: answer.httpStatus,
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    case "unreadable":
      return new Response('{"messaging_product":"whatsapp","contacts":[{"inp', {
        headers: { "content-type": "application/json" },
      });
    case "accepted":
      return Response.json(acceptance(send, whatsappMessageId));
  }
}

const acceptance = ({ recipient, type }: AcceptedSend, whatsappMessageId: string) => ({
  messaging_product: "whatsapp",
  contacts: [
    recipient.kind === "phone"
      ? { input: recipient.input, wa_id: recipient.whatsappId }
      : { input: recipient.userId, user_id: recipient.userId },
  ],
  messages: [{ id: whatsappMessageId, ...(type === "template" ? { message_status: "accepted" } : {}) }],
});
