import type { Fragment, Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { webhookEndpoints } from "@/db/schema";
import type { Author } from "@/lib/audit/author";
import { recordAudit } from "@/lib/audit/record-audit";
import { isEndpoint, noSuchEndpoint } from "@/lib/endpoints/queries";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";

/** One delivery, or what was created from `since` until before `until`. */
export type Replayed = { deliveryId: string } | { since: Date; until: Date; isFailedOnly: boolean };

/** Few enough for a statement to end in its time. */
const BATCH = 5_000;

/**
 * Sends settled deliveries again, under their own `webhook-id`, the oldest first and with all retries. One that waits for a
 * retry is sent now, after those of its message that must come before it; one that is under way is left alone. Returns how
 * many. Does not check permissions: the caller must. Throws NOT_FOUND.
 */
export const replayDeliveries = async (
  workspaceId: WorkspaceId,
  { endpointId, ...which }: { endpointId: string } & Replayed,
  by: Author,
): Promise<number> => {
  // Someone waits for it: what the endpoint did before does not hold it up.
  const found = await onDatabase((db) =>
    db.update(webhookEndpoints).set({ heldUntil: null }).where(isEndpoint(workspaceId, endpointId)),
  );
  if (found.count === 0) throw noSuchEndpoint();
  const choose = (sql: Sql) =>
    sql`workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and ${chosenBy(sql, workspaceId, which)}`;
  let replayed = 0;
  for (let batch = BATCH; batch === BATCH; replayed += batch) batch = await queueAgain(choose);
  if (replayed > 0) {
    const after = { deliveries: replayed, ...which };
    await onDatabase((db) =>
      db.transaction((tx) =>
        recordAudit(tx, workspaceId, {
          by,
          action: "webhookEndpoint.replayed",
          targetId: endpointId,
          before: null,
          after,
        }),
      ),
    );
  }
  return replayed;
};

const chosenBy = (sql: Sql, workspaceId: WorkspaceId, which: Replayed): Fragment =>
  "deliveryId" in which
    ? sql`coalesce(leased_until, now()) <= now() and (id = ${which.deliveryId} or (state = 'PENDING'
        and subject_id = (${waiting(sql, workspaceId, { column: "subject_id", ...which })})
        and position < (${waiting(sql, workspaceId, { column: "position", ...which })})))`
    : sql`state <> 'PENDING' and created_at >= ${which.since.toISOString()}::timestamptz and created_at < ${which.until.toISOString()}::timestamptz
        and (state = 'FAILED' or not ${which.isFailedOnly})`;

/** A column of a delivery, if it waits. */
const waiting = (
  sql: Sql,
  workspaceId: WorkspaceId,
  { column, deliveryId }: { column: string; deliveryId: string },
) => sql`
  select ${sql(column)} from webhook_deliveries
  where workspace_id = ${workspaceId} and id = ${deliveryId} and state = 'PENDING'`;

const queueAgain = async (choose: (sql: Sql) => Fragment): Promise<number> => {
  const { count } = await onSql(
    (sql) => sql`
      update webhook_deliveries
      set state = 'PENDING', next_attempt_at = now(), replayed_after = attempts, settled_at = null
      where ctid = any (array(
        select ctid from webhook_deliveries where ${choose(sql)} order by created_at, id limit ${BATCH} for update))`,
  );
  return count;
};
