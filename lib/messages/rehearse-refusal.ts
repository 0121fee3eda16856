import { contactNotFound } from "@/lib/contacts/queries";
import { AppError, idempotencyConflict, internalError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { PLANS } from "@/lib/core/plans";
import type { Line } from "@/lib/core/principal";
import { type RateLimitScope, rateLimitExceeded } from "@/lib/limits/rate-limit";
import { phoneNumberRequired } from "@/lib/phone-numbers/choose-line";
import { GATEWAY_NUMBERS, type GatewayNumber } from "@/lib/sandbox/gateway-numbers";
import { monthOf, planLimitReached } from "@/lib/workspaces/quota";

type Rehearsal = {
  phone: string;
  idempotencyKey: string | undefined;
  /** The line that would send, and whether the call named it. */
  line: Line;
  isLineNamed: boolean;
  now: Date;
};

/**
 * Simulates the gateway's own refusals for certain test numbers. `details.testNumber` shows that the refusal
 * is simulated. Throws it before anything is claimed.
 */
export function rehearseRefusal(rehearsal: Rehearsal): void {
  const number = GATEWAY_NUMBERS.find(({ phone }) => phone === rehearsal.phone)?.phone;
  if (number === undefined) return;
  const refusal = REFUSALS[number](rehearsal);
  if (!refusal) return;
  const { code, message, status, headers, details } = refusal;
  throw new AppError(code, `${message} Played by test number ${number}.`, {
    status,
    headers,
    details: { ...details, testNumber: number },
  });
}

const REFUSALS: Record<GatewayNumber, (rehearsal: Rehearsal) => AppError | undefined> = {
  "447700900402": ({ now }) =>
    planLimitReached({ limit: PLANS.free, used: PLANS.free, resetsAt: monthOf(now).endsAt.toISOString() }),
  "447700900404": ({ phone }) => contactNotFound(phone),
  "447700900409": ({ idempotencyKey = "example", now }) => idempotencyConflict(idempotencyKey, { createdAt: now }),
  "447700900429": ({ now }) => limitReached("key", now),
  "447700900430": ({ now }) => limitReached("ip", now),
  "447700900431": ({ line, isLineNamed }) => (isLineNamed ? undefined : phoneNumberRequired([line, line])),
  "447700900500": () => internalError(undefined),
};

const REHEARSED_WINDOW_MS = 2_000;

const limitReached = (scope: RateLimitScope, now: Date): AppError => {
  const limit = scope === "ip" ? env().PUBLIC_API_IP_RATE_LIMIT : env().PUBLIC_API_KEY_RATE_LIMIT;
  const resetAtMs = now.getTime() + REHEARSED_WINDOW_MS;
  return rateLimitExceeded({ scope, limit, isAllowed: false, remaining: 0, resetAtMs }, now.getTime());
};
