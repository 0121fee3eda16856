import { isNotNull, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { webhookEndpoints } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";

/** A session polls every second; without a poll for so long it has expired. */
const LISTENS_FOR_SECONDS = 60;

/** The value of `listensUntil` for a session that has just polled. */
export function listensAgain(): SQL {
  return sql`now() + make_interval(secs => ${LISTENS_FOR_SECONDS})`;
}

/**
 * Notes that a listener is there. Returns its URL, and why it is paused if it is. Throws NOT_FOUND where it has ended; its
 * details say `endedBy` where a member did that.
 */
export async function keepListening(
  workspaceId: WorkspaceId,
  listenerId: string,
): Promise<{ url: string; pausedBy: "member" | "gone" | "failing" | null }> {
  const { url, pausedBy, listensUntil } = webhookEndpoints;
  const [kept] = await onDatabase((db) =>
    db
      .update(webhookEndpoints)
      .set({ listensUntil: listensAgain() })
      .where(sql`${isEndpoint(workspaceId, listenerId)} and ${isNotNull(listensUntil)}`)
      .returning({ url, pausedBy }),
  );
  if (kept) return kept;
  if (await wasDeleted(workspaceId, listenerId)) throw deletedByMember();
  throw noSuchEndpoint();
}

/** Not by silence, which deletes it later than it was listening. */
const wasDeleted = async (workspaceId: WorkspaceId, listenerId: string): Promise<boolean> => {
  const found = await onSql(
    (sql) => sql`
      select from webhook_endpoints
      where workspace_id = ${workspaceId} and id = ${listenerId} and deleted_at < listens_until`,
  );
  return found.length > 0;
};

const deletedByMember = () =>
  new AppError("NOT_FOUND", "This session of listen has ended: it was deleted in the dashboard.", {
    details: { retryable: false, endedBy: "member" },
  });
