import type { PendingQuery, Row, Sql } from "postgres";

/** The first day of the present month in UTC, which is what a plan's quota counts by. */
export function thisMonth(sql: Sql): PendingQuery<Row[]> {
  return sql`date_trunc('month', now() at time zone 'utc')::date`;
}
