import { DatabaseUnavailable } from "@/db/client";
import { AppError, internalError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";

const RETRY_AFTER_SECONDS = 5;

/** A failure as a caller sees it: an AppError as it is, any failure of our database a 503, anything else a 500. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new AppError(
      "SERVICE_UNAVAILABLE",
      "Our database is unavailable. Retry in a few seconds; with an Idempotency-Key that is always safe.",
      {
        details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
        cause: error,
      },
    );
  }
  return internalError(error);
}

/** The one shape of every answer under /api from 400 on: `error`, `message`, `details` with `requestId`, `docsUrl`. */
export function errorBody({ code, message, details }: AppError, requestId: string) {
  return {
    error: code,
    message,
    details: { requestId, docsUrl: `${env().APP_URL}/docs/errors/${code}`, ...details },
  };
}

export function errorResponse(error: unknown, requestId: string): Response {
  const failure = toAppError(error);
  const { status, details, headers } = failure;
  const retryAfter = details.retryAfterSeconds;
  const body = errorBody(failure, requestId);
  return Response.json(body, {
    status,
    headers: {
      Link: `<${body.details.docsUrl}>; rel="help"`,
      ...((status === 429 || status === 503) && retryAfter ? { "Retry-After": String(retryAfter) } : {}),
      ...headers,
    },
  });
}
