import type { Sql } from "postgres";
import { inTransaction } from "@/db/client";
import { deleteByKey, onSql, rawSql } from "@/db/raw-sql";
import { AppError } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import { log } from "@/lib/core/log";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "./record-audit";

/** Tables with many rows per workspace, referencing ones first; the rest is deleted with the workspace row. */
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

/** Small enough for a statement to finish within its timeout on a slow disk. */
const BATCH = 500;
/** The rest is left to a later pass: what comes after it in this one concerns other workspaces. */
const MAX_REMOVING_MS = 5_000;

/**
 * Deletes a workspace: no keys work, no members are left, and endpoints receive nothing. Rows are deleted later, in
 * removeDeletedWorkspaces. Does not check permissions: the caller must. Logged, as the audit log goes, too.
 */
export async function deleteWorkspace(workspaceId: WorkspaceId, by: Author): Promise<void> {
  await inTransaction(async (tx) => {
    // Someone who is joining waits for this lock, and then finds the invitation deleted.
    const sql = rawSql(tx);
    const { count } = await sql`update workspaces set ref = null where id = ${workspaceId}`;
    if (count === 0) throw new AppError("NOT_FOUND", "There is no such workspace any more.");
    await sql`delete from members where workspace_id = ${workspaceId}`;
    // What was queued for them is no longer theirs to read.
    await sql`delete from mails where workspace_id = ${workspaceId}`;
    await sql`
        update api_keys set revoked_at = now(), previous_secret_hash = null, previous_secret_ends_at = null
        where workspace_id = ${workspaceId} and revoked_at is null`;
    await sql`
        update webhook_endpoints set deleted_at = now(), secret = '', previous_secret = null
        where workspace_id = ${workspaceId} and deleted_at is null`;
  });
  log("warn", "workspace.deleted", { workspaceId, userId: by.actor.id, requestId: by.requestId });
}

/**
 * Removes the rows of deleted workspaces in batches, so that no request waits for a long transaction. An interrupted
 * run is continued by the next pass. Safe to run concurrently.
 */
export async function removeDeletedWorkspaces(): Promise<void> {
  const deadline = Deadline.in(MAX_REMOVING_MS);
  const deleted = await onSql((sql) => sql<{ id: string }[]>`select id from workspaces w where ${isDeleted(sql)}`, {
    pool: "webhooks",
  });
  for (const { id } of deleted) {
    for (const table of LARGE_TABLES) {
      for (let removed = BATCH; removed === BATCH && !deadline.isOver; ) removed = await removeBatch(id, table);
    }
    if (deadline.isOver) return;
    await onSql((sql) => sql`delete from workspaces w where id = ${id} and ${isDeleted(sql)} and ${isEmpty(sql)}`, {
      pool: "webhooks",
    });
  }
}

// A workspace created here always has an owner, a provisioned one has a ref: without either, it was deleted.
const isDeleted = (sql: Sql) => sql`w.ref is null and not exists (select from members m where m.workspace_id = w.id)`;

/** Some rows may be held, or being removed by another process. */
const isEmpty = (sql: Sql) =>
  LARGE_TABLES.map((table) => sql`not exists (select from ${sql(table)} where workspace_id = w.id)`).reduce(
    (all, one) => sql`${all} and ${one}`,
  );

const removeBatch = async (workspaceId: string, table: (typeof LARGE_TABLES)[number]): Promise<number> => {
  const removed = await onSql(
    (sql) => {
      const key = table === "webhook_attempts" ? ["workspace_id", "delivery_id", "number"] : ["workspace_id", "id"];
      const due = sql`select ${sql(key)} from ${sql(table)} where workspace_id = ${workspaceId} limit ${BATCH}
        for update skip locked`;
      return deleteByKey(sql, { table, key, due });
    },
    { pool: "webhooks" },
  );
  return removed.count;
};
