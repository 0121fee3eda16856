import type { Message } from "@/db/schema";
import { REMOVED_REASON } from "@/lib/core/retention";
import { joinChanges, type StatusChange } from "./status";

/** Where a message stands: what statuses move. */
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

/** What else of a message decides where statuses move it. */
export type Moved = Standing & Pick<Message, "mode" | "type" | "createdAt" | "dispatchedAt" | "contentsRemovedAt">;

export type Move = {
  to: Standing;
  /** The month of the plan unit that the message takes again: its refusal had given it back. */
  unitMonth: string | null;
  /** Where WhatsApp's answer was lost, this is the first proof that a flow message was sent. */
  mayOpenSession: boolean;
};

export function isRefused({ phase }: Pick<Standing, "phase">): boolean {
  return phase === "REFUSED" || phase === "REFUSED_RETRYABLE";
}

/** Where WhatsApp's events of `whatsappMessageId` move the message; undefined where it stands there already. */
export function moveOf(message: Moved, received: StatusChange, whatsappMessageId: string): Move | undefined {
  const change = notBefore(message.createdAt, received);
  // A refusal that WhatsApp's own events contradict does not stand: the message did leave.
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

/** What is stored, as if it came from events. */
const storedChange = (message: Standing): StatusChange => {
  const { status, sentAt, deliveredAt, readAt, failedAt, failureCode, failureReason } = message;
  const failure = failedAt === null ? null : { code: failureCode, reason: failureReason ?? "" };
  return { status, sentAt, deliveredAt, readAt, failedAt, failure };
};

/** WhatsApp counts whole seconds by a clock of its own; nothing happened to a message before it existed. */
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

/** What was removed with the message's contents does not come back with a late event. */
const newFailure = ({ contentsRemovedAt }: Moved, { failedAt, failure }: StatusChange) => ({
  failedAt,
  failureCode: failure?.code ?? null,
  failureReason: failure && contentsRemovedAt ? REMOVED_REASON : (failure?.reason ?? null),
  failureTraceId: null,
});

const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

const isSame = (to: Standing, from: Standing): boolean =>
  (Object.keys(to) as (keyof Standing)[]).every((key) => to[key]?.valueOf() === from[key]?.valueOf());
