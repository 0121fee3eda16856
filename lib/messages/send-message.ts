import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, databaseRefusal } from "@/db/client";
import { isRestoreRefusal } from "@/db/restore-guard";
import { assertMayRepeat } from "@/lib/api-keys/key-limits";
import { AppError, idempotencyConflict } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import { canonicalJson } from "@/lib/core/json";
import { newId } from "@/lib/core/new-id";
import type { Principal } from "@/lib/core/principal";
import { inSpan } from "@/lib/core/telemetry";
import { type MediaShare, takeMediaShare } from "@/lib/media/media-share";
import { assertNotThrottled } from "@/lib/whatsapp/throttle-breaker";
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
import { type PreparedSend, prepareSend, rehearseRefusal } from "./prepare-send";
import { findNamedMessage, type NamedMessage } from "./queries";
import type { SendRequest } from "./send-request";
import { releaseLostClaim } from "./settle-message";

/** Every send responds within 15 s: time spent on media is not available for the call to WhatsApp. */
const ANSWER_WITHIN_MS = 14_000;

/** `timing` is filled in during the send, even if it is refused. */
export type SendContext = {
  idempotencyKey: string | undefined;
  /** The key's message when the request began, null if there was none; undefined if it was not looked up. */
  named?: NamedMessage | null | undefined;
  requestId: string;
  timing?: { platformMs?: number };
  /** When the request had fully arrived, by `performance.now()`. */
  receivedAtMs?: number;
};

/**
 * Sends one message at most once: claim, dispatch mark, one call, outcome (docs/decisions/0001). Returns the row, or an
 * earlier one of the same idempotency key. Throws AppError: 400, 402, 403, 404, 409 before anything is claimed, CHAT_GRAPH_ERROR
 * after a refusal (`details.outcome` not_sent) or without a usable response (unknown).
 */
export async function sendMessage(principal: Principal, request: SendRequest, call: SendContext): Promise<SendResult> {
  // Only a template has links.
  if (request.content.type !== "template") return await sendOnce(principal, request, call);
  const mediaShare = takeMediaShare(principal.workspaceId, "Nothing was sent; retry with the same Idempotency-Key.");
  try {
    return await sendOnce(principal, request, { ...call, mediaShare });
  } finally {
    mediaShare.release();
  }
}

type Send = SendContext & { mediaShare?: MediaShare };

const NEW: Attempt = { kind: "new" };
const MAX_MOVES = 3;

const sendOnce = async (
  principal: Principal,
  request: SendRequest,
  { idempotencyKey, named, requestId, timing, mediaShare, receivedAtMs = performance.now() }: Send,
): Promise<SendResult> => {
  const fingerprint = fingerprintOf(request);
  const find = async (seen?: NamedMessage): Promise<Attempt> =>
    idempotencyKey === undefined ? NEW : findAttempt(principal, idempotencyKey, { fingerprint, seen });

  // The claim detects a used key, so look it up first only if preparing could fetch media in vain.
  const looksUp = named === undefined && mayFetchMedia(request);
  const before = named || looksUp ? await find(named ?? undefined) : NEW;
  if (before.kind === "replay") return replayOf(principal, before.message);

  let prepared: PreparedSend;
  let isProbe: boolean;
  try {
    prepared = await prepareSend(principal, request, { mediaShare, recalls: before.kind === "new" });
    const { line, whatsappLine, phone } = prepared;
    const isLineNamed = request.phoneNumberId !== undefined;
    if (principal.mode === "test") rehearseRefusal({ phone, idempotencyKey, line, isLineNamed, now: new Date() });
    isProbe = assertNotThrottled(whatsappLine, phone, performance.now()).isProbe;
  } catch (refusal) {
    // A replay still answers after its line, contact or template was deleted.
    const attempt = await find();
    if (attempt.kind === "replay") return replayOf(principal, attempt.message);
    throw attempt.kind === "retry" ? ofMessage(refusal, attempt.message.id) : refusal;
  }

  const dispatch = (claim: Claim) =>
    dispatchMessage({ principal, claim, prepared, timing, deadline: Deadline.at(receivedAtMs + ANSWER_WITHIN_MS) });
  const readsEarlier = named === undefined && !looksUp;
  const inputOf = () =>
    claimInput(request, prepared, { idempotencyKey, readsEarlier, requestId, fingerprint, isProbe });
  const claimed = <T>(input: ClaimInput, owned: Owned, claim: () => Promise<T>) =>
    inSpan("claim", () => releaseIfLost(principal, { input, owned, claim: claim() }));

  let attempt = before;
  for (let times = 1; attempt.kind === "new"; times++) {
    const input = inputOf();
    const { claim, earlier } = await claimed(input, firstOwned(input), () => claimMessage(principal, input));
    if (claim) return dispatch(claim);
    attempt = await find(earlier);
    if (attempt.kind !== "new") break;
    // The contact left the number, or the template changed, between look-up and claim.
    const mayMove = request.contactId !== undefined || prepared.template?.isRecalled;
    if (!mayMove || times === MAX_MOVES) throw new Error("a key that is taken has its row");
    prepared = await prepareSend(principal, request, { mediaShare, recalls: false });
  }
  // A take-over does not check that the template is current.
  if (attempt.kind === "retry" && prepared.template?.isRecalled) {
    prepared = await prepareSend(principal, request, { mediaShare, recalls: false });
  }
  const input = inputOf();
  const { kind, message } = attempt;
  if (kind === "replay") return replayOf(principal, message);
  assertMayRepeat(principal, message);
  const claim = await claimed(input, nextOwned(message), () => takeOverMessage(principal, message, input));
  if (claim) return dispatch(claim);
  // Another request took it over first, and its outcome is the answer.
  const taken = await find();
  return replayOf(principal, taken.kind === "new" ? message : taken.message);
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
    const mayBeThere = error instanceof DatabaseUnavailable && !error.hadNoEffect;
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

/** Throws FORBIDDEN for a message of another key that is beyond the limits of this one. */
const replayOf = (principal: Principal, message: NamedMessage): SendResult => {
  assertMayRepeat(principal, message);
  return { message, isReplay: true };
};

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
  }: Pick<ClaimInput, "idempotencyKey" | "readsEarlier" | "requestId" | "fingerprint"> & { isProbe: boolean },
): ClaimInput => ({
  messageId: newId("msg"),
  // Claim and dispatch mark are separate if media must be uploaded in between, or if the send is a throttle probe, which a
  // replay must not use up.
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

/** A send by its idempotency key: new, a retry of the same message, or a replay of the response. */
type Attempt = { kind: "new" } | { kind: "retry" | "replay"; message: NamedMessage };

const IN_FLIGHT_WAIT_MS = 2_000;
const POLL_MS = 100;

/**
 * Looks up the idempotency key, and waits up to 2 s for a send in flight. `seen` is its row if just read, which
 * saves the first query. Throws IDEMPOTENCY_CONFLICT if the key was used with another body.
 */
const findAttempt = async (
  { workspaceId, mode }: Principal,
  idempotencyKey: string,
  { fingerprint, seen }: { fingerprint: Uint8Array; seen?: NamedMessage | undefined },
): Promise<Attempt> => {
  const deadline = Deadline.in(IN_FLIGHT_WAIT_MS);
  for (let message = seen; ; message = undefined) {
    message ??= await findNamedMessage(workspaceId, mode, { idempotencyKey });
    if (!message) return { kind: "new" };
    if (!Buffer.from(message.fingerprint).equals(fingerprint)) {
      throw idempotencyConflict(idempotencyKey, { createdAt: message.createdAt, messageId: message.id });
    }
    // A row without its contents is never sent again: that would bring back what was removed.
    const isWhole = message.contentsRemovedAt === null;
    const isRetryable = isWhole && (message.phase === "REFUSED_RETRYABLE" || isAbandoned(message));
    const isInFlight = message.phase === "ACCEPTED" || message.phase === "DISPATCHING";
    if (isRetryable || !isInFlight || deadline.isOver) {
      return { kind: isRetryable ? "retry" : "replay", message };
    }
    await sleep(POLL_MS);
  }
};

// Only a hint: the take-over itself is decided by the database's clock.
const isAbandoned = ({ phase, leaseExpiresAt }: NamedMessage) =>
  phase === "ACCEPTED" && leaseExpiresAt.getTime() < Date.now();

/**
 * Returns the SHA-256 of a validated request. The order of object keys does not matter; the order of
 * arrays does, and a carousel's named values are pairs for that reason.
 */
export function fingerprintOf(request: SendRequest): Uint8Array {
  return createHash("sha256")
    .update(canonicalJson(comparable(request)))
    .digest();
}

// Compares the caller's raw JSON, not its parsed form: the same payload formatted differently is another body.
const comparable = ({ content, ...request }: SendRequest) => ({
  ...request,
  content: content.type === "interactive" ? { type: content.type, source: content.source } : content,
});
