import { AppError } from "./app-error";

/** The 409 of a key that is bound to another body; `messageId` is what it is bound to. */
export function idempotencyConflict(
  idempotencyKey: string,
  { createdAt, messageId }: { createdAt: Date; messageId?: string },
): AppError {
  return new AppError(
    "IDEMPOTENCY_CONFLICT",
    `Idempotency key "${idempotencyKey.slice(0, 80)}" was used at ${createdAt.toISOString()} with a different body. Use a new key for a new message; nothing was sent now.`,
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
