import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import { AppError } from "@/lib/core/app-error";
import { log } from "@/lib/core/log";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";

/** What a workspace may hold much of, what points at others first; the rest goes with the workspace itself. */
const LARGE_TABLES = [
  "webhook_attempts",
  "webhook_deliveries",
  "status_events",
  "flow_sessions",
  "messages",
  "api_requests",
  "contacts",
  "audit_log",
] as const;

const BATCH = 1_000;

/**
 * Deletes a workspace: from here on none of its keys works, it has no members, and its endpoints receive nothing. Its rows go later, in
 * removeDeletedWorkspaces. Does not check permissions: the caller must. Its audit log goes, too, so the log says it.
 */
export async function deleteWorkspace(workspaceId: WorkspaceId, by: Author): Promise<void> {
  await onDatabase((db) =>
    db.transaction(async (tx) => {
      // A person who is about to join waits here, and then finds the invitation gone.
      const sql = rawSql(tx);
      const { count } = await sql`update workspaces set ref = null where id = ${workspaceId}`;
      if (count === 0) throw new AppError("NOT_FOUND", "There is no such workspace any more.");
      await sql`delete from members where workspace_id = ${workspaceId}`;
      await sql`
        update api_keys set revoked_at = now(), previous_secret_hash = null, previous_secret_ends_at = null
        where workspace_id = ${workspaceId} and revoked_at is null`;
      await sql`
        update webhook_endpoints set deleted_at = now(), secret = '', previous_secret = null
        where workspace_id = ${workspaceId} and deleted_at is null`;
    }),
  );
  log("warn", "workspace.deleted", { workspaceId, userId: by.actor.id, requestId: by.requestId });
}

/**
 * Removes the rows of deleted workspaces, in batches of their own, so that no request waits for a long transaction. One that
 * is broken off is continued by the next pass. Harmless to run twice at once.
 */
export async function removeDeletedWorkspaces(): Promise<void> {
  for (const workspaceId of await deletedWorkspaceIds()) {
    for (const table of LARGE_TABLES) {
      for (let removed = BATCH; removed === BATCH; ) removed = await removeBatch(workspaceId, table);
    }
    await onSql((sql) => removeLast(sql, workspaceId), { pool: "webhooks" });
  }
}

// One that was made here has an owner always, and one that was provisioned has a ref: deleted is what has neither.
const isDeleted = (sql: Sql) => sql`w.ref is null and not exists (select from members m where m.workspace_id = w.id)`;

const deletedWorkspaceIds = async (): Promise<string[]> => {
  const found = await onSql((sql) => listDeleted(sql), { pool: "webhooks" });
  return found.map(({ id }) => id);
};

const listDeleted = (sql: Sql) => sql<{ id: string }[]>`select id from workspaces w where ${isDeleted(sql)}`;

const removeLast = (sql: Sql, workspaceId: string) =>
  sql`delete from workspaces w where id = ${workspaceId} and ${isDeleted(sql)}`;

const removeBatch = async (workspaceId: string, table: (typeof LARGE_TABLES)[number]): Promise<number> => {
  const removed = await onSql(
    (sql) => sql`
        delete from ${sql(table)} where ctid = any(array(
          select ctid from ${sql(table)} where workspace_id = ${workspaceId} limit ${BATCH}))`,
    { pool: "webhooks" },
  );
  return removed.count;
};
