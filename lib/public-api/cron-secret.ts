import { AppError } from "@/lib/core/app-error";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";

/** Throws UNAUTHORIZED unless the bearer token is CRON_SECRET; without that variable all calls are refused. */
export function requireCronSecret(headers: Headers): void {
  const expected = env().CRON_SECRET;
  const given = headers.get("authorization") ?? "";
  if (expected && isSameSecret(given, `Bearer ${expected}`)) return;
  throw new AppError("UNAUTHORIZED", "Send Authorization: Bearer with the deployment's CRON_SECRET.", {
    details: { retryable: false },
  });
}
