import type { ErrorCode } from "@/lib/core/app-error";

/** Who has to act before a call can succeed; `waiting` is enough if no one has to. */
export type Actor = "caller" | "owner" | "waiting" | "unknown";

/** By WhatsApp's own code where WhatsApp refused. */
export const WHO_ACTS: Record<Exclude<ErrorCode, "CHAT_GRAPH_ERROR">, Actor> = {
  VALIDATION_ERROR: "caller",
  PHONE_NUMBER_REQUIRED: "caller",
  PHONE_NUMBER_NOT_FOUND: "caller",
  NOT_FOUND: "caller",
  UNAUTHORIZED: "caller",
  IDEMPOTENCY_CONFLICT: "caller",
  METHOD_NOT_ALLOWED: "caller",
  PAYLOAD_TOO_LARGE: "caller",
  PHONE_NUMBER_INACTIVE: "owner",
  NO_PHONE_NUMBER: "owner",
  TEMPLATE_NOT_APPROVED: "owner",
  PLAN_LIMIT_EXCEEDED: "owner",
  FORBIDDEN: "owner",
  RATE_LIMIT_EXCEEDED: "waiting",
  REQUEST_TIMEOUT: "waiting",
  SERVICE_UNAVAILABLE: "waiting",
  INTERNAL_ERROR: "waiting",
};
