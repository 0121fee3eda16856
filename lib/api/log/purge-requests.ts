import { deleteByKey, inBatches, isOneOfMany, onSql } from "@/db/raw-sql";

const BATCH = 2_000;

/** Deletes calls past their workspace's retention period; the hourly counts stay. */
export async function purgeRequests({ defaultDays }: { defaultDays: number }): Promise<void> {
  const purge = () =>
    onSql(
      (sql) =>
        deleteByKey(sql, {
          table: "api_requests",
          due: sql`
            select w.id as workspace_id, aged.id from workspaces w cross join lateral (
              select r.id from api_requests r
              where ${isOneOfMany(sql, sql`r.workspace_id`, sql`w.id`)}
                and r.at < now() - make_interval(days => coalesce(w.retention_days, ${defaultDays}::int))
              order by r.at limit ${BATCH} for update of r skip locked
            ) aged limit ${BATCH}`,
        }),
      { pool: "records" },
    );
  await inBatches({ size: BATCH, most: 25 }, purge);
}
