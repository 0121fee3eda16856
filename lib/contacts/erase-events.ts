import { inTransaction } from "@/db/client";
import { inBatches, onSql, rawSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import { listOf } from "./personal-data";

/** Fewer than a statement can change within its timeout on a busy machine. */
const BATCH = 500;

/**
 * Deletes what the contacts wrote and their changes of number, delivered or not. Newest first, so that an interrupted run leaves
 * no event that waits for a deleted one; each is made its own subject before, so that its end promotes no other.
 */
export async function eraseContactEvents(workspaceId: WorkspaceId, contactIds: readonly string[]): Promise<void> {
  const step = () =>
    inTransaction(async (tx) => {
      const sql = rawSql(tx);
      const [taken] = await sql<{ ids: string }[]>`
        with locked as materialized (
          -- The earliest first, as their attempts are stored.
          select id from webhook_deliveries
          where workspace_id = ${workspaceId} and id = any (array(
            select id from webhook_deliveries
            where workspace_id = ${workspaceId} and subject_id in ${listOf(sql, contactIds)}
            order by position desc limit ${BATCH}))
          order by position for update
        ), alone as (
          update webhook_deliveries set subject_id = id
          where workspace_id = ${workspaceId} and id = any (array(select id from locked)) returning id
        )
        select coalesce(json_agg(id), '[]')::text as ids from alone`;
      return sql`
        delete from webhook_deliveries where workspace_id = ${workspaceId}
          and id = any (array(select json_array_elements_text(${taken?.ids ?? "[]"}::text::json)))`;
    });
  await inBatches({ size: BATCH, most: Number.POSITIVE_INFINITY }, step);
}

const HOLD_CONTENTS = ["message.received", "contact.changed"];
/** The fields of a snapshot that hold contents. */
export const CONTENTS = [
  ...["text", "payload", "media", "location", "context", "referral", "whatsappMessageId", "repliesTo"],
  ...["name", "username", "phone", "previousPhone", "userId", "previousUserId"],
];

/**
 * Removes what people wrote, their names and numbers from the events past their workspace's retention period, and from
 * `since` on. The rows stay, so that a repeated webhook makes no second event (lib/outgoing/purge-deliveries.ts). Returns
 * false if some are being delivered at the moment: then run it again.
 */
export async function emptyContactEvents(
  workspaceId: string,
  { since, defaultDays }: { since: string; defaultDays: number },
): Promise<boolean> {
  const contents = JSON.stringify(CONTENTS);
  for (;;) {
    const [step] = await onSql(
      (sql) => sql<{ found: number; emptied: number }[]>`
        with workspace as materialized (
          -- Locked, so that an owner who extends the period waits, or is respected.
          select id, now() - make_interval(days => coalesce(retention_days, ${defaultDays}::int)) as until
          from workspaces where id = ${workspaceId} for no key update
        ), aged as materialized (
          select d.id from workspace join webhook_endpoints e on e.workspace_id = workspace.id
          cross join lateral (
            select d.id from webhook_deliveries d
            where d.workspace_id = e.workspace_id and d.endpoint_id = e.id
              and d.created_at >= ${since}::text::timestamptz - interval '1 hour'
              and d.created_at < workspace.until and d.type in ${sql(HOLD_CONTENTS)}
              and d.snapshot ?| array(select json_array_elements_text(${contents}::text::json))
            limit ${BATCH}) d
          limit ${BATCH}
        ), free as materialized (
          select id from webhook_deliveries where workspace_id = ${workspaceId} and id = any (array(select id from aged))
          order by position for no key update skip locked
        ), emptied as (
          update webhook_deliveries
          set snapshot = snapshot - array(select json_array_elements_text(${contents}::text::json))
          where workspace_id = ${workspaceId} and id = any (array(select id from free)) returning id
        )
        select (select count(*)::int from aged) as found, (select count(*)::int from emptied) as emptied`,
      { pool: "webhooks" },
    );
    const { found = 0, emptied = 0 } = step ?? {};
    if (found === 0) return true;
    if (emptied === 0) return false;
  }
}
