import { deleteByKey, onSql } from "@/db/raw-sql";

const BATCH = 2_000;
/** Limits a pass; the rest waits for the next one. */
const MAX_BATCHES = 25;

/** Deletes calls past their workspace's retention period; the hourly counts stay. */
export async function purgeRequests({ defaultDays }: { defaultDays: number }): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const deleted = await onSql(
      (sql) =>
        deleteByKey(sql, {
          table: "api_requests",
          due: sql`
            select w.id as workspace_id, aged.id from workspaces w cross join lateral (
              select r.id from api_requests r
              where r.workspace_id = w.id
                and r.at < now() - make_interval(days => coalesce(w.retention_days, ${defaultDays}::int))
              order by r.at limit ${BATCH} for update of r skip locked
            ) aged limit ${BATCH}`,
        }),
      { pool: "records" },
    );
    if (deleted.count < BATCH) return;
  }
}
