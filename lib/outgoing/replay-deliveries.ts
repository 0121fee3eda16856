import type { Fragment, Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { databaseTime, onSql, readInstant } from "@/db/raw-sql";
import { webhookEndpoints } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited } from "@/lib/workspaces/record-audit";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";

/** One delivery, or what was created from `since` until before `until`. */
export type Replayed = { deliveryId: string } | { since: Date; until: Date; isFailedOnly: boolean };

/** Small enough for a statement to finish within its timeout on a busy machine, too. */
const BATCH = 1_000;

/**
 * Sends settled deliveries again with the same `webhook-id`, oldest first and with all retries. One that waits for a
 * retry is sent now, after earlier ones of its message; one in flight is left alone. Returns how
 * many. Does not check permissions: the caller must. Throws NOT_FOUND.
 */
export async function replayDeliveries(
  workspaceId: WorkspaceId,
  { endpointId, ...which }: { endpointId: string } & Replayed,
  by: Author,
): Promise<number> {
  // A person is waiting for it, so skip the hold from earlier failures.
  const found = await onDatabase((db) =>
    db.update(webhookEndpoints).set({ heldUntil: null }).where(isEndpoint(workspaceId, endpointId)),
  );
  if (found.count === 0) throw noSuchEndpoint();
  const replayed = await queueAll(workspaceId, endpointId, which);
  if (replayed > 0) {
    const change = { before: null, after: { deliveries: replayed, ...which } };
    await audited(workspaceId, by, (_, record) => record("webhookEndpoint.replayed", endpointId, change));
  }
  return replayed;
}

/** Queues each delivery once, in batches by age. Skips what was settled since it began: its own replays. */
async function queueAll(workspaceId: WorkspaceId, endpointId: string, which: Replayed): Promise<number> {
  const beganAt = await databaseTime();
  let queued = 0;
  let last: Last | undefined;
  do {
    const batch = await queueBatch(workspaceId, (sql) => {
      const chosen = "deliveryId" in which ? oneOf(sql, workspaceId, which) : rangeOf(sql, which, { beganAt, last });
      return sql`workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and ${chosen}`;
    });
    queued += batch.count;
    last = batch.count === BATCH ? batch.last : undefined;
  } while (last);
  return queued;
}

/** The newest of a batch. */
type Last = { at: string; id: string };

const rangeOf = (
  sql: Sql,
  { since, until, isFailedOnly }: Exclude<Replayed, { deliveryId: string }>,
  { beganAt, last }: { beganAt: Date; last: Last | undefined },
): Fragment =>
  sql`state <> 'PENDING' and settled_at < ${beganAt.toISOString()}::timestamptz
    and created_at >= ${since.toISOString()}::timestamptz and created_at < ${until.toISOString()}::timestamptz
    and ${last ? sql`(created_at, id) > (${last.at}::timestamptz, ${last.id})` : sql`true`}
    and ${isFailedOnly ? sql`state = 'FAILED'` : sql`true`}`;

const oneOf = (sql: Sql, workspaceId: WorkspaceId, which: { deliveryId: string }): Fragment =>
  sql`coalesce(leased_until, now()) <= now() and (id = ${which.deliveryId} or (state = 'PENDING'
    and subject_id = (${waiting(sql, workspaceId, { column: "subject_id", ...which })})
    and position < (${waiting(sql, workspaceId, { column: "position", ...which })})))`;

/** Selects a column of a delivery, if it is waiting. */
const waiting = (
  sql: Sql,
  workspaceId: WorkspaceId,
  { column, deliveryId }: { column: string; deliveryId: string },
) => sql`
  select ${sql(column)} from webhook_deliveries
  where workspace_id = ${workspaceId} and id = ${deliveryId} and state = 'PENDING'`;

async function queueBatch(
  workspaceId: WorkspaceId,
  choose: (sql: Sql) => Fragment,
): Promise<{ count: number; last: Last | undefined }> {
  const [batch] = await onSql(
    (sql) => sql<{ count: number; last_at: string | null; last_id: string | null }[]>`
      with chosen as materialized (
        select id, created_at from webhook_deliveries where ${choose(sql)} order by created_at, id limit ${BATCH} for update
      ), queued as (
        update webhook_deliveries d
        set state = 'PENDING', next_attempt_at = now(), is_refused = false, replayed_after = attempts, settled_at = null
        from chosen where d.workspace_id = ${workspaceId} and d.id = chosen.id
      )
      select count(*)::int as count, max(created_at) as last_at, (array_agg(id order by created_at desc, id desc))[1] as last_id
      from chosen`,
  );
  const { count = 0, last_at: at, last_id: id } = batch ?? {};
  return { count, last: at && id ? { at: readInstant(at).toISOString(), id } : undefined };
}
