import { shorten } from "./text";

/** Every error code of the API, and its HTTP status. `CHAT_GRAPH_ERROR` is 502 where no caller can fix it. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  PHONE_NUMBER_REQUIRED: 400,
  PHONE_NUMBER_NOT_FOUND: 400,
  PHONE_NUMBER_INACTIVE: 400,
  NO_PHONE_NUMBER: 400,
  TEMPLATE_NOT_APPROVED: 400,
  CHAT_GRAPH_ERROR: 400,
  UNAUTHORIZED: 401,
  PLAN_LIMIT_EXCEEDED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One fault in a request: `path` as the caller would write it (`carousel.cards[0].header`), `message` with the fix. */
export type Issue = { path: string; message: string };

/** WhatsApp's error, with our field names. */
export type PlatformError = {
  code: number | null;
  subcode: number | null;
  title: string | null;
  details: string | null;
  fbtraceId: string | null;
};

export type ErrorDetails = {
  field?: string;
  issues?: Issue[];
  retryable?: boolean;
  retryAfterSeconds?: number;
  outcome?: "not_sent" | "unknown";
  messageId?: string;
  platform?: PlatformError;
  [more: string]: unknown;
};

type AppErrorOptions = { details?: ErrorDetails; status?: number; headers?: Record<string, string>; cause?: unknown };

/**
 * An expected failure: `message` is public and says what, why and the fix. Anything else thrown is a 500. Only a fault of ours
 * has a stack: a refusal is a response, and its stack would take a tenth of a 429's time.
 */
export class AppError implements Error {
  readonly name = "AppError";
  readonly status: number;
  readonly details: ErrorDetails;
  readonly headers: Record<string, string>;
  readonly cause: unknown;
  declare readonly stack?: string;

  constructor(
    readonly code: ErrorCode,
    readonly message: string,
    { details = {}, status, headers = {}, cause }: AppErrorOptions = {},
  ) {
    this.status = status ?? ERROR_STATUS[code];
    this.details = details;
    this.headers = headers;
    this.cause = cause;
    if (ERROR_STATUS[code] >= 500) Error.captureStackTrace(this, AppError);
  }
}
// It is an `Error` where it is caught; the constructor of one would always take a stack.
Object.setPrototypeOf(AppError.prototype, Error.prototype);

/** Enough for any honest mistake; limits the size of the response to a body full of faults. */
export const MAX_ISSUES = 100;

/** Returns a VALIDATION_ERROR with all faults (the first 100); `field` names the first. */
export function invalid(given: Issue[]): AppError {
  const issues = given.map(asSentence);
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more: see details.issues)` : "";
  const place = first?.path && !namesItsField(first) ? `\`${first.path}\`: ` : "";
  return new AppError("VALIDATION_ERROR", first ? `${place}${first.message}${more}` : "The request is not valid.", {
    details: {
      ...(first?.path ? { field: first.path } : {}),
      issues: issues.slice(0, MAX_ISSUES),
      retryable: false,
    },
  });
}

/** Returns a VALIDATION_ERROR with one fault. */
export function invalidAt(path: string, message: string): AppError {
  return invalid([{ path, message }]);
}

/** "is required." is said of the issue's field: "`phone` is required." Any other message is a sentence already. */
const asSentence = ({ path, message }: Issue): Issue => ({
  path,
  message: path && /^[a-z]/.test(message) ? `\`${path}\` ${message}` : message,
});

const namesItsField = ({ path, message }: Issue): boolean => message.startsWith(`\`${path}\` `);

/** A 403 that no retry changes. */
export function forbidden(message: string): AppError {
  return new AppError("FORBIDDEN", message, { details: { retryable: false } });
}

/** The 405 with `Allow`. */
export function methodNotAllowed(method: string, allowed: readonly string[]): AppError {
  const Allow = allowed.join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `${method} is not allowed here. Use ${Allow}.`, {
    details: { allowed, retryable: false },
    headers: { Allow },
  });
}

/** Which limit of a key refuses a call, as `details.reason`. */
export type KeyLimitReason = "permission" | "line" | "template" | "ip";

/** The 403 for what a key's own limits leave out. */
export function refusedByKeyLimits(reason: KeyLimitReason, fault: string, details: ErrorDetails = {}): AppError {
  return new AppError("FORBIDDEN", `${fault} ${WHO_LIMITS_KEYS}`, {
    details: { reason, ...details, retryable: false },
  });
}

export const WHO_LIMITS_KEYS =
  "An owner or admin of the workspace can change the limits of this key under Settings → API keys.";

/** Returns the faults of a VALIDATION_ERROR, to report several together; rethrows other errors. */
export function issuesOf(error: unknown): Issue[] {
  if (error instanceof AppError && error.details.issues) return error.details.issues;
  throw error;
}

/** A 500. The cause is logged and never returned. */
export function internalError(cause: unknown): AppError {
  return new AppError(
    "INTERNAL_ERROR",
    "Something failed on our side. The error is logged under this request id. Retry; for a send, use the same Idempotency-Key so that it is not sent twice.",
    { details: { retryable: true }, cause },
  );
}

/** A definite refusal by WhatsApp: nothing was sent. 400 if the caller can fix it, else 502. */
export function refusedByPlatform(
  blame: "caller" | "platform",
  message: string,
  details: ErrorDetails & { retryable: boolean },
): AppError {
  return new AppError("CHAT_GRAPH_ERROR", message, {
    status: blame === "caller" ? 400 : 502,
    details: { outcome: "not_sent", ...details },
    headers: details.retryAfterSeconds ? { "Retry-After": String(details.retryAfterSeconds) } : {},
  });
}

/**
 * Bytes may have been sent, and the outcome is unknown: the message may or may not arrive, and is never sent
 * again. `reason` says why, or is WhatsApp's error (`131000: Something went wrong`) if `platform` is set.
 */
export function outcomeUnknown(reason: string, messageId: string, platform: PlatformError | null): AppError {
  return unknownOutcome(
    platform
      ? `WhatsApp returned error ${reason.replace(/[\s.!?…]+$/, "")}, which does not say whether the message was sent. Poll`
      : `WhatsApp returned no usable response (${reason}). ${MAYBE_SENT}`,
    messageId,
    platform,
  );
}

/** WhatsApp responded, but we could not store it: a webhook may still report the status. Never sent again. */
export function outcomeNotRecorded(messageId: string): AppError {
  return unknownOutcome(`WhatsApp responded, but we could not store the response. ${MAYBE_SENT}`, messageId, null);
}

const MAYBE_SENT = "The message may have been sent: poll";

const unknownOutcome = (what: string, messageId: string, platform: PlatformError | null): AppError =>
  new AppError(
    "CHAT_GRAPH_ERROR",
    `${what} GET /api/v1/public/messages/${messageId}; a retry with the same Idempotency-Key never sends it twice.`,
    { status: 502, details: { outcome: "unknown", messageId, retryable: false, ...(platform ? { platform } : {}) } },
  );

/** The 409 for an idempotency key that was used with another body; `messageId` is that message. */
export function idempotencyConflict(
  idempotencyKey: string,
  { createdAt, messageId }: { createdAt: Date; messageId?: string },
): AppError {
  return new AppError(
    "IDEMPOTENCY_CONFLICT",
    `Idempotency key "${shorten(idempotencyKey, 80)}" was used at ${createdAt.toISOString()} with a different body. Use a new key for a new message; nothing was sent now.`,
    {
      details: {
        field: "idempotencyKey",
        reason: "body_mismatch",
        ...(messageId === undefined ? {} : { messageId }),
        retryable: false,
      },
    },
  );
}
