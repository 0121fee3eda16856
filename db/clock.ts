import { sql } from "drizzle-orm";
import { onDatabase } from "./client";

/** The database's time, to the millisecond: the one clock that all servers share. */
export const databaseTime = async (): Promise<Date> => {
  const [row] = await onDatabase((db) =>
    db.execute<{ now: string }>(sql`select to_json(clock_timestamp()::timestamptz(3)) #>> '{}' as now`),
  );
  if (!row) throw new Error("the database has a clock");
  return new Date(row.now);
};
