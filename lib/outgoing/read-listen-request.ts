import { z } from "zod";
import { authenticate, UNKNOWN_KEY, unauthorized } from "@/lib/api-keys/authenticate";
import { assertPermitted, fromElsewhere } from "@/lib/api-keys/key-limits";
import { AppError, refusedByKeyLimits } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Call } from "@/lib/http/call";
import { parsed } from "@/lib/http/issues";
import { callerIp, rateLimitAddress, readCredentials } from "@/lib/http/request-headers";
import { WINDOW_MS } from "@/lib/limits/rate-limit";
import { ProcessWindow } from "@/lib/limits/upstash-limit";
import { PRINTED_ONLY } from "@/lib/outgoing/events/event-types";

/** Results per call: eight escaped responses of 4 KB fit into its body. */
export const MAX_RESULTS = 8;
/** Concurrent attempts of a `listen` session. */
export const MAX_FORWARDED = 16;

const printable = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x20-\x7e]*$/, "must be printable ASCII");

/** Rejects URLs with a password, because they are stored and shown. */
function isPlainUrl(given: string): boolean {
  const url = /^https?:\/\//.test(given) && URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && url.username === "" && url.password === "";
}

const RESULT = z.strictObject({
  id: printable(64),
  attempt: z.int().min(1).max(1_000_000),
  durationMs: z.int().min(0).max(60_000),
  statusCode: z.int().min(100).max(999).nullable(),
  failure: z.string().max(300).nullable(),
  response: z.string().max(4_096).nullable(),
  retryAfter: printable(64).nullable(),
});

const REQUEST = z.strictObject({
  listener: printable(64).optional(),
  forwardTo: printable(2_048)
    .refine(isPlainUrl, "must be an http or https URL without a user name or password")
    .default(PRINTED_ONLY),
  computer: printable(60).default(""),
  underWay: z.int().min(0).max(MAX_FORWARDED).default(0),
  results: z.array(RESULT).max(MAX_RESULTS).default([]),
  isEnding: z.boolean().default(false),
});

/** A `listen` poll: the first one has no `listener`, and the last one ends the session. */
export type ListenRequest = z.infer<typeof REQUEST>;

/** Parses a poll by the `listen` command, its only client. Throws VALIDATION_ERROR. */
export function readListenRequest(body: unknown): ListenRequest {
  return parsed(REQUEST, body);
}

/** Ten per second and IP address, per process. An idle session makes one, a busy one five. */
const MAX_CALLS = 9_000;
const ADMITTED_WITHIN_MS = 2_800;

/**
 * Authenticates the test key of a `listen` session, whose calls do not count against the partner API's limits. Throws
 * RATE_LIMIT_EXCEEDED, UNAUTHORIZED, FORBIDDEN with a live key or one that is limited to other uses, or
 * DatabaseUnavailable within 3 s.
 */
export async function admitListener(call: Call): Promise<{ workspaceId: WorkspaceId; apiKeyId: string }> {
  const nowMs = Date.now();
  const ip = callerIp(call);
  const { isAllowed, resetAtMs } = calls.take(rateLimitAddress(ip), nowMs);
  if (!isAllowed) throw tooManyCalls(Math.ceil((resetAtMs - nowMs) / 1_000));
  const deadline = Deadline.in(ADMITTED_WITHIN_MS);
  // Uses the pool for authentication: unauthenticated callers must not exhaust the pool for requests.
  const credentials = readCredentials(call.headers);
  const holder = await authenticate(credentials ?? UNKNOWN_KEY, { ip, deadline, pool: "limits" });
  if (!holder) throw unauthorized(credentials);
  const { mode, limits, isWithin } = holder;
  if (!isWithin) throw fromElsewhere(ip);
  if (mode !== "test") throw liveKey();
  assertPermitted(limits, "status");
  if (limits.isMembers) throw membersKey();
  if (limits.phoneNumberIds) throw everyLine();
  return holder;
}

const calls = new ProcessWindow(MAX_CALLS, WINDOW_MS);

const tooManyCalls = (retryAfterSeconds: number) =>
  new AppError(
    "RATE_LIMIT_EXCEEDED",
    `Too many calls of listen from this client IP. Retry in ${retryAfterSeconds} s.`,
    { details: { limit: MAX_CALLS, retryable: true, retryAfterSeconds } },
  );

const membersKey = () =>
  refusedByKeyLimits("permission", "This key is a member's, and the events that listen receives name recipients.");

const everyLine = () =>
  refusedByKeyLimits("line", "This key may use certain lines only, and listen receives the events of every test line.");

const liveKey = () =>
  new AppError(
    "FORBIDDEN",
    "This is a live key, and listen receives the events of test mode. Send a test key (pk_test_…).",
    { details: { retryable: false } },
  );
