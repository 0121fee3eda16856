import { onSql } from "@/db/raw-sql";

const BATCH = 2_000;
/** More than this waits for the next pass, so that a pass has an end. */
const MAX_BATCHES = 25;

/** Deletes the calls that have outlived the days for which their workspace keeps contents; the counts by hour stay. */
export async function purgeRequests({ defaultDays }: { defaultDays: number }): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const deleted = await onSql(
      (sql) => sql`
          delete from api_requests where ctid = any(array(
            select aged.place from workspaces w cross join lateral (
              select r.ctid as place from api_requests r
              where r.workspace_id = w.id
                and r.at < now() - make_interval(days => coalesce(w.retention_days, ${defaultDays}::int))
              order by r.at limit ${BATCH} for update of r skip locked
            ) aged limit ${BATCH}))`,
      { pool: "records" },
    );
    if (deleted.count < BATCH) return;
  }
}
