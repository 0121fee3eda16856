import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@/db/schema";
import { idempotencyConflict } from "@/lib/errors/idempotency-conflict";
import type { Principal } from "@/lib/tenancy/principal";
import { findMessageByIdempotencyKey } from "./queries";

/** The row that an idempotency key is bound to: to be answered as it stands, or to be tried again. */
export type Earlier = { isRetryable: boolean; message: Message };

const IN_FLIGHT_WAIT_MS = 2_000;
const POLL_MS = 100;

/**
 * What an idempotency key is bound to, if to anything; waits up to 2 s for a send in flight. `seen` is its row as it was
 * read a moment ago, which saves the first look.
 * Throws IDEMPOTENCY_CONFLICT where the key was used with another body.
 */
export const findEarlier = async (
  { workspaceId, mode }: Principal,
  idempotencyKey: string,
  { fingerprint, seen }: { fingerprint: Uint8Array; seen?: Message | undefined },
): Promise<Earlier | undefined> => {
  // Not the clock of the day, which may be set back while this waits.
  const deadlineMs = performance.now() + IN_FLIGHT_WAIT_MS;
  for (let message = seen; ; message = undefined) {
    message ??= await findMessageByIdempotencyKey(workspaceId, mode, idempotencyKey);
    if (!message) return undefined;
    if (!Buffer.from(message.fingerprint).equals(fingerprint)) {
      throw idempotencyConflict(idempotencyKey, { createdAt: message.createdAt, messageId: message.id });
    }
    // A row without its contents is never sent again: that would bring back what was removed.
    const isWhole = message.contentsRemovedAt === null;
    const isRetryable = isWhole && (message.phase === "REFUSED_RETRYABLE" || isAbandoned(message));
    const isInFlight = message.phase === "ACCEPTED" || message.phase === "DISPATCHING";
    if (isRetryable || !isInFlight || performance.now() >= deadlineMs) return { isRetryable, message };
    await sleep(POLL_MS);
  }
};

// Only a hint: the take-over itself is decided by the database's clock.
const isAbandoned = ({ phase, leaseExpiresAt }: Message) =>
  phase === "ACCEPTED" && leaseExpiresAt.getTime() < Date.now();
