import type { Sql } from "postgres";
import type { flowSessions } from "@/db/schema";

type Cause = NonNullable<(typeof flowSessions.$inferSelect)["closedBy"]>;

/** Returns the SET clause that closes a flow session. Each statement selects which sessions. */
export function closedBy(sql: Sql, cause: Cause) {
  return sql`closed_at = now(), closed_by = ${cause}`;
}
