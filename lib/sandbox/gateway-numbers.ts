import type { ErrorCode } from "@/lib/core/app-error";

/** Test recipients whose sends the gateway itself refuses, so that callers can test their error handling. */
export const GATEWAY_NUMBERS = [
  {
    phone: "447700900402",
    result: "Refused by us: plan limit (402)",
    code: "PLAN_LIMIT_EXCEEDED",
    says: "The month’s messages are used up.",
  },
  {
    phone: "447700900404",
    result: "Refused by us: no such contact (404)",
    code: "NOT_FOUND",
    says: "The contact does not exist.",
  },
  {
    phone: "447700900409",
    result: "Refused by us: idempotency conflict (409)",
    code: "IDEMPOTENCY_CONFLICT",
    says: "The idempotency key was used with another body.",
  },
  {
    phone: "447700900429",
    result: "Refused by us: the key’s limit (429)",
    code: "RATE_LIMIT_EXCEEDED",
    says: "The key’s limit is reached, for 2 s.",
  },
  {
    phone: "447700900430",
    result: "Refused by us: the client IP’s limit (429)",
    code: "RATE_LIMIT_EXCEEDED",
    says: "The client IP’s limit is reached, for 2 s.",
  },
  {
    phone: "447700900431",
    result: "Refused by us: line required (400)",
    code: "PHONE_NUMBER_REQUIRED",
    says: "Several lines are active. With a `phoneNumberId` it is sent, delivered and read.",
  },
  {
    phone: "447700900500",
    result: "Refused by us: internal error (500)",
    code: "INTERNAL_ERROR",
    says: "Something failed on our side.",
  },
] as const satisfies readonly { phone: string; result: string; code: ErrorCode; says: string }[];

export type GatewayNumber = (typeof GATEWAY_NUMBERS)[number]["phone"];
