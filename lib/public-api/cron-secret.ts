import { createHash, timingSafeEqual } from "node:crypto";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";

/** Throws UNAUTHORIZED unless `Authorization: Bearer` holds CRON_SECRET; without that variable nobody may call. */
export const requireCronSecret = (headers: Headers): void => {
  const expected = env().CRON_SECRET;
  const given = headers.get("authorization") ?? "";
  if (expected && timingSafeEqual(digest(given), digest(`Bearer ${expected}`))) return;
  throw new AppError("UNAUTHORIZED", "Send Authorization: Bearer with the deployment's CRON_SECRET.", {
    details: { retryable: false },
  });
};

const digest = (text: string) => createHash("sha256").update(text).digest();
