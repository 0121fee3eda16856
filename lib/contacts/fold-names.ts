import { inTransaction } from "@/db/client";
import { inBatches, rawSql } from "@/db/raw-sql";
import { searchKey } from "@/lib/core/fold";

const BATCH = { size: 500, most: 200 };

/**
 * Writes the names of contacts as searches compare them: changed ones, those of first messages, and those of before 0.7.0.
 * Node alone folds; searches read the newest that wait. Safe to run concurrently.
 */
export async function foldNames(): Promise<void> {
  await inBatches(BATCH, foldBatch);
}

const foldBatch = () =>
  inTransaction(
    async (tx) => {
      const sql = rawSql(tx);
      const due = await sql<{ workspaceId: string; id: string; name: string }[]>`
        select workspace_id as "workspaceId", id, name from contacts
        where folded_name is null and name is not null
        order by workspace_id, id limit ${BATCH.size} for no key update skip locked`;
      const rows = due.map(({ name, ...contact }) => ({ ...contact, folded: searchKey(name) }));
      if (rows.length > 0) {
        await sql`
          update contacts c set folded_name = given.folded
          from json_to_recordset(${JSON.stringify(rows)}::text::json) as given ("workspaceId" text, id text, folded text)
          where c.workspace_id = given."workspaceId" and c.id = given.id`;
      }
      return { count: rows.length };
    },
    { pool: "webhooks" },
  );
