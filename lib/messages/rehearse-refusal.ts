import { contactNotFound } from "@/lib/contacts/queries";
import { AppError, internalError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { idempotencyConflict } from "@/lib/core/idempotency-conflict";
import { PLANS } from "@/lib/core/plans";
import type { Line, Principal } from "@/lib/core/principal";
import type { RateLimitScope } from "@/lib/limits/policies";
import { rateLimitExceeded } from "@/lib/limits/rate-limit-exceeded";
import { phoneNumberRequired } from "@/lib/phone-numbers/choose-line";
import { GATEWAY_NUMBERS, type GatewayNumber } from "@/lib/sandbox/gateway-numbers";
import { planLimitReached } from "@/lib/workspaces/plan-limit";
import { monthOf } from "@/lib/workspaces/quota";

type Rehearsal = {
  phone: string;
  idempotencyKey: string | undefined;
  /** The line that would send, and whether the call named it. */
  line: Line;
  isLineNamed: boolean;
  now: Date;
};

/**
 * In test mode some numbers play what the gateway itself refuses, as if it were so; `details.testNumber` says that it
 * is not. Throws that refusal, before anything is bound.
 */
export function rehearseRefusal({ mode }: Principal, rehearsal: Rehearsal): void {
  const number = GATEWAY_NUMBERS.find(({ phone }) => phone === rehearsal.phone)?.phone;
  if (mode !== "test" || number === undefined) return;
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
