import type { ErrorDetails } from "./resources.js";

/** What arrived with a result or a refusal. `requestId` identifies the call in the dashboard. */
export type ResponseInfo = { status: number; headers: Headers; requestId: string | undefined };

type ErrorOptions = { idempotencyKey?: string | undefined; response?: ResponseInfo | undefined; cause?: unknown };

/** What this client throws. `idempotencyKey` is that of a failed send: repeat the send with it, and it is never sent twice. */
export class SwitchboardError extends Error {
  override readonly name: string = "SwitchboardError";
  readonly idempotencyKey: string | undefined;
  /** The last response, if there was one. */
  readonly response: ResponseInfo | undefined;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.idempotencyKey = options.idempotencyKey;
    this.response = options.response;
  }
}

/**
 * A refusal by the API. Each code has a class of its own, such as `ValidationError`; a code that this version does not
 * know is an `ApiError`. `status` is the HTTP status, and `details.docsUrl` a page that says what to do.
 */
export class ApiError extends SwitchboardError {
  override readonly name: string = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(refusal: ErrorOptions & { code: string; status: number; message: string; details: ErrorDetails }) {
    super(refusal.message, refusal);
    this.code = refusal.code;
    this.status = refusal.status;
    this.details = refusal.details;
  }
}

/**
 * No response of the API arrived, even after the retries: it was unreachable or too slow, or something else replied. A
 * send may or may not have reached it (`outcome` is `unknown`), so repeat it with `idempotencyKey`; where no attempt found a
 * connection it is `not_sent`. `status` is the HTTP status, if there was one.
 */
export class NoResponseError extends SwitchboardError {
  override readonly name: string = "NoResponseError";
  readonly status: number | undefined;
  readonly outcome: "not_sent" | "unknown";

  constructor(message: string, options: ErrorOptions & { outcome?: "not_sent" | "unknown" | undefined } = {}) {
    super(message, options);
    this.status = options.response?.status;
    this.outcome = options.outcome ?? "unknown";
  }
}

/** The caller's signal ended the call; `cause` is its reason. A send may have reached the API: repeat it with `idempotencyKey`. */
export class AbortError extends SwitchboardError {
  override readonly name: string = "AbortError";
}

export type WebhookFault = "header" | "timestamp" | "signature" | "body" | "secret";

/**
 * A webhook that must not be trusted, and which part of it is at fault. Respond to it with 401; the fault `secret` is your own
 * configuration's.
 */
export class WebhookVerificationError extends SwitchboardError {
  override readonly name: string = "WebhookVerificationError";
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
