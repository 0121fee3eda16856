// Generated from the OpenAPI document by `npm run clients:release`. Change the API's schemas, not this file.

import { ApiError } from "./errors.js";
import type { ErrorCode } from "./resources.js";

/** The request breaks a rule. HTTP 400. */
export class ValidationError extends ApiError {
  override readonly name: string = "ValidationError";
  declare readonly code: "VALIDATION_ERROR";
}

/** Several lines could send this. HTTP 400. */
export class PhoneNumberRequiredError extends ApiError {
  override readonly name: string = "PhoneNumberRequiredError";
  declare readonly code: "PHONE_NUMBER_REQUIRED";
}

/** That line is not in this workspace. HTTP 400. */
export class PhoneNumberNotFoundError extends ApiError {
  override readonly name: string = "PhoneNumberNotFoundError";
  declare readonly code: "PHONE_NUMBER_NOT_FOUND";
}

/** That line is paused. HTTP 400. */
export class PhoneNumberInactiveError extends ApiError {
  override readonly name: string = "PhoneNumberInactiveError";
  declare readonly code: "PHONE_NUMBER_INACTIVE";
}

/** No active line is connected. HTTP 400. */
export class NoPhoneNumberError extends ApiError {
  override readonly name: string = "NoPhoneNumberError";
  declare readonly code: "NO_PHONE_NUMBER";
}

/** The template is not approved. HTTP 400. */
export class TemplateNotApprovedError extends ApiError {
  override readonly name: string = "TemplateNotApprovedError";
  declare readonly code: "TEMPLATE_NOT_APPROVED";
}

/** WhatsApp did not accept the message. HTTP 400 or 502. */
export class ChatGraphError extends ApiError {
  override readonly name: string = "ChatGraphError";
  declare readonly code: "CHAT_GRAPH_ERROR";
}

/** The credentials were not accepted. HTTP 401. */
export class UnauthorizedError extends ApiError {
  override readonly name: string = "UnauthorizedError";
  declare readonly code: "UNAUTHORIZED";
}

/** The plan’s messages are used up. HTTP 402. */
export class PlanLimitExceededError extends ApiError {
  override readonly name: string = "PlanLimitExceededError";
  declare readonly code: "PLAN_LIMIT_EXCEEDED";
}

/** This key or member may not do this. HTTP 403. */
export class ForbiddenError extends ApiError {
  override readonly name: string = "ForbiddenError";
  declare readonly code: "FORBIDDEN";
}

/** Nothing has that name or id. HTTP 404. */
export class NotFoundError extends ApiError {
  override readonly name: string = "NotFoundError";
  declare readonly code: "NOT_FOUND";
}

/** Method not allowed. HTTP 405. */
export class MethodNotAllowedError extends ApiError {
  override readonly name: string = "MethodNotAllowedError";
  declare readonly code: "METHOD_NOT_ALLOWED";
}

/** The request’s body did not arrive. HTTP 408. */
export class RequestTimeoutError extends ApiError {
  override readonly name: string = "RequestTimeoutError";
  declare readonly code: "REQUEST_TIMEOUT";
}

/** The idempotency key belongs to another message. HTTP 409. */
export class IdempotencyConflictError extends ApiError {
  override readonly name: string = "IdempotencyConflictError";
  declare readonly code: "IDEMPOTENCY_CONFLICT";
}

/** The body is too large. HTTP 413. */
export class PayloadTooLargeError extends ApiError {
  override readonly name: string = "PayloadTooLargeError";
  declare readonly code: "PAYLOAD_TOO_LARGE";
}

/** Too many requests. HTTP 429. */
export class RateLimitExceededError extends ApiError {
  override readonly name: string = "RateLimitExceededError";
  declare readonly code: "RATE_LIMIT_EXCEEDED";
}

/** Something failed on our side. HTTP 500. */
export class InternalError extends ApiError {
  override readonly name: string = "InternalError";
  declare readonly code: "INTERNAL_ERROR";
}

/** The service cannot answer right now. HTTP 503. */
export class ServiceUnavailableError extends ApiError {
  override readonly name: string = "ServiceUnavailableError";
  declare readonly code: "SERVICE_UNAVAILABLE";
}

/** The class of each code; a code that is not listed is an `ApiError`. */
export const ERROR_CLASSES = {
  VALIDATION_ERROR: ValidationError,
  PHONE_NUMBER_REQUIRED: PhoneNumberRequiredError,
  PHONE_NUMBER_NOT_FOUND: PhoneNumberNotFoundError,
  PHONE_NUMBER_INACTIVE: PhoneNumberInactiveError,
  NO_PHONE_NUMBER: NoPhoneNumberError,
  TEMPLATE_NOT_APPROVED: TemplateNotApprovedError,
  CHAT_GRAPH_ERROR: ChatGraphError,
  UNAUTHORIZED: UnauthorizedError,
  PLAN_LIMIT_EXCEEDED: PlanLimitExceededError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  REQUEST_TIMEOUT: RequestTimeoutError,
  IDEMPOTENCY_CONFLICT: IdempotencyConflictError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  RATE_LIMIT_EXCEEDED: RateLimitExceededError,
  INTERNAL_ERROR: InternalError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
} as const satisfies Record<ErrorCode, typeof ApiError>;
