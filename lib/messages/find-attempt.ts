import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@/db/schema";
import { Deadline } from "@/lib/core/deadline";
import { idempotencyConflict } from "@/lib/core/idempotency-conflict";
import type { Principal } from "@/lib/core/principal";
import { findMessageByIdempotencyKey } from "./queries";

/** What a send is, by its idempotency key: the first with it, another try of its message, or a replay of its response. */
export type Attempt = { kind: "new" } | { kind: "retry" | "replay"; message: Message };

const IN_FLIGHT_WAIT_MS = 2_000;
const POLL_MS = 100;

/**
 * Reads what the idempotency key is bound to, and waits up to 2 s for a send in flight. `seen` is its row as it was read a
 * moment ago, which saves the first look. Throws IDEMPOTENCY_CONFLICT where the key was used with another body.
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
