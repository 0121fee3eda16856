import type { Sql } from "postgres";
import { inTransaction } from "@/db/client";
import { claimJobs, postponeJobs, type Queue } from "@/db/jobs";
import { deleteByKey, onSql, rawSql } from "@/db/raw-sql";
import { AppError } from "@/lib/core/app-error";
import { Deadline } from "@/lib/core/deadline";
import { log } from "@/lib/core/log";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "./record-audit";

type Large = readonly [table: string, ...columns: string[]];

/** Tables with many rows per workspace, and their keys; referencing ones first. */
const ROWS: readonly Large[] = [
  ["webhook_attempts", "delivery_id", "number"],
  ["webhook_deliveries", "id"],
  ["status_events", "id"],
  ["flow_sessions", "id"],
  ["messages", "id"],
  ["api_requests", "id"],
  ["contacts", "id"],
  ["audit_log", "id"],
];
/** Counts. Those of a quarter or a day are few, and are removed together. */
const COUNTS: readonly Large[] = [
  ["messages_by_quarter", "mode", "starts_at"],
  ["messages_by_day", "mode", "starts_at"],
  ["priced_by_quarter", "mode", "starts_at"],
  ["priced_by_day", "mode", "starts_at"],
  ["message_hours", "mode", "hour"],
  ["message_days", "mode", "day"],
  ["priced_hours", "mode", "hour"],
  ["priced_days", "mode", "day"],
  ["request_hours", "mode", "hour"],
  ["duration_hours", "mode", "hour"],
  ["webhook_hours", "phone_number_id", "hour"],
];
/** The rest is deleted with the workspace row. */
const LARGE_TABLES = [...ROWS, ...COUNTS];

/** Small enough for a statement to finish within its timeout on a slow disk. */
const BATCH = 500;
/** The rest is left to a later pass: what comes after it in this one concerns other workspaces. */
const MAX_REMOVING_MS = 5_000;
const MAX_TURN_MS = 1_000;

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
    await sql`delete from jobs where workspace_id = ${workspaceId}`;
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

const QUEUE: Queue = {
  kind: "deletion",
  pool: "webhooks",
  leaseSeconds: 60,
  isReady: (sql) => sql`exists (select from workspaces w where w.id = job.workspace_id and ${isDeleted(sql)})`,
};

/**
 * Removes the rows of deleted workspaces in batches, so that no request waits for a long transaction, and of each in turn: a
 * large one delays no other. What is left, or was interrupted, the next pass removes. Safe to run concurrently.
 */
export async function removeDeletedWorkspaces(): Promise<void> {
  await onSql(
    (sql) => sql`
      insert into jobs (kind, id, cause, workspace_id) select 'deletion', w.id, w.id, w.id from workspaces w
      where ${isDeleted(sql)} on conflict do nothing`,
    { pool: QUEUE.pool },
  );
  const deadline = Deadline.in(MAX_REMOVING_MS);
  const held = new Set<string>();
  for (let isOver = false; !isOver; ) {
    const [job] = await claimJobs(QUEUE);
    if (!job) return;
    isOver = held.has(job.id);
    const turn = deadline.within(MAX_TURN_MS);
    await removeWorkspace(job.id, turn);
    // What is removed has taken its job with it; else its turn is over, or others hold some rows.
    if (!turn.isOver) held.add(job.id);
    await postponeJobs(QUEUE, [job], { waitSeconds: 0 });
    isOver ||= deadline.isOver;
  }
}

async function removeWorkspace(id: string, deadline: Deadline): Promise<void> {
  for (const large of LARGE_TABLES) {
    for (let removed = BATCH; removed >= BATCH && !deadline.isOver; ) removed = await removeBatch(id, large);
  }
  if (deadline.isOver) return;
  await onSql((sql) => sql`delete from workspaces w where id = ${id} and ${isDeleted(sql)} and ${isEmpty(sql)}`, {
    pool: QUEUE.pool,
  });
}

// A workspace created here always has an owner, a provisioned one has a ref: without either, it was deleted.
const isDeleted = (sql: Sql) => sql`w.ref is null and not exists (select from members m where m.workspace_id = w.id)`;

/** Some rows may be held, or being removed by another process. */
const isEmpty = (sql: Sql) =>
  LARGE_TABLES.map(([table]) => sql`not exists (select from ${sql(table)} where workspace_id = w.id)`).reduce(
    (all, one) => sql`${all} and ${one}`,
  );

async function removeBatch(workspaceId: string, large: Large): Promise<number> {
  const [table, ...columns] = large;
  const removed = await onSql(
    (sql) => {
      const key = ["workspace_id", ...columns];
      // Messages hold their contacts, and another process may hold some of them.
      const isFree =
        table === "contacts" ? sql`not exists (select from messages where workspace_id = ${workspaceId})` : sql`true`;
      // A lock passes over what this statement has deleted already, such as the others of an hour, and does not count it.
      const lock = COUNTS.includes(large) ? sql`` : sql`for update skip locked`;
      const due = sql`select ${sql(key)} from ${sql(table)} where workspace_id = ${workspaceId} and ${isFree}
        order by ${sql(key)} limit ${BATCH} ${lock}`;
      return deleteByKey(sql, { table, key, due });
    },
    { pool: "webhooks" },
  );
  return removed.count;
}
