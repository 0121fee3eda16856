import { onSql, readInstant } from "./raw-sql";

/** The database's time, to the millisecond: the one clock that all servers share. */
export async function databaseTime(): Promise<Date> {
  const [row] = await onSql((sql) => sql<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`);
  if (!row) throw new Error("the database has a clock");
  return readInstant(row.now);
}
