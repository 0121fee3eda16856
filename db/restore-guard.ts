import type { Sql } from "postgres";

/** The state that the guard's trigger raises, of the class of raised exceptions. */
const RESTORED = "P0R01";

export function isRestoreRefusal(refusal: { code: string } | undefined): boolean {
  return refusal?.code === RESTORED;
}

/** Returns when the restore guard was set; undefined while it is off. */
export async function guardedSince(sql: Sql): Promise<Date | undefined> {
  const [trigger] = await sql<{ since: string | null }[]>`
    select obj_description(oid, 'pg_trigger') as since from pg_trigger
    where tgrelid = 'messages'::regclass and tgname = 'restore_guard'`;
  return trigger && new Date(trigger.since ?? 0);
}
