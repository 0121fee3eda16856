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
import { findNamedMessage, type NamedMessage } from "@/lib/messages/queries";
import type { SendRequest } from "@/lib/messages/send-request";
import { assertNotThrottled } from "@/lib/whatsapp/throttle-breaker";
import { type Attempt, attemptOf, isInFlight, type Steps, sendOnce } from "./attempts";
import { type Claim, type ClaimInput, type Claiming, claimMessage, firstOwned, type Owned } from "./claim-message";
import { dispatchMessage, type SendResult } from "./dispatch-message";
import { type PreparedSend, prepareSend, rehearseRefusal } from "./prepare-send";
import { releaseLostClaim } from "./settle-message";
import { nextOwned, takeOverMessage } from "./take-over-message";

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
  const { named, receivedAtMs = performance.now() } = call;
  const send: Send = {
    principal,
    request,
    call,
    fingerprint: fingerprintOf(request),
    deadline: Deadline.at(receivedAtMs + ANSWER_WITHIN_MS),
    // The claim detects a used key, so it is looked up first only if preparing could fetch media in vain.
    readsEarlier: named === undefined && !mayFetchMedia(request),
  };
  // Only a template has links.
  if (request.content.type !== "template") return await sendOnce(stepsOf(send));
  const mediaShare = takeMediaShare(principal.workspaceId, "Nothing was sent; retry with the same Idempotency-Key.");
  try {
    return await sendOnce(stepsOf({ ...send, mediaShare }));
  } finally {
    mediaShare.release();
  }
}

type Send = {
  principal: Principal;
  request: SendRequest;
  call: SendContext;
  fingerprint: Uint8Array;
  deadline: Deadline;
  mediaShare?: MediaShare;
  /** Whether the claim is the first to look the key up. */
  readsEarlier: boolean;
};

type Prepared = PreparedSend & { isProbe: boolean };

function stepsOf(send: Send): Steps<Prepared, Claim, SendResult> {
  const { principal, deadline } = send;
  const { idempotencyKey = "", named, timing } = send.call;
  return {
    first: async () => (named === null || send.readsEarlier ? { kind: "new" } : look(send, named)),
    prepare: (from) => prepare(send, from),
    claim: (attempt, prepared) => inSpan("claim", () => claimRow(send, attempt, prepared)),
    look: (seen) => look(send, seen),
    dispatch: (claim, prepared) => dispatchMessage({ principal, claim, prepared, timing, deadline }),
    replay: (message) => {
      assertMayRepeat(principal, message);
      return { message, isReplay: true };
    },
    conflict: ({ id, createdAt }) => idempotencyConflict(idempotencyKey, { createdAt, messageId: id }),
  };
}

async function prepare(
  { principal, request, call: { idempotencyKey }, mediaShare }: Send,
  { recalls }: { recalls: boolean },
): Promise<Prepared> {
  const prepared = await prepareSend(principal, request, { mediaShare, recalls });
  const { line, whatsappLine, phone } = prepared;
  const isLineNamed = request.phoneNumberId !== undefined;
  if (principal.mode === "test") rehearseRefusal({ phone, idempotencyKey, line, isLineNamed, now: new Date() });
  const { isProbe } = assertNotThrottled(whatsappLine, phone, performance.now());
  return { ...prepared, isProbe };
}

/** Throws FORBIDDEN for a message of another key that is beyond the limits of this one, as `replay` does. */
async function claimRow(send: Send, attempt: Attempt, prepared: Prepared): Promise<Claiming> {
  const { principal } = send;
  const input = claimInput(send, prepared);
  if (attempt.kind === "new") {
    return releaseIfLost(principal, { input, owned: firstOwned(input), claiming: claimMessage(principal, input) });
  }
  const { message } = attempt;
  assertMayRepeat(principal, message);
  const takingOver = takeOverMessage(principal, message, input);
  return releaseIfLost(principal, { input, owned: nextOwned(message), claiming: takingOver });
}

/**
 * Releases a claim with the dispatch mark whose response was lost: nothing was sent, so it must not end UNKNOWN. Throws
 * SERVICE_UNAVAILABLE while the restore guard refuses claims.
 */
async function releaseIfLost(
  { workspaceId }: Principal,
  { input, owned, claiming }: { input: ClaimInput; owned: Owned; claiming: Promise<Claiming> },
): Promise<Claiming> {
  try {
    return await claiming;
  } catch (error) {
    const mayBeThere = error instanceof DatabaseUnavailable && !error.hadNoEffect;
    if (mayBeThere && input.marksDispatch) void releaseLostClaim(workspaceId, owned, input.requestId);
    throw isRestoreRefusal(databaseRefusal(error)) ? restored() : error;
  }
}

function restored(): AppError {
  const message =
    "This server was restored from a backup, and this message may have been sent since that backup. Live sends wait until the operator confirms. Nothing was sent now; retry later with the same Idempotency-Key.";
  return new AppError("SERVICE_UNAVAILABLE", message, {
    details: { outcome: "not_sent", retryable: true, retryAfterSeconds: 60 },
  });
}

function mayFetchMedia({ content }: SendRequest): boolean {
  if (content.type !== "template" || content.filling.kind !== "values") return false;
  const { templateVariables = {}, carousel } = content.filling;
  return (
    Object.keys(templateVariables).some((key) => key.endsWith("header_link")) ||
    Boolean(carousel?.cards.some((card) => card.header?.link !== undefined))
  );
}

function claimInput(
  { request, call: { idempotencyKey, requestId }, readsEarlier, fingerprint }: Send,
  { line, contactId, phone, template, media, isProbe }: Prepared,
): ClaimInput {
  return {
    messageId: newId("msg"),
    // Claim and dispatch mark are separate if media must be uploaded in between, or if the send is a throttle probe, which a
    // replay must not use up.
    marksDispatch: media.every((item) => "uploaded" in item) && !isProbe,
    phoneNumberId: line.id,
    phone,
    contactId,
    request,
    template,
    requestId,
    idempotencyKey,
    readsEarlier,
    fingerprint,
    closeFlowSessions:
      request.revalidateFlowSession && contactId !== undefined
        ? { contactId, phoneNumberId: request.phoneNumberId ?? null }
        : undefined,
  };
}

const IN_FLIGHT_WAIT_MS = 2_000;
const POLL_MS = 100;

/** Looks up the idempotency key, and waits up to 2 s for a send in flight. `seen` is its row if just read. */
async function look({ principal, call, fingerprint }: Send, seen?: NamedMessage | null): Promise<Attempt> {
  const { idempotencyKey } = call;
  if (idempotencyKey === undefined) return { kind: "new" };
  const deadline = Deadline.in(IN_FLIGHT_WAIT_MS);
  for (let message = seen; ; message = undefined) {
    message ??= await findNamedMessage(principal.workspaceId, principal.mode, { idempotencyKey });
    const attempt = attemptOf(message, fingerprint);
    if (!isInFlight(attempt) || deadline.isOver) return attempt;
    await sleep(POLL_MS);
  }
}

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
function comparable({ content, ...request }: SendRequest) {
  return {
    ...request,
    content: content.type === "interactive" ? { type: content.type, source: content.source } : content,
  };
}
