import { authenticate, UNKNOWN_KEY, unauthorized } from "@/lib/api-keys/authenticate";
import { AppError } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import type { WorkspaceId } from "@/lib/core/principal";
import { ProcessWindow } from "@/lib/limits/process-window";
import { WINDOW_MS } from "@/lib/limits/rate-limit";
import { callerAddress, readCredentials } from "./request-headers";

/** Ten per second and IP address, per process. An idle session makes one, a busy one five. */
const MOST_CALLS = 9_000;
const ADMITTED_WITHIN_MS = 2_800;

/**
 * Authenticates the test key of a `listen` session, whose calls do not count against the partner API's limits. Throws
 * RATE_LIMIT_EXCEEDED, UNAUTHORIZED, FORBIDDEN with a live key, or DatabaseUnavailable within 3 s.
 */
export async function admitListener(headers: Headers): Promise<{ workspaceId: WorkspaceId; apiKeyId: string }> {
  const nowMs = Date.now();
  const { isAllowed, resetAtMs } = calls.take(callerAddress(headers), nowMs);
  if (!isAllowed) throw tooManyCalls(Math.ceil((resetAtMs - nowMs) / 1_000));
  const deadline = Deadline.in(ADMITTED_WITHIN_MS);
  // Uses the pool for authentication: unauthenticated callers must not exhaust the pool for requests.
  const holder = await authenticate(readCredentials(headers) ?? UNKNOWN_KEY, { deadline, pool: "limits" });
  if (!holder) throw unauthorized();
  if (holder.mode !== "test") throw liveKey();
  return holder;
}

const calls = new ProcessWindow(MOST_CALLS, WINDOW_MS);

const tooManyCalls = (retryAfterSeconds: number) =>
  new AppError(
    "RATE_LIMIT_EXCEEDED",
    `Too many calls of listen from this client IP. Retry in ${retryAfterSeconds} s.`,
    {
      details: { limit: MOST_CALLS, retryable: true, retryAfterSeconds },
    },
  );

const liveKey = () =>
  new AppError(
    "FORBIDDEN",
    "This is a live key, and listen receives the events of test mode. Send a test key (pk_test_…).",
    {
      details: { retryable: false },
    },
  );
