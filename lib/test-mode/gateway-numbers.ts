import type { ErrorCode } from "@/lib/errors/app-error";

/** Recipients of test mode whose send the gateway itself refuses, so that a caller's own handling can be tried. */
export const GATEWAY_NUMBERS = [
  { phone: "447700900402", code: "PLAN_LIMIT_EXCEEDED", says: "The month’s messages are used up." },
  { phone: "447700900404", code: "NOT_FOUND", says: "The recipient is no contact." },
  { phone: "447700900409", code: "IDEMPOTENCY_CONFLICT", says: "The idempotency key was used with another body." },
  { phone: "447700900429", code: "RATE_LIMIT_EXCEEDED", says: "The key’s limit is reached, for 2 s." },
  { phone: "447700900430", code: "RATE_LIMIT_EXCEEDED", says: "The client IP’s limit is reached, for 2 s." },
  {
    phone: "447700900431",
    code: "PHONE_NUMBER_REQUIRED",
    says: "Several lines are active. With a `phoneNumberId` it is sent, delivered and read.",
  },
  { phone: "447700900500", code: "INTERNAL_ERROR", says: "Something failed on our side." },
] as const satisfies readonly { phone: string; code: ErrorCode; says: string }[];

export type GatewayNumber = (typeof GATEWAY_NUMBERS)[number]["phone"];
