import type { Sql } from "postgres";
import journal from "./migrations/meta/_journal.json" with { type: "json" };

export const OLD_SCHEMA = "The database's schema is older than this program. Run `npm run db:migrate` first.";

/** Whether every known migration was applied. A newer schema is fine: an old release may run on it. */
export async function isSchemaCurrent(sql: Sql): Promise<boolean> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (!table?.exists) return false;
  const applied = await sql<
    { createdAt: string }[]
  >`select created_at as "createdAt" from drizzle.__drizzle_migrations`;
  const appliedAt = new Set(applied.map(({ createdAt }) => Number(createdAt)));
  return journal.entries.every(({ when }) => appliedAt.has(when));
}
