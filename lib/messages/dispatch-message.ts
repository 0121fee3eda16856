import { DatabaseUnavailable } from "@/db/client";
import type { Message } from "@/db/schema";
import type { Principal } from "@/lib/api-keys/authenticate";
import { AppError, outcomeNotRecorded, outcomeUnknown, refusedByPlatform } from "@/lib/errors";
import { reachFaultPoint } from "@/lib/fault-points";
import { errorFields, log } from "@/lib/log";
import { mediaKey } from "@/lib/media/media-link";
import { storeUpload } from "@/lib/media/store-upload";
import { noteToken } from "@/lib/phone-numbers/note-token";
import { shorten } from "@/lib/text";
import { uploadMedia } from "@/lib/whatsapp/media";
import { toGraphMessage } from "@/lib/whatsapp/message-payload";
import { asSentence } from "@/lib/whatsapp/platform-text";
import { postMessage, type SendOutcome } from "@/lib/whatsapp/send-message";
import { admit, report } from "@/lib/whatsapp/throttle-breaker";
import { type Claim, markDispatching } from "./claim-message";
import { explainTemplateRefusal } from "./explain-template-refusal";
import { opensFlowSession } from "./interactive";
import { withMediaIds } from "./linked-media";
import type { PreparedSend } from "./prepare-send";
import { findMessage } from "./queries";
import { type Outcome, settleMessage } from "./settle-message";

export type SendResult = { message: Message; isReplay: boolean };

/**
 * One claimed message on its way out; `deadlineMs` is when its caller must have an answer, on the
 * clock of `performance.now()`, which nobody sets.
 */
export type Dispatch = {
  principal: Principal;
  claim: Claim;
  prepared: PreparedSend;
  deadlineMs: number;
  timing?: { platformMs?: number } | undefined;
};

const CALL_TIMEOUT_MS = 10_000;
const UPLOAD_TIMEOUT_MS = 4_000;

/**
 * Uploads what is linked, sets the dispatch mark, calls the platform once and settles the row. From the claim on a row
 * exists: whatever happens here settles it, or else the sweeper and the webhooks do. Throws as `sendMessage` does.
 */
export const dispatchMessage = async (dispatch: Dispatch): Promise<SendResult> => {
  const { principal, claim, prepared, deadlineMs, timing = {} } = dispatch;
  const { whatsappLine, outbound, phone } = prepared;
  if (process.env.FAULT_POINTS) reachFaultPoint("after-claim");
  const mediaIds = await uploadPrepared(dispatch);
  const body = toGraphMessage(withMediaIds(outbound, mediaIds), { messageId: claim.messageId });

  await takeTurn(dispatch);
  if (process.env.FAULT_POINTS) reachFaultPoint("before-mark");
  if (!(await mark(dispatch))) {
    const message = await findMessage(principal.workspaceId, claim.messageId);
    if (!message) throw new Error("a claimed message has its row");
    return { message, isReplay: true };
  }
  if (process.env.FAULT_POINTS) reachFaultPoint("after-mark");
  const timeoutMs = Math.min(CALL_TIMEOUT_MS, Math.max(2_000, deadlineMs - performance.now()));
  const sentAtMs = Date.now();
  const outcome = await postMessage(whatsappLine, body, { timeoutMs });
  timing.platformMs = Date.now() - sentAtMs;
  report(whatsappLine, phone, { outcome, sentAtMs, nowMs: Date.now() });
  if (process.env.FAULT_POINTS) reachFaultPoint("after-call");
  // A test line's token is the sandbox's own: what test numbers play with it says nothing.
  if (principal.mode === "live") void noteToken(principal.workspaceId, prepared.line, outcome);
  const message = await settle(dispatch, outcome);
  if (process.env.FAULT_POINTS) reachFaultPoint("after-outcome");
  return conclude(dispatch, { outcome, message });
};

const uploadPrepared = async ({
  principal: { workspaceId },
  claim,
  prepared: { whatsappLine, line, media },
  deadlineMs,
}: Dispatch): Promise<Map<string, string>> => {
  const uploaded = await Promise.all(
    media.map(async (item): Promise<[string, string]> => {
      const key = mediaKey(item.source);
      if ("whatsappMediaId" in item) return [key, item.whatsappMediaId];
      const upload = await uploadMedia(whatsappLine, { ...item.fetched, timeoutMs: UPLOAD_TIMEOUT_MS });
      if (upload.outcome === "ok") {
        const { whatsappMediaId } = upload;
        await remember(workspaceId, { phoneNumberId: line.id, link: item.source, whatsappMediaId });
        return [key, whatsappMediaId];
      }
      const reason = `The media of \`${item.source.field}\` could not be uploaded: ${asSentence(upload.reason)}`;
      const { code = null, fbtraceId: traceId = null } = upload.platform ?? {};
      const outcome = { kind: "refused", isRetryable: true, reason, code, traceId } as const;
      await settleMessage(workspaceId, claim, { outcome, deadlineMs });
      throw refusedByPlatform("platform", `${reason} Nothing was sent; the same Idempotency-Key may be tried again.`, {
        messageId: claim.messageId,
        retryable: true,
        ...(upload.platform ? { platform: upload.platform } : {}),
      });
    }),
  );
  return new Map(uploaded);
};

/** A lost entry costs one more upload, so its failure must not stop the send. */
const remember = (...upload: Parameters<typeof storeUpload>) =>
  storeUpload(...upload).catch((error: unknown) => log("warn", "media.not-remembered", errorFields(error)));

/** Asked here and not earlier: a replay, or a send that is refused before this, must not use up a throttled line's probe. */
const takeTurn = async ({ principal, claim, prepared, deadlineMs }: Dispatch): Promise<void> => {
  const { messageId } = claim;
  try {
    admit(prepared.whatsappLine, prepared.phone, { messageId, nowMs: Date.now() });
  } catch (refusal) {
    const reason =
      "The platform throttles this line, and another message was let through to see whether it still does.";
    const outcome = { kind: "refused", isRetryable: true, reason, code: null, traceId: null } as const;
    await settleMessage(principal.workspaceId, claim, { outcome, deadlineMs });
    throw refusal;
  }
};

/** The dispatch mark. Where its fate is in doubt nothing was sent, and the row is given back if that can be written. */
const mark = async ({ principal, claim, deadlineMs }: Dispatch): Promise<boolean> => {
  try {
    return await markDispatching(principal, claim);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const reason = "The database was away before the dispatch; nothing was sent.";
    const outcome = { kind: "refused", isRetryable: true, reason, code: null, traceId: null } as const;
    // Not waited for: a database that is away must not hold the answer up, and the sweeper comes after it.
    settleMessage(principal.workspaceId, claim, { outcome, deadlineMs }).catch((second: unknown) =>
      log("warn", "message.left-to-sweeper", { messageId: claim.messageId, ...errorFields(second) }),
    );
    throw new AppError(
      "SERVICE_UNAVAILABLE",
      "The database is away. Nothing was sent; retry with the same Idempotency-Key.",
      {
        details: { outcome: "not_sent", messageId: claim.messageId, retryable: true, retryAfterSeconds: 5 },
        cause: error,
      },
    );
  }
};

const settle = async (
  { principal: { workspaceId }, claim, prepared: { outbound }, deadlineMs }: Dispatch,
  outcome: SendOutcome,
): Promise<Message> => {
  const write = (written: Outcome) => settleMessage(workspaceId, claim, { outcome: written, deadlineMs });
  try {
    switch (outcome.outcome) {
      case "accepted":
        return await write({
          kind: "accepted",
          whatsappMessageId: outcome.whatsappMessageId,
          whatsappMessageStatus: outcome.whatsappMessageStatus,
          opensFlowSession: outbound.type === "interactive" && opensFlowSession(outbound.interactive),
        });
      case "refused":
        return await write({
          kind: "refused",
          isRetryable: outcome.blame === "platform",
          reason: outcome.reason,
          code: outcome.platform?.code ?? null,
          traceId: outcome.platform?.fbtraceId ?? null,
        });
      case "unknown":
        return await write({ kind: "unknown" });
      default:
        return outcome satisfies never;
    }
  } catch (error) {
    log("error", "message.outcome-not-written", {
      messageId: claim.messageId,
      outcome: outcome.outcome,
      ...errorFields(error),
    });
    throw outcomeNotRecorded(claim.messageId);
  }
};

/** What the caller hears. The row decides: a webhook that came first knows more than the answer of the call. */
const conclude = async (
  { principal, claim: { messageId, fencingToken }, prepared, deadlineMs }: Dispatch,
  { outcome, message }: { outcome: SendOutcome; message: Message },
): Promise<SendResult> => {
  // Another request took the row over since: what becomes of it is the answer.
  if (message.fencingToken !== fencingToken) return { message, isReplay: true };
  if (message.status === "UNKNOWN" && outcome.outcome === "unknown") {
    throw outcomeUnknown(shorten(outcome.reason, 64), messageId, outcome.platform);
  }
  if (message.status !== "FAILED" || outcome.outcome !== "refused") return { message, isReplay: false };

  const explained = await explainTemplateRefusal(principal, prepared, { outcome, messageId, deadlineMs });
  if (explained) throw explained;
  const { platform, retryable, retryAfterSeconds } = outcome;
  const text = platform
    ? `The platform refused this message: ${asSentence(outcome.reason)} ${outcome.fix ?? fixOf(outcome)}`
    : `Nothing was sent: ${asSentence(outcome.reason)} ${fixOf(outcome)}`;
  throw refusedByPlatform(outcome.blame, text, {
    messageId,
    retryable,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(platform ? { platform } : {}),
  });
};

/** What to do about a refusal whose code has no words of its own. */
const fixOf = ({ blame, retryable, retryAfterSeconds }: Extract<SendOutcome, { outcome: "refused" }>): string => {
  if (blame === "caller") return "Mend the message and send it with a new Idempotency-Key.";
  const when = retryAfterSeconds === null ? "later" : `in ${retryAfterSeconds} s`;
  if (retryable) return `Retry ${when} with the same Idempotency-Key.`;
  return "The line's owner or the platform must act first; then retry with the same Idempotency-Key.";
};
