import { AppError } from "@/lib/core/app-error";
import { type AttemptWindow, giveBack, type Taken, takeAttempt } from "@/lib/limits/attempts";

export type Limits = { windows: AttemptWindow[]; scope: string; refusal: (minutes: number) => string };

/**
 * Runs `work` as one attempt, or throws 429 where a window is full. The attempt is counted first, so that a thousand at
 * once are no more than the limit. One that fails on our side is given back: it says nothing about who made it.
 */
export async function asAttempt<T>(
  { windows, scope, refusal }: Limits,
  work: () => Promise<T>,
): Promise<{ result: T; taken: Taken[] }> {
  const attempt = await takeAttempt(windows);
  if ("fullForMs" in attempt) {
    const seconds = Math.max(1, Math.ceil(attempt.fullForMs / 1_000));
    throw new AppError("RATE_LIMIT_EXCEEDED", refusal(Math.ceil(seconds / 60)), {
      details: { scope, retryable: true, retryAfterSeconds: seconds },
    });
  }
  try {
    return { result: await work(), taken: attempt.taken };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) void giveBack(attempt.taken);
    throw error;
  }
}
