import { deleteByKey, inBatches, isOneOfMany, onSql } from "@/db/raw-sql";
import { CONTACT_EVENTS } from "@/lib/contacts/announce-contacts";

const BATCH = 1_000;
/** Longer than WhatsApp repeats a webhook: until then the row tells a repetition from a new event. */
const REPEATED_DAYS = 8;
/** Pending deliveries of a paused endpoint are kept longer than retries take. */
const PENDING_DAYS = 30;

/**
 * Deletes deliveries, with their attempts, that are older than their workspace's retention period, and
 * endpoints that were deleted a day ago.
 */
export async function purgeDeliveries({ defaultDays }: { defaultDays: number }): Promise<void> {
  const purge = () =>
    onSql(
      (sql) =>
        deleteByKey(sql, {
          table: "webhook_deliveries",
          due: sql`
            select e.workspace_id, aged.id
            from webhook_endpoints e join workspaces w on w.id = e.workspace_id
            cross join lateral (
              select d.id from webhook_deliveries d
              where ${isOneOfMany(sql, sql`d.workspace_id`, sql`e.workspace_id`)} and d.endpoint_id = e.id
                and d.created_at < case when e.deleted_at < now() - interval '1 day' then now()
                  else now() - make_interval(days => greatest(coalesce(w.retention_days, ${defaultDays}::int),
                    case when d.type in ${sql(CONTACT_EVENTS)} then ${REPEATED_DAYS}::int end)) end
                and (d.state <> 'PENDING' or e.deleted_at < now() - interval '1 day'
                  or d.created_at < now() - make_interval(days =>
                    greatest(${PENDING_DAYS}::int, coalesce(w.retention_days, ${defaultDays}::int))))
              order by d.created_at limit ${BATCH} for update of d skip locked
            ) aged limit ${BATCH}`,
        }),
      { pool: "records" },
    );
  await inBatches({ size: BATCH, most: 25 }, purge);
  await onSql(
    (sql) =>
      deleteByKey(sql, {
        table: "webhook_endpoints",
        due: sql`
          select e.workspace_id, e.id from webhook_endpoints e where e.deleted_at < now() - interval '1 day'
            and not exists (
              select from webhook_deliveries d where d.workspace_id = e.workspace_id and d.endpoint_id = e.id)
          for update skip locked`,
      }),
    { pool: "records" },
  );
}
