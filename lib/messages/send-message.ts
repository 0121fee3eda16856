import { DatabaseUnavailable, databaseRefusal } from "@/db/client";
import { isRestoreRefusal } from "@/db/restore-guard";
import type { Message } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import { newId } from "@/lib/core/new-id";
import type { Principal } from "@/lib/core/principal";
import { inSpan } from "@/lib/core/trace";
import { type MediaShare, takeMediaShare } from "@/lib/media/media-share";
import { refuseIfThrottled } from "@/lib/whatsapp/throttle-breaker";
import {
  type Claim,
  type ClaimInput,
  claimMessage,
  firstOwned,
  nextOwned,
  type Owned,
  takeOverMessage,
} from "./claim-message";
import { dispatchMessage, type SendResult } from "./dispatch-message";
import { type Attempt, findAttempt, fingerprintOf } from "./find-attempt";
import { type PreparedSend, prepareSend } from "./prepare-send";
import { rehearseRefusal } from "./rehearse-refusal";
import type { SendRequest } from "./send-request";
import { releaseLostClaim } from "./settle-message";

/** Every send responds within 15 s: time spent on media is not available for the call to WhatsApp. */
const ANSWER_WITHIN_MS = 14_000;

/** `timing` is filled in during the send, even if it is refused. */
export type SendContext = {
  idempotencyKey: string | undefined;
  requestId: string;
  timing?: { platformMs?: number };
  /** When the request had fully arrived, by `performance.now()`. */
  receivedAtMs?: number;
};

/**
 * Sends one message at most once: claim, dispatch mark, one call, outcome (docs/decisions/0001). Returns the row, or an
 * earlier one of the same idempotency key. Throws AppError: 400, 402, 404, 409 before anything is bound, CHAT_GRAPH_ERROR
 * after a refusal (`details.outcome` not_sent) or without a usable answer (unknown).
 */
export async function sendMessage(principal: Principal, request: SendRequest, call: SendContext): Promise<SendResult> {
  // Only a template has links.
  if (request.content.type !== "template") return await sendOnce(principal, request, call);
  const mediaShare = takeMediaShare(principal.workspaceId);
  try {
    return await sendOnce(principal, request, { ...call, mediaShare });
  } finally {
    mediaShare.release();
  }
}

type Send = SendContext & { mediaShare?: MediaShare };

const NEW: Attempt = { kind: "new" };
const MOST_MOVES = 3;

const sendOnce = async (
  principal: Principal,
  request: SendRequest,
  { idempotencyKey, requestId, timing, mediaShare, receivedAtMs = performance.now() }: Send,
): Promise<SendResult> => {
  const fingerprint = fingerprintOf(request);
  const find = async (seen?: Message): Promise<Attempt> =>
    idempotencyKey === undefined ? NEW : findAttempt(principal, idempotencyKey, { fingerprint, seen });

  // The claim detects a used key, so look it up first only if preparing could fetch media in vain.
  const before = mayFetchMedia(request) ? await find() : NEW;
  if (before.kind === "replay") return replayOf(before.message);

  let prepared: PreparedSend;
  let isProbe: boolean;
  try {
    prepared = await prepareSend(principal, request, mediaShare);
    const { line, whatsappLine, phone } = prepared;
    const isLineNamed = request.phoneNumberId !== undefined;
    if (principal.mode === "test") rehearseRefusal({ phone, idempotencyKey, line, isLineNamed, now: new Date() });
    isProbe = refuseIfThrottled(whatsappLine, phone, performance.now()).isProbe;
  } catch (refusal) {
    // A replay still answers after its line, contact or template was deleted.
    const attempt = before.kind === "new" ? await find() : before;
    if (attempt.kind === "replay") return replayOf(attempt.message);
    throw attempt.kind === "retry" ? ofMessage(refusal, attempt.message.id) : refusal;
  }

  const dispatch = (claim: Claim) =>
    dispatchMessage({ principal, claim, prepared, timing, deadline: Deadline.at(receivedAtMs + ANSWER_WITHIN_MS) });
  const inputOf = () => claimInput(request, prepared, { idempotencyKey, requestId, fingerprint, isProbe });
  const claimed = <T>(input: ClaimInput, owned: Owned, claim: () => Promise<T>) =>
    inSpan("claim", () => releaseIfLost(principal, { input, owned, claim: claim() }));

  let attempt = before;
  for (let times = 1; attempt.kind === "new"; times++) {
    const input = inputOf();
    const { claim, earlier } = await claimed(input, firstOwned(input), () => claimMessage(principal, input));
    if (claim) return dispatch(claim);
    attempt = await find(earlier);
    if (attempt.kind !== "new") break;
    // The contact left the number between look-up and claim, for example during a media fetch.
    if (request.contactId === undefined || times === MOST_MOVES) throw new Error("a key that is taken has its row");
    prepared = await prepareSend(principal, request, mediaShare);
  }
  const input = inputOf();
  const { kind, message } = attempt;
  if (kind === "replay") return replayOf(message);
  const claim = await claimed(input, nextOwned(message), () => takeOverMessage(principal, message, input));
  if (claim) return dispatch(claim);
  // Another request took it over first, and its outcome is the answer.
  const taken = await find();
  return replayOf(taken.kind === "new" ? message : taken.message);
};

/**
 * Releases a claim with the dispatch mark whose response was lost: nothing was sent, so it must not end UNKNOWN. Throws
 * SERVICE_UNAVAILABLE while the restore guard refuses claims.
 */
const releaseIfLost = async <T>(
  { workspaceId }: Principal,
  { input, owned, claim }: { input: ClaimInput; owned: Owned; claim: Promise<T> },
): Promise<T> => {
  try {
    return await claim;
  } catch (error) {
    const mayBeThere = error instanceof DatabaseUnavailable && !error.isUndone;
    if (mayBeThere && input.marksDispatch) void releaseLostClaim(workspaceId, owned, input.requestId);
    throw isRestoreRefusal(databaseRefusal(error)) ? restored() : error;
  }
};

const restored = (): AppError =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "This server was restored from a backup, and this message may have been sent since that backup. Live sends wait until the operator confirms. Nothing was sent now; retry later with the same Idempotency-Key.",
    { details: { outcome: "not_sent", retryable: true, retryAfterSeconds: 60 } },
  );

const replayOf = (message: Message): SendResult => ({ message, isReplay: true });

/** Adds the message's id to a 502 for a throttled line if the row can be retried. */
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
  { line, contactId, phone, template, media }: PreparedSend,
  {
    isProbe,
    ...call
  }: { idempotencyKey: string | undefined; requestId: string; fingerprint: Uint8Array; isProbe: boolean },
): ClaimInput => ({
  messageId: newId("msg"),
  // With an upload between them, or a probe that a replay must not use up, the two marks stay apart.
  marksDispatch: media.every((item) => "uploaded" in item) && !isProbe,
  phoneNumberId: line.id,
  phone,
  contactId,
  type: request.content.type,
  template,
  requestText: JSON.stringify(request),
  ...call,
  closeFlowSessions:
    request.revalidateFlowSession && contactId !== undefined
      ? { contactId, phoneNumberId: request.phoneNumberId ?? null }
      : undefined,
});
