import type { Sql } from "postgres";
import type { flowSessions } from "@/db/schema";

type Cause = NonNullable<(typeof flowSessions.$inferSelect)["closedBy"]>;

/** The columns of a flow session that ends now. Which sessions end is for each statement to say. */
export function closedBy(sql: Sql, cause: Cause) {
  return sql`closed_at = now(), closed_by = ${cause}`;
}
