import type { Message } from "@/db/schema";
import { REMOVED_REASON } from "@/lib/core/retention";
import { joinChanges, type StatusChange } from "./status";

/** The fields of a message that status events change. */
export type Standing = Pick<
  Message,
  | "phase"
  | "status"
  | "sentAt"
  | "deliveredAt"
  | "readAt"
  | "failedAt"
  | "failureCode"
  | "failureReason"
  | "failureTraceId"
  | "whatsappMessageId"
>;

/** Also the fields that decide how status events change it. */
export type Moved = Standing & Pick<Message, "mode" | "type" | "createdAt" | "dispatchedAt" | "contentsRemovedAt">;

export type Move = {
  to: Standing;
  /** The month of the plan unit to take again, because the refusal had refunded it. */
  unitMonth: string | null;
  /** True if this is the first proof that a flow message was sent, because WhatsApp's response was lost. */
  mayOpenSession: boolean;
};

export function isRefused({ phase }: Pick<Standing, "phase">): boolean {
  return phase === "REFUSED" || phase === "REFUSED_RETRYABLE";
}

/** Returns how WhatsApp's events of `whatsappMessageId` change the message; undefined if they change nothing. */
export function moveOf(message: Moved, received: StatusChange, whatsappMessageId: string): Move | undefined {
  const change = notBefore(message.createdAt, received);
  // WhatsApp's events override a refusal: they prove that the message was sent.
  const isRefuted = isRefused(message) && change.status !== null;
  const stored = storedChange(message);
  const after = joinChanges(isRefuted ? { ...stored, ...NOT_REFUSED } : stored, change);
  const to: Standing = {
    phase: change.status === null ? message.phase : "SENT",
    status: after.status ?? message.status,
    sentAt: after.sentAt,
    deliveredAt: after.deliveredAt,
    readAt: after.readAt,
    ...(after.failure === stored.failure ? failureOf(message) : newFailure(message, after)),
    whatsappMessageId: message.whatsappMessageId ?? whatsappMessageId,
  };
  if (isSame(to, message)) return undefined;
  return {
    to,
    unitMonth: isRefuted && message.mode === "live" ? monthOf(message.dispatchedAt ?? message.createdAt) : null,
    mayOpenSession:
      message.phase !== "SENT" && to.phase === "SENT" && change.status !== "FAILED" && message.type === "interactive",
  };
}

const NOT_REFUSED = { status: null, failedAt: null, failure: null };

/** Returns the stored state as if it came from events. */
const storedChange = (message: Standing): StatusChange => {
  const { status, sentAt, deliveredAt, readAt, failedAt, failureCode, failureReason } = message;
  const failure = failedAt === null ? null : { code: failureCode, reason: failureReason ?? "" };
  return { status, sentAt, deliveredAt, readAt, failedAt, failure };
};

/** Clamps times to the message's creation: WhatsApp's clock differs from ours and has whole seconds. */
const notBefore = (createdAt: Date, change: StatusChange): StatusChange => {
  const clamped = (at: Date | null) => (at && at < createdAt ? createdAt : at);
  const { sentAt, deliveredAt, readAt } = change;
  return { ...change, sentAt: clamped(sentAt), deliveredAt: clamped(deliveredAt), readAt: clamped(readAt) };
};

const failureOf = ({ failedAt, failureCode, failureReason, failureTraceId }: Standing) => ({
  failedAt,
  failureCode,
  failureReason,
  failureTraceId,
});

/** A late event must not restore a reason that was removed with the contents. */
const newFailure = ({ contentsRemovedAt }: Moved, { failedAt, failure }: StatusChange) => ({
  failedAt,
  failureCode: failure?.code ?? null,
  failureReason: failure && contentsRemovedAt ? REMOVED_REASON : (failure?.reason ?? null),
  failureTraceId: null,
});

const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

const isSame = (to: Standing, from: Standing): boolean =>
  (Object.keys(to) as (keyof Standing)[]).every((key) => to[key]?.valueOf() === from[key]?.valueOf());
