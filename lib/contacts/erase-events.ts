import type { Fragment } from "postgres";
import type { Transaction } from "@/db/client";
import { inBatches, onSql, rawSql } from "@/db/raw-sql";
import { ERASED_PHONE, REMOVED_REASON } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import { listOf } from "./find-person";

/** Failure events sent to partners, and their endpoints' responses, may quote the message or its recipient. */
export async function eraseMessageEvents(tx: Transaction, workspaceId: WorkspaceId, these: Fragment): Promise<void> {
  const sql = rawSql(tx);
  const ofErased = sql`
    from webhook_deliveries d join messages m on m.workspace_id = d.workspace_id and m.id = d.subject_id
    where d.workspace_id = ${workspaceId} and m.phone = ${ERASED_PHONE} and m.id in (select id from (${these}) step)`;
  await sql`
    update webhook_attempts a set response = null
    where a.workspace_id = ${workspaceId} and a.response is not null and a.delivery_id in (select d.id ${ofErased})`;
  await sql`
    update webhook_deliveries d set snapshot = d.snapshot || jsonb_build_object('failureReason', ${REMOVED_REASON}::text)
    where d.workspace_id = ${workspaceId} and d.snapshot ->> 'failureReason' is not null
      and d.id in (select d.id ${ofErased})`;
}

/** What the contacts wrote, and their changes of number, delivered or not. */
export async function eraseContactEvents(tx: Transaction, workspaceId: WorkspaceId, contactIds: readonly string[]) {
  const sql = rawSql(tx);
  await sql`
    delete from webhook_deliveries
    where workspace_id = ${workspaceId} and id = any (array(
      select id from webhook_deliveries where workspace_id = ${workspaceId} and subject_id in ${listOf(sql, contactIds)}
      order by position for update))`;
}

const HOLD_CONTENTS = ["message.received", "contact.changed"];
/** Of a snapshot that holds contents, and what is left of it. */
const CONTENTS = ["text", "payload", "media", "location", "name", "phone", "previousPhone", "userId", "previousUserId"];

/** Fewer than a statement can change within its timeout on a busy machine. */
const BATCH = 1_000;

/**
 * Removes what people wrote, their names and numbers from the events past their workspace's retention period, and from
 * `since` on. The rows stay, so that a repeated webhook makes no second event (lib/outgoing/purge-deliveries.ts).
 */
export async function emptyContactEvents(
  workspaceId: string,
  { since, defaultDays }: { since: string; defaultDays: number },
): Promise<void> {
  const empty = () =>
    onSql(
      (sql) => sql`
        with workspace as materialized (
          -- Locked, so that an owner who extends the period waits, or is respected.
          select id, now() - make_interval(days => coalesce(retention_days, ${defaultDays}::int)) as until
          from workspaces where id = ${workspaceId} for no key update
        ), aged as materialized (
          select d.id from workspace join webhook_endpoints e on e.workspace_id = workspace.id
          cross join lateral (
            select d.id from webhook_deliveries d
            where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.created_at >= ${since}::text::timestamptz - interval '1 hour'
              and d.created_at < workspace.until and d.type in ${sql(HOLD_CONTENTS)}
              and d.snapshot ?| array(select json_array_elements_text(${JSON.stringify(CONTENTS)}::text::json))
            limit ${BATCH}) d
          order by d.id limit ${BATCH}
        )
        update webhook_deliveries d
        set snapshot = d.snapshot - array(select json_array_elements_text(${JSON.stringify(CONTENTS)}::text::json))
        from aged where d.workspace_id = ${workspaceId} and d.id = aged.id`,
      { pool: "webhooks" },
    );
  await inBatches({ size: BATCH, most: Number.POSITIVE_INFINITY }, empty);
}
