import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { usage } from "@/db/schema";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import { monthOf } from "./quota";

/** How many messages of the month (UTC) count against the plan. */
export const getUsed = async (workspaceId: WorkspaceId, now: Date): Promise<number> => {
  const month = monthOf(now).startsAt.toISOString().slice(0, "2026-01-01".length);
  const [row] = await onDatabase((db) =>
    db
      .select({ used: usage.used })
      .from(usage)
      .where(and(eq(usage.workspaceId, workspaceId), eq(usage.month, month))),
  );
  return row?.used ?? 0;
};
