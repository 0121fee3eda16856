import { onDatabase } from "@/db/client";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** The 402 with what the workspace has used of which limit, and when the next month (UTC) begins. */
export const planLimitExceeded = async ({
  workspaceId,
  monthlyLimit,
}: {
  workspaceId: WorkspaceId;
  monthlyLimit: number | null;
}): Promise<AppError> => {
  const [row] = await onDatabase(
    ({ $client: sql }) => sql<{ used: number; resets_at: string }[]>`
      select coalesce((
          select used from usage
          where workspace_id = ${workspaceId} and month = date_trunc('month', now() at time zone 'utc')::date
        ), 0) as used,
        date_trunc('month', now() at time zone 'utc') + interval '1 month' as resets_at`,
  );
  const limit = monthlyLimit ?? 0;
  const used = row?.used ?? limit;
  const resetsAt = new Date(`${row?.resets_at.replace(" ", "T")}Z`).toISOString();
  return planLimitReached({ limit, used, resetsAt });
};

const whoRaisesIt = () =>
  env().ALLOW_OWNER_PLANS ? "Ask a workspace owner to raise the plan." : "Ask the operator of this server to raise it.";

export const planLimitReached = (details: { limit: number; used: number; resetsAt: string }): AppError =>
  new AppError(
    "PLAN_LIMIT_EXCEEDED",
    `Monthly message limit reached: ${details.used} of ${details.limit}, resets ${details.resetsAt}. Nothing was sent. ${whoRaisesIt()}`,
    { details: { ...details, retryable: false } },
  );
