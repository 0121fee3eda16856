import { AppError } from "@/lib/core/app-error";
import type { NamedMessage } from "@/lib/messages/queries";

/** What a send is by the row of its idempotency key, `message`. */
export type Attempt = { kind: "new" } | { kind: "retry" | "replay" | "conflict"; message: NamedMessage };

type Rule = {
  /** `recalled`: the template may be as this process read it last, because the claim checks that it is current. */
  reads: "recalled" | "stored" | "nothing";
  /** What it may be once its claim is lost; anything else is a replay. */
  afterLoss: readonly Attempt["kind"][];
};

const ATTEMPTS: Record<Attempt["kind"], Rule> = {
  // No row has the key: claims one. It is new again if the contact or the template changed before the claim.
  new: { reads: "recalled", afterLoss: ["new", "retry", "replay", "conflict"] },
  // The row was certainly not sent: takes it over. If another request was faster, its outcome is the answer.
  retry: { reads: "stored", afterLoss: ["replay", "conflict"] },
  // The row was sent, refused for good, may have been sent, or is in flight: it is the answer.
  replay: { reads: "nothing", afterLoss: [] },
  // The row has another body: a 409.
  conflict: { reads: "nothing", afterLoss: [] },
};

const MAX_CLAIMS = 3;

type Preparation = { template?: { isRecalled: boolean } | undefined };

/** What a send does; `claim` and `dispatch` change the key's row only as it is at that moment. */
export type Steps<Prepared extends Preparation, Claim, Result> = {
  /** Returns the attempt before anything is prepared. */
  first: () => Promise<Attempt>;
  /** Throws the refusal of what cannot be sent. */
  prepare: (from: { recalls: boolean }) => Promise<Prepared>;
  /** Claims a row, or takes one over. `earlier` is the row that has the key, if the claim read it. */
  claim: (
    attempt: Attempt,
    prepared: Prepared,
  ) => Promise<{ claim?: Claim | undefined; earlier?: NamedMessage | undefined }>;
  /** Returns the attempt by the key's row, `seen` if it was just read. */
  look: (seen?: NamedMessage) => Promise<Attempt>;
  dispatch: (claim: Claim, prepared: Prepared) => Promise<Result>;
  replay: (message: NamedMessage) => Result;
  conflict: (message: NamedMessage) => AppError;
};

/** Sends at most once: only a claim leads to the dispatch. Throws what a step throws. */
export async function sendOnce<Prepared extends Preparation, Claim, Result>(
  steps: Steps<Prepared, Claim, Result>,
): Promise<Result> {
  let attempt = await steps.first();
  let prepared: Prepared | undefined;
  for (let claims = 0; ; claims++) {
    if (attempt.kind === "replay") return steps.replay(attempt.message);
    if (attempt.kind === "conflict") throw steps.conflict(attempt.message);
    if (attempt.kind === "new" && claims === MAX_CLAIMS) throw new Error("the key has no row after three lost claims");
    try {
      // A retry after a lost claim keeps what was prepared: a link is fetched once.
      if (!prepared || attempt.kind === "new" || prepared.template?.isRecalled) {
        prepared = await steps.prepare({ recalls: ATTEMPTS[attempt.kind].reads === "recalled" && claims === 0 });
      }
    } catch (refusal) {
      // A replay still answers after its line, contact or template was deleted.
      attempt = await steps.look();
      if (ATTEMPTS[attempt.kind].reads === "nothing") continue;
      throw attempt.kind === "retry" ? ofMessage(refusal, attempt.message.id) : refusal;
    }
    const { claim, earlier } = await steps.claim(attempt, prepared);
    if (claim) return steps.dispatch(claim, prepared);
    attempt = afterLoss(attempt, await steps.look(earlier));
  }
}

function afterLoss(lost: Attempt, found: Attempt): Attempt {
  if (ATTEMPTS[lost.kind].afterLoss.includes(found.kind)) return found;
  const row = found.kind === "new" ? lost : found;
  return row.kind === "new" ? row : { kind: "replay", message: row.message };
}

/** Adds the message's id to a 502 for a throttled line if the row can be retried. */
function ofMessage(refusal: unknown, messageId: string): unknown {
  if (!(refusal instanceof AppError) || refusal.details.outcome === undefined) return refusal;
  const { code, message, status, headers, details } = refusal;
  return new AppError(code, message, { status, headers, details: { ...details, messageId }, cause: refusal });
}

/** Returns what a send with `fingerprint` is by the row of its key. A row in flight may be another attempt soon. */
export function attemptOf(message: NamedMessage | undefined, fingerprint: Uint8Array): Attempt {
  if (!message) return { kind: "new" };
  if (!Buffer.from(message.fingerprint).equals(fingerprint)) return { kind: "conflict", message };
  const { phase, leaseExpiresAt, contentsRemovedAt } = message;
  // Only a hint: the take-over itself is decided by the database's clock.
  const isAbandoned = phase === "ACCEPTED" && leaseExpiresAt.getTime() < Date.now();
  // A row without its contents is never sent again: that would bring back what was removed.
  const isRetryable = contentsRemovedAt === null && (phase === "REFUSED_RETRYABLE" || isAbandoned);
  return { kind: isRetryable ? "retry" : "replay", message };
}

/** Whether a replay's outcome is still to come. */
export function isInFlight(attempt: Attempt): boolean {
  return attempt.kind === "replay" && (attempt.message.phase === "ACCEPTED" || attempt.message.phase === "DISPATCHING");
}
