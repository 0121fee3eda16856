import { DatabaseUnavailable } from "@/db/client";
import type { Message } from "@/db/schema";
import { AppError, internalError, outcomeNotRecorded, outcomeUnknown, refusedByPlatform } from "@/lib/core/app-error";
import type { Deadline } from "@/lib/core/deadline";
import type { Principal } from "@/lib/core/principal";
import { shorten } from "@/lib/core/text";
import { noteToken } from "@/lib/phone-numbers/note-token";
import { toGraphMessage } from "@/lib/whatsapp/message-payload";
import { asSentence } from "@/lib/whatsapp/platform-text";
import {
  notSent,
  type PreparedPost,
  preparePost,
  type RefusedSend,
  type SendOutcome,
} from "@/lib/whatsapp/post-message";
import { holdBack, report, reportThrottle } from "@/lib/whatsapp/throttle-breaker";
import { type Claim, markDispatching } from "./claim-message";
import { explainTemplateRefusal } from "./explain-template-refusal";
import { opensFlowSession } from "./interactive";
import { withUploads } from "./message-media";
import type { PreparedSend } from "./prepare-send";
import { findMessage } from "./queries";
import { keepsKey, refusalText } from "./refusal-text";
import { type Outcome, settleForSure } from "./settle-message";
import { uploadAll } from "./upload-media";

/** `isLeftNumber` where the message went to a number that its person has left. */
export type SendResult = { message: Message; isReplay: boolean; isLeftNumber?: boolean };

/** One claimed message on its way out; `deadline` is when its caller must have an answer. */
export type Dispatch = {
  principal: Principal;
  claim: Claim;
  prepared: PreparedSend;
  deadline: Deadline;
  timing?: { platformMs?: number } | undefined;
};

const CALL_TIMEOUT_MS = 10_000;
/** With less than this no call is begun: it would end as unknown where nothing had to be. */
const LEAST_CALL_MS = 2_000;
/** What must be left of it for the answer, once there is a connection. */
const LEAST_ANSWER_MS = 1_000;
/** For the mark before a call, and again for its outcome after it. */
const WRITE_MS = 500;

/**
 * Uploads what is linked, sets the dispatch mark, calls WhatsApp once and settles the row. From the claim on a row
 * exists: whatever happens here settles it, or else the sweeper and the webhooks do. Throws as `sendMessage` does.
 */
export async function dispatchMessage(dispatch: Dispatch): Promise<SendResult> {
  const { principal, claim, prepared } = dispatch;
  // Nothing has left until this returns, so whatever fails in it is `not_sent`; from the call on nothing throws.
  const ready = await makeReady(dispatch).catch((error: unknown) => giveBack(dispatch, error));
  if (ready === "lost") {
    const message = await findMessage(principal.workspaceId, claim.messageId);
    if (!message) throw new Error("a claimed message has its row");
    return { message, isReplay: true };
  }
  const ending = "post" in ready ? { outcome: await makeCall(dispatch, ready.post) } : ready;
  // A test line's token is the sandbox's own: what test numbers play with it says nothing.
  if (principal.mode === "live") void noteToken(principal.workspaceId, prepared.line, ending.outcome);
  const message = await settle(dispatch, ending);
  return conclude(dispatch, ending, message);
}

/** How a send ended; `what` is set where an earlier step than the message itself was refused. */
type Ending = { outcome: SendOutcome; what?: string };

/**
 * Everything that can fail, up to and with the mark, where the claim was not the mark itself. "lost" where another
 * request has taken the row over.
 */
const makeReady = async (
  dispatch: Dispatch,
): Promise<{ post: PreparedPost } | { outcome: RefusedSend; what?: string } | "lost"> => {
  const { principal, claim, prepared } = dispatch;
  const { whatsappLine, outbound, phone } = prepared;
  const owner = { workspaceId: principal.workspaceId, phoneNumberId: prepared.line.id, line: whatsappLine };
  const uploadedAtMs = performance.now();
  const uploads = await uploadAll(owner, prepared.media, callTimeMs(dispatch) - LEAST_CALL_MS - WRITE_MS);
  if ("refusal" in uploads) {
    const { refusal: outcome, field } = uploads;
    reportThrottle(whatsappLine, phone, { outcome, sentAtMs: uploadedAtMs, nowMs: performance.now() });
    return { outcome, what: `The media of \`${field}\` could not be uploaded` };
  }
  const post = preparePost(
    whatsappLine,
    toGraphMessage(withUploads(outbound, uploads.uploaded), { messageId: claim.messageId }),
  );
  if (callTimeMs(dispatch) < LEAST_CALL_MS + WRITE_MS) return { outcome: outOfTime() };

  // Asked here and not earlier: a replay, or a send that is refused before this, must not use up a probe.
  const turnAtMs = performance.now();
  const held = holdBack(whatsappLine, phone, turnAtMs);
  if (held) return { outcome: held };
  if (claim.isDispatched) return { post };
  let isMarked = false;
  try {
    isMarked = await markDispatching(principal, claim);
  } finally {
    const outcome = notSent("the dispatch was not marked");
    if (!isMarked) report(whatsappLine, phone, { outcome, sentAtMs: turnAtMs, nowMs: performance.now() });
  }
  return isMarked ? { post } : "lost";
};

/** The one call. A process that stood still since the mark may have no time left for it. */
const makeCall = async (dispatch: Dispatch, post: PreparedPost): Promise<SendOutcome> => {
  const { whatsappLine, phone } = dispatch.prepared;
  const sentAtMs = performance.now();
  const timeoutMs = Math.min(CALL_TIMEOUT_MS, callTimeMs(dispatch));
  const outcome = timeoutMs < LEAST_CALL_MS ? outOfTime() : await post({ timeoutMs, leastMs: LEAST_ANSWER_MS });
  const nowMs = performance.now();
  if (dispatch.timing) dispatch.timing.platformMs = Math.round(nowMs - sentAtMs);
  report(whatsappLine, phone, { outcome, sentAtMs, nowMs });
  return outcome;
};

/** What a call may still take, so that its outcome is stored and returned in time. */
const callTimeMs = ({ deadline }: Dispatch): number => deadline.leftMs - WRITE_MS;

const outOfTime = (): RefusedSend => notSent("too little time was left to call WhatsApp", 1);

/** A failure of ours before anything left. The row is given back, so that the same key sends it. */
const giveBack = async ({ principal, claim, deadline }: Dispatch, error: unknown): Promise<never> => {
  const { messageId } = claim;
  const isDatabase = error instanceof DatabaseUnavailable;
  const reason = isDatabase
    ? "The database was unavailable before the message was sent. Nothing was sent."
    : "The send failed on our side before WhatsApp was called. Nothing was sent.";
  const outcome = { kind: "refused", isRetryable: true, reason, code: null, traceId: null } as const;
  const settling = settleForSure(principal.workspaceId, claim, { outcome, deadline });
  // A database that is unavailable must not hold the answer up.
  if (!isDatabase) await settling;
  const answer = isDatabase ? databaseUnavailable(error) : internalError(error);
  throw new AppError(answer.code, answer.message, {
    details: { ...answer.details, outcome: "not_sent", messageId },
    cause: error,
  });
};

const databaseUnavailable = (cause: unknown) =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "The database is unavailable. Nothing was sent; retry with the same Idempotency-Key.",
    { details: { retryable: true, retryAfterSeconds: 5 }, cause },
  );

/** The row as it stands then; undefined where the outcome could not be written yet, which is tried again by itself. */
const settle = async (
  { principal: { workspaceId }, claim, prepared: { outbound }, deadline }: Dispatch,
  { outcome, what }: Ending,
): Promise<Message | undefined> => {
  const write = (written: Outcome) => settleForSure(workspaceId, claim, { outcome: written, deadline });
  switch (outcome.outcome) {
    case "accepted":
      return await write({
        kind: "accepted",
        whatsappMessageId: outcome.whatsappMessageId,
        whatsappMessageStatus: outcome.whatsappMessageStatus,
        waId: outcome.waId,
        opensFlowSession: outbound.type === "interactive" && opensFlowSession(outbound.interactive),
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
};

/** What the caller gets. The row decides: a webhook that came first knows more than the answer of the call. */
const conclude = async (
  { principal, claim: { messageId, fencingToken, isLeftNumber }, prepared, deadline }: Dispatch,
  { outcome, what }: Ending,
  message: Message | undefined,
): Promise<SendResult> => {
  // Another request took the row over since: its outcome is the answer.
  if (message && message.fencingToken !== fencingToken) return { message, isReplay: true };
  if (outcome.outcome === "accepted") {
    if (!message) throw outcomeNotRecorded(messageId);
    return { message, isReplay: false, isLeftNumber };
  }
  if (outcome.outcome === "unknown") {
    if (message && message.status !== "UNKNOWN") return { message, isReplay: false, isLeftNumber };
    throw outcomeUnknown(shorten(outcome.reason, MOST_TOLD_CHARACTERS), messageId, outcome.platform);
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
  });
};

const MOST_TOLD_CHARACTERS = 64;
