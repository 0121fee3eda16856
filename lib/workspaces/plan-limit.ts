import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";

const whoRaisesIt = () =>
  env().ALLOW_OWNER_PLANS ? "Ask a workspace owner to raise the plan." : "Ask the operator of this server to raise it.";

/** The 402 with what the workspace has used of which limit, and when the next month (UTC) begins. */
export function planLimitReached(details: { limit: number; used: number; resetsAt: string }): AppError {
  return new AppError(
    "PLAN_LIMIT_EXCEEDED",
    `Monthly message limit reached: ${details.used} of ${details.limit}, resets ${details.resetsAt}. Nothing was sent. ${whoRaisesIt()}`,
    { details: { ...details, retryable: false } },
  );
}
