import { DatabaseUnavailable } from "@/db/client";
import { AppError, internalError, outcomeNotRecorded, outcomeUnknown, refusedByPlatform } from "@/lib/core/app-error";
import type { Deadline } from "@/lib/core/deadline";
import type { Principal } from "@/lib/core/principal";
import { inSpan } from "@/lib/core/telemetry";
import { shorten, waitWords } from "@/lib/core/text";
import { findMessage } from "@/lib/messages/queries";
import { findOptOut, type OptOut, optOutDetails, STOPPED, withOptOut } from "@/lib/messages/statuses/barred-marketing";
import { recordTokenResult } from "@/lib/phone-numbers/note-token";
import { toGraphMessage } from "@/lib/whatsapp/message-payload";
import {
  notSent,
  type PreparedPost,
  preparePost,
  type RefusedSend,
  type SendOutcome,
} from "@/lib/whatsapp/post-message";
import { admitOrRefuse, report, reportThrottle } from "@/lib/whatsapp/throttle-breaker";
import { asSentence } from "@/lib/whatsapp/wire";
import { type Claim, markDispatching } from "./claim-message";
import { explainTemplateRefusal } from "./explain-template-refusal";
import type { PreparedSend } from "./prepare-send";
import { type Outcome, type SettledMessage, settleMessage } from "./settle-message";
import { uploadAll, withUploads } from "./upload-media";

/** `isLeftNumber`: the message went to a number that its owner has left. */
export type SendResult = { message: SettledMessage; isReplay: boolean; isLeftNumber?: boolean };

/** A claimed message to be sent; `deadline` is when its caller must have a response. */
export type Dispatch = {
  principal: Principal;
  claim: Claim;
  prepared: PreparedSend;
  deadline: Deadline;
  timing?: { platformMs?: number } | undefined;
};

const CALL_TIMEOUT_MS = 10_000;
/** With less time left, no call is made: a time-out would leave the outcome unknown. */
const MIN_CALL_MS = 2_000;
/** Minimum time for the response once connected. */
const MIN_ANSWER_MS = 1_000;
/** Reserved for each write: the mark and the outcome. */
const WRITE_MS = 500;

/**
 * Uploads linked media, sets the dispatch mark, calls WhatsApp once and settles the row. From the claim on a row
 * exists: it is settled here, or else by the sweeper and webhooks. Throws the same errors as `sendMessage`.
 */
export async function dispatchMessage(dispatch: Dispatch): Promise<SendResult> {
  const { principal, claim, prepared } = dispatch;
  // Nothing is sent until this returns, so any failure in it is `not_sent`; after the call nothing throws.
  const ready = await prepareDispatch(dispatch).catch((error: unknown) => giveBack(dispatch, error));
  if (ready === "lost") {
    const message = await findMessage(principal.workspaceId, claim.messageId);
    if (!message) throw new Error("a claimed message has its row");
    return { message, isReplay: true };
  }
  const ending = "post" in ready ? await callWhatsapp(dispatch, ready.post) : ready;
  // A test line's token belongs to the sandbox, whose simulated refusals say nothing about a real token.
  if (principal.mode === "live") void recordTokenResult(principal.workspaceId, prepared.line, ending.outcome);
  const message = await inSpan("settle", () => settle(dispatch, ending));
  return conclude(dispatch, ending, message);
}

/** How a send ended; `what` is set if a step before the message itself was refused. */
type Ending = { outcome: SendOutcome; what?: string; optOut?: OptOut | undefined };

/**
 * Does everything that can fail before the call, with the dispatch mark unless the claim set it. "lost" if another
 * request has taken the row over.
 */
async function prepareDispatch(
  dispatch: Dispatch,
): Promise<{ post: PreparedPost } | { outcome: RefusedSend; what?: string } | "lost"> {
  const { principal, claim, prepared } = dispatch;
  const { whatsappLine, outbound, phone } = prepared;
  let message = outbound;
  if (prepared.media.length > 0) {
    const owner = { workspaceId: principal.workspaceId, phoneNumberId: prepared.line.id, line: whatsappLine };
    const uploadedAtMs = performance.now();
    const uploads = await uploadAll(owner, prepared.media, callTimeMs(dispatch) - MIN_CALL_MS - WRITE_MS);
    if ("refusal" in uploads) {
      const { refusal: outcome, field } = uploads;
      reportThrottle(whatsappLine, phone, { outcome, sentAtMs: uploadedAtMs, nowMs: performance.now() });
      return { outcome, what: `The media of \`${field}\` could not be uploaded` };
    }
    message = withUploads(outbound, uploads.uploaded);
  }
  const post = preparePost(whatsappLine, toGraphMessage(message, { messageId: claim.messageId }));
  if (callTimeMs(dispatch) < MIN_CALL_MS + WRITE_MS) return { outcome: outOfTime() };

  if (claim.isDispatched) return { post };
  // A probe is taken here: a replay, or a send that is refused before this, must not use it up.
  const turnAtMs = performance.now();
  const held = admitOrRefuse(whatsappLine, phone, turnAtMs);
  if (held) return { outcome: held };
  let isMarked = false;
  try {
    isMarked = await markDispatching(principal, claim);
  } finally {
    const outcome = notSent("the dispatch was not marked");
    if (!isMarked) report(whatsappLine, phone, { outcome, sentAtMs: turnAtMs, nowMs: performance.now() });
  }
  return isMarked ? { post } : "lost";
}

/** Makes the call, and adds to a refusal of stopped marketing when the person stopped it. */
async function callWhatsapp(dispatch: Dispatch, post: PreparedPost): Promise<Ending> {
  const outcome = await makeCall(dispatch, post);
  if (outcome.outcome !== "refused" || outcome.platform?.code !== STOPPED) return { outcome };
  const optOut = await findOptOut(dispatch.principal.workspaceId, dispatch.claim.messageId);
  return { outcome: optOut ? { ...outcome, reason: withOptOut(outcome.reason, optOut) } : outcome, optOut };
}

/** Makes the one call. If the process was suspended since the mark, there may be no time left. */
async function makeCall(dispatch: Dispatch, post: PreparedPost): Promise<SendOutcome> {
  const { whatsappLine, phone } = dispatch.prepared;
  const sentAtMs = performance.now();
  const timeoutMs = Math.min(CALL_TIMEOUT_MS, callTimeMs(dispatch));
  const outcome = timeoutMs < MIN_CALL_MS ? outOfTime() : await post({ timeoutMs, minRemainingMs: MIN_ANSWER_MS });
  const nowMs = performance.now();
  if (dispatch.timing) dispatch.timing.platformMs = Math.round(nowMs - sentAtMs);
  report(whatsappLine, phone, { outcome, sentAtMs, nowMs });
  return outcome;
}

/** Returns the time left for the call, so that its outcome can be stored and returned in time. */
const callTimeMs = ({ deadline }: Dispatch): number => deadline.leftMs - WRITE_MS;

const outOfTime = (): RefusedSend => notSent("too little time was left to call WhatsApp", 1);

/** Handles our own failure before anything was sent: releases the row, so that the same key can send it. */
async function giveBack({ principal, claim, deadline }: Dispatch, error: unknown): Promise<never> {
  const { messageId } = claim;
  const isDatabase = error instanceof DatabaseUnavailable;
  const reason = isDatabase
    ? "The database was unavailable before the message was sent. Nothing was sent."
    : "The send failed on our side before WhatsApp was called. Nothing was sent.";
  const outcome = { kind: "refused", isRetryable: true, reason, code: null, traceId: null } as const;
  const settling = settleMessage(principal.workspaceId, claim, { outcome, deadline });
  // An unavailable database must not delay the response.
  if (!isDatabase) await settling;
  const answer = isDatabase ? databaseUnavailable(error) : internalError(error);
  throw new AppError(answer.code, answer.message, {
    details: { ...answer.details, outcome: "not_sent", messageId },
    cause: error,
  });
}

const databaseUnavailable = (cause: unknown) =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "The database is unavailable. Nothing was sent; retry with the same Idempotency-Key.",
    { details: { retryable: true, retryAfterSeconds: 5 }, cause },
  );

/** Returns the settled row; undefined if the outcome could not be written yet, which is retried in the background. */
async function settle(
  { principal: { workspaceId }, claim, prepared: { outbound }, deadline }: Dispatch,
  { outcome, what }: Ending,
): Promise<SettledMessage | undefined> {
  const write = (written: Outcome) => settleMessage(workspaceId, claim, { outcome: written, deadline });
  switch (outcome.outcome) {
    case "accepted":
      return await write({
        kind: "accepted",
        whatsappMessageId: outcome.whatsappMessageId,
        whatsappMessageStatus: outcome.whatsappMessageStatus,
        waId: outcome.waId,
        opensFlowSession: outbound.type === "interactive" && outbound.interactive.type === "flow",
      });
    case "refused":
      return await write({
        kind: "refused",
        isRetryable: keepsKey(outcome),
        reason: what ? `${what}: ${asSentence(outcome.reason)}` : outcome.reason,
        code: outcome.platform?.code ?? null,
        traceId: outcome.platform?.fbtraceId ?? null,
      });
    case "unknown":
      return await write({ kind: "unknown" });
    default:
      return outcome satisfies never;
  }
}

/** Returns the caller's result. The row decides: an earlier webhook knows more than the call's response. */
async function conclude(
  { principal, claim: { messageId, fencingToken, isLeftNumber }, prepared, deadline }: Dispatch,
  { outcome, what, optOut }: Ending,
  message: SettledMessage | undefined,
): Promise<SendResult> {
  // Another request took the row over since: its outcome is the answer.
  if (message && message.fencingToken !== fencingToken) return { message, isReplay: true };
  if (outcome.outcome === "accepted") {
    if (!message) throw outcomeNotRecorded(messageId);
    return { message, isReplay: false, isLeftNumber };
  }
  if (outcome.outcome === "unknown") {
    if (message && message.status !== "UNKNOWN") return { message, isReplay: false, isLeftNumber };
    throw outcomeUnknown(shorten(outcome.reason, MAX_DETAIL_CHARACTERS), messageId, outcome.platform);
  }
  if (message && message.status !== "FAILED") return { message, isReplay: false, isLeftNumber };
  const explained =
    message && !what && (await explainTemplateRefusal(principal, prepared, { outcome, messageId, deadline }));
  if (explained) throw explained;
  const { blame, platform, retryable, retryAfterSeconds } = outcome;
  throw refusedByPlatform(blame, refusalText(outcome, what), {
    messageId,
    retryable,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(platform ? { platform } : {}),
    ...(optOut && optOutDetails(optOut)),
  });
}

const MAX_DETAIL_CHARACTERS = 64;

const MAX_CHARACTERS = 280;
const MAX_REASON_CHARACTERS = 150;

/** Returns whether the same Idempotency-Key can resend the row: after any 502, or a 400 with a temporary cause. */
export function keepsKey({ blame, retryable }: Pick<RefusedSend, "blame" | "retryable">): boolean {
  return blame === "platform" || retryable;
}

/**
 * Returns a refusal's public text, at most 280 characters: what happened, who must act or when to retry, and whether
 * the Idempotency-Key can be used again. `what` names the step that was refused, where that is not the message itself.
 */
export function refusalText(outcome: RefusedSend, what?: string): string {
  const { platform, reason } = outcome;
  if (!platform && reason.endsWith(".")) return `${reason} Nothing was sent; keep the Idempotency-Key.`;
  const subject = what ?? (platform ? "WhatsApp refused this message" : "Nothing was sent");
  const advice = `${what ? "Nothing was sent. " : ""}${adviceOf(outcome)}`;
  // Two spaces, a colon, and the period and ellipsis that may be added.
  const room = MAX_CHARACTERS - subject.length - advice.length - 5;
  return `${subject}: ${asSentence(reason, Math.min(MAX_REASON_CHARACTERS, room))} ${advice}`;
}

function adviceOf(outcome: RefusedSend): string {
  const { blame, fix, retryAfterSeconds } = outcome;
  if (retryAfterSeconds !== null) {
    const wait = `Retry in ${waitWords(retryAfterSeconds)} with the same Idempotency-Key.`;
    return fix ? `${fix} ${wait}` : wait;
  }
  return blame === "caller"
    ? `${fix ?? "Correct the message."} Use a new Idempotency-Key.`
    : `${fix ?? "The line's owner or WhatsApp must act first."} Then retry with the same Idempotency-Key.`;
}
