import type { Sql } from "postgres";
import { rollUp } from "@/lib/messages/usage/roll-up";

const MAX_PASSES = 5;

// The server's own passes take messages to be made now: what is made for a day that they have counted they never see.
export const keepFromCounting = (sql: Sql) => sql`select pg_advisory_lock(hashtextextended('switchboard roll-up', 0))`;
export const letCount = (sql: Sql) => sql`select pg_advisory_unlock(hashtextextended('switchboard roll-up', 0))`;

/** Counts the messages of a workspace. A pass of the server at the same time may be in the way of ours, and does the same. */
export const rollUpAll = async (
  sql: Sql,
  { workspaceId, messages }: { workspaceId: string; messages: number },
): Promise<void> => {
  for (let pass = 1; ; pass++) {
    const failure = await rollUp().then(
      () => undefined,
      (error: unknown) => error,
    );
    const [row] = await sql<{ count: number }[]>`
      select coalesce(sum(count), 0)::int as count from messages_by_day where workspace_id = ${workspaceId}`;
    if (row?.count === messages) return;
    if (pass === MAX_PASSES) throw new Error(`${row?.count} of ${messages} messages were counted`, { cause: failure });
  }
};
