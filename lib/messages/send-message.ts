import { DatabaseUnavailable } from "@/db/client";
import type { Message } from "@/db/schema";
import type { Principal } from "@/lib/api-keys/authenticate";
import { AppError, outcomeUnknown, refusedByPlatform } from "@/lib/errors";
import { errorFields, log } from "@/lib/log";
import { mediaKey } from "@/lib/media/media-link";
import { storeUpload } from "@/lib/media/store-upload";
import { shorten } from "@/lib/text";
import { uploadMedia } from "@/lib/whatsapp/media";
import { toGraphMessage } from "@/lib/whatsapp/message-payload";
import { asSentence } from "@/lib/whatsapp/platform-text";
import { postMessage, type SendOutcome } from "@/lib/whatsapp/send-message";
import { admit, report } from "@/lib/whatsapp/throttle-breaker";
import { type Claim, type ClaimInput, claimMessage, markDispatching, takeOverMessage } from "./claim-message";
import { explainTemplateRefusal } from "./explain-template-refusal";
import { type Earlier, findEarlier } from "./find-earlier";
import { fingerprint } from "./fingerprint";
import { opensFlowSession } from "./interactive";
import { withMediaIds } from "./linked-media";
import { type PreparedSend, prepareSend } from "./prepare-send";
import { findMessage } from "./queries";
import type { SendRequest } from "./send-request";
import { settleMessage } from "./settle-message";

export type SendResult = { message: Message; isReplay: boolean };

/** Every send is answered within 15 s: what the media took is missing from the platform's time. */
const ANSWER_WITHIN_MS = 14_000;
const CALL_TIMEOUT_MS = 10_000;
const UPLOAD_TIMEOUT_MS = 4_000;

/**
 * Sends one message at most once: claim, dispatch mark, one call, outcome (docs/decisions). Answers with the row, or with
 * an earlier one of the same idempotency key. Throws AppError: 400, 402, 404, 409 before anything is bound; CHAT_GRAPH_ERROR
 * after a refusal (`details.outcome` not_sent) or without a usable answer (unknown).
 */
export const sendMessage = async (
  principal: Principal,
  request: SendRequest,
  { idempotencyKey, requestId }: { idempotencyKey: string | undefined; requestId: string },
): Promise<SendResult> => {
  const startedAtMs = Date.now();
  const print = fingerprint(request);
  const look = async (): Promise<Earlier | undefined> =>
    idempotencyKey === undefined ? undefined : findEarlier(principal, idempotencyKey, print);

  // The claim itself finds a used key, so the look-up comes first only where preparing would fetch media for nothing.
  let earlier = mayFetchMedia(request) ? await look() : undefined;
  if (earlier && !earlier.isRetryable) return replayOf(earlier.message);

  let prepared: PreparedSend;
  try {
    prepared = await prepareSend(principal, request);
    admit(prepared.whatsappLine, prepared.phone, Date.now());
  } catch (refusal) {
    // A replay still answers when its line, contact or template has gone away since.
    earlier ??= await look();
    if (earlier && !earlier.isRetryable) return replayOf(earlier.message);
    throw earlier ? ofMessage(refusal, earlier.message.id) : refusal;
  }

  const input = claimInput(request, prepared, { idempotencyKey, requestId, print });
  let claim = earlier ? undefined : await claimMessage(principal, input);
  if (!claim) {
    earlier ??= await look();
    if (!earlier) throw new Error("a key that is taken has its row");
    if (!earlier.isRetryable) return replayOf(earlier.message);
    claim = await takeOverMessage(principal, earlier.message, input);
    // Another request took it over first: what became of it is the answer.
    if (!claim) return replayOf((await look())?.message ?? earlier.message);
  }
  return dispatch(principal, claim, prepared, startedAtMs + ANSWER_WITHIN_MS);
};

const replayOf = (message: Message): SendResult => ({ message, isReplay: true });

/** A line that is held back while a row waits to be tried again: the 502 names the row. */
const ofMessage = (refusal: unknown, messageId: string): unknown => {
  if (!(refusal instanceof AppError) || refusal.details.outcome === undefined) return refusal;
  const { code, message, status, headers, details } = refusal;
  return new AppError(code, message, { status, headers, details: { ...details, messageId }, cause: refusal });
};

const mayFetchMedia = ({ content }: SendRequest): boolean => {
  if (content.type !== "template" || content.filling.kind !== "values") return false;
  const { templateVariables = {}, carousel } = content.filling;
  return (
    Object.keys(templateVariables).some((key) => key.endsWith("header_link")) ||
    Boolean(carousel?.cards.some((card) => card.header?.link !== undefined))
  );
};

const claimInput = (
  request: SendRequest,
  { line, contactId, phone, template }: PreparedSend,
  { idempotencyKey, requestId, print }: { idempotencyKey: string | undefined; requestId: string; print: Uint8Array },
): ClaimInput => ({
  phoneNumberId: line.id,
  phone,
  type: request.content.type,
  template,
  requestText: JSON.stringify(request),
  requestId,
  idempotencyKey,
  fingerprint: print,
  closeFlowSessions:
    request.revalidateFlowSession && contactId !== undefined
      ? { contactId, phoneNumberId: request.phoneNumberId ?? null }
      : undefined,
});

/** From here on a row exists: whatever happens, it is settled, or the sweeper and the webhooks settle it. */
const dispatch = async (
  principal: Principal,
  claim: Claim,
  prepared: PreparedSend,
  deadlineMs: number,
): Promise<SendResult> => {
  const { whatsappLine, outbound, phone } = prepared;
  const mediaIds = await uploadPrepared(principal, claim, prepared);
  const body = toGraphMessage(withMediaIds(outbound, mediaIds), { messageId: claim.messageId });

  if (!(await mark(principal, claim))) {
    const message = await findMessage(principal.workspaceId, claim.messageId);
    if (!message) throw new Error("a claimed message has its row");
    return replayOf(message);
  }
  const timeoutMs = Math.min(CALL_TIMEOUT_MS, Math.max(2_000, deadlineMs - Date.now()));
  const sentAtMs = Date.now();
  const outcome = await postMessage(whatsappLine, body, { timeoutMs });
  report(whatsappLine, phone, { outcome, sentAtMs, nowMs: Date.now() });
  const message = await settle(principal, claim, prepared, outcome);
  return conclude(principal, claim, prepared, outcome, message);
};

const uploadPrepared = async (
  { workspaceId }: Principal,
  claim: Claim,
  { whatsappLine, line, media }: PreparedSend,
): Promise<Map<string, string>> => {
  const uploaded = await Promise.all(
    media.map(async (item): Promise<[string, string]> => {
      const key = mediaKey(item.source);
      if ("whatsappMediaId" in item) return [key, item.whatsappMediaId];
      const upload = await uploadMedia(whatsappLine, { ...item.fetched, timeoutMs: UPLOAD_TIMEOUT_MS });
      if (upload.outcome === "ok") {
        await remember(workspaceId, line.id, item.source, upload.whatsappMediaId);
        return [key, upload.whatsappMediaId];
      }
      const reason = `The media of \`${item.source.field}\` could not be uploaded: ${asSentence(upload.reason)}`;
      const code = upload.platform?.code ?? null;
      await settleMessage(workspaceId, claim, { kind: "refused", isRetryable: true, reason, code });
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

/** The dispatch mark. Where its fate is in doubt nothing was sent, and the row is given back if the database can be reached. */
const mark = async (principal: Principal, claim: Claim): Promise<boolean> => {
  try {
    return await markDispatching(principal, claim);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const reason = "The database was away before the dispatch; nothing was sent.";
    // Not waited for: a database that is away must not hold the answer up, and the sweeper comes after it.
    settleMessage(principal.workspaceId, claim, { kind: "refused", isRetryable: true, reason, code: null }).catch(
      (second: unknown) =>
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
  { workspaceId }: Principal,
  claim: Claim,
  { outbound }: PreparedSend,
  outcome: SendOutcome,
): Promise<Message> => {
  try {
    switch (outcome.outcome) {
      case "accepted":
        return await settleMessage(workspaceId, claim, {
          kind: "accepted",
          whatsappMessageId: outcome.whatsappMessageId,
          whatsappMessageStatus: outcome.whatsappMessageStatus,
          opensFlowSession: outbound.type === "interactive" && opensFlowSession(outbound.interactive),
        });
      case "refused":
        return await settleMessage(workspaceId, claim, {
          kind: "refused",
          isRetryable: outcome.blame === "platform",
          reason: outcome.reason,
          code: outcome.platform?.code ?? null,
        });
      case "unknown":
        return await settleMessage(workspaceId, claim, { kind: "unknown" });
      default:
        return outcome satisfies never;
    }
  } catch (error) {
    log("error", "message.outcome-not-written", {
      messageId: claim.messageId,
      outcome: outcome.outcome,
      ...errorFields(error),
    });
    throw outcomeUnknown("our database was away when the platform answered", claim.messageId, null);
  }
};

/** What the caller hears. The row decides: a webhook that came first knows more than the answer of the call. */
const conclude = async (
  principal: Principal,
  { messageId }: Claim,
  prepared: PreparedSend,
  outcome: SendOutcome,
  message: Message,
): Promise<SendResult> => {
  if (message.status === "UNKNOWN" && outcome.outcome === "unknown") {
    throw outcomeUnknown(shorten(outcome.reason, 64), messageId, outcome.platform);
  }
  if (message.status !== "FAILED" || outcome.outcome !== "refused") return { message, isReplay: false };

  const explained = await explainTemplateRefusal(principal, prepared, outcome, messageId);
  if (explained) throw explained;
  const { platform, retryable, retryAfterSeconds } = outcome;
  const text = platform
    ? `The platform refused this message: ${asSentence(outcome.reason)}${outcome.fix ? ` ${outcome.fix}` : ""}`
    : `Nothing was sent: ${asSentence(outcome.reason)}`;
  throw refusedByPlatform(outcome.blame, text, {
    messageId,
    retryable,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(platform ? { platform } : {}),
  });
};
