import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@/db/schema";
import { idempotencyConflict } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import { canonicalJson } from "@/lib/core/json";
import type { Principal } from "@/lib/core/principal";
import { findMessageByIdempotencyKey } from "./queries";
import type { SendRequest } from "./send-request";

/** A send by its idempotency key: new, a retry of the same message, or a replay of the response. */
export type Attempt = { kind: "new" } | { kind: "retry" | "replay"; message: Message };

const IN_FLIGHT_WAIT_MS = 2_000;
const POLL_MS = 100;

/**
 * Looks up the idempotency key, and waits up to 2 s for a send in flight. `seen` is its row if just read, which
 * saves the first query. Throws IDEMPOTENCY_CONFLICT if the key was used with another body.
 */
export async function findAttempt(
  { workspaceId, mode }: Principal,
  idempotencyKey: string,
  { fingerprint, seen }: { fingerprint: Uint8Array; seen?: Message | undefined },
): Promise<Attempt> {
  const deadline = Deadline.in(IN_FLIGHT_WAIT_MS);
  for (let message = seen; ; message = undefined) {
    message ??= await findMessageByIdempotencyKey(workspaceId, mode, idempotencyKey);
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
}

// Only a hint: the take-over itself is decided by the database's clock.
const isAbandoned = ({ phase, leaseExpiresAt }: Message) =>
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
