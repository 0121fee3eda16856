import { isNotNull, type SQL, sql } from "drizzle-orm";
import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { webhookEndpoints } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";

/** A session polls every second, and expires after this long without a poll. */
const LISTENS_FOR_SECONDS = 60;

/** The value of `listensUntil` for a session that has just polled. */
export function listensAgain(): SQL {
  return sql`now() + make_interval(secs => ${LISTENS_FOR_SECONDS})`;
}

/**
 * Extends a listener's session. Returns its URL, and why it is paused if it is. Throws NOT_FOUND if it has ended; the
 * details have `endedBy` if a member ended it.
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
  if (await wasDeletedByMember(workspaceId, listenerId)) throw deletedByMember();
  throw noSuchEndpoint();
}

/** Returns whether a member deleted it. An expired session is deleted after `listens_until`. */
const wasDeletedByMember = async (workspaceId: WorkspaceId, listenerId: string): Promise<boolean> => {
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

const MOST = 500;

/** Ends sessions of `listen` that have not polled for a minute, and what was waiting for them. */
export function endSilentListeners(sql: Sql) {
  return sql`
    with due as materialized (
      select workspace_id, id from webhook_endpoints where listens_until < now() and deleted_at is null
      limit ${MOST} for update skip locked)
    update webhook_endpoints e set deleted_at = now(), secret = '', previous_secret = null from due
    where e.workspace_id = due.workspace_id and e.id = due.id`;
}
