import { onDatabase } from "@/db/client";
import { lockPeople } from "@/db/people-lock";
import { rawSql } from "@/db/raw-sql";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";

export const MOST_IMPORTED_AT_ONCE = 500;

/** Result of one batch. */
export type Imported = { created: number; renamed: number; unchanged: number };

/** Contacts by their numbers, each number once. A name that is given replaces another; none leaves it as it is. */
export function importContacts(
  workspaceId: WorkspaceId,
  rows: readonly { phone: string; name: string | null }[],
  by: Author,
): Promise<Imported> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      // One at a time and workspace, as webhooks write the same people.
      await lockPeople(rawSql(tx), [workspaceId]);
      const given = [...new Map(rows.map((row) => [row.phone, row])).values()]
        .toSorted((a, b) => (a.phone < b.phone ? -1 : 1))
        .map((row) => ({ ...row, id: newId("ct") }));
      const written = await rawSql(tx)<{ is_new: boolean }[]>`
        insert into contacts as known (workspace_id, id, phone, name)
        select ${workspaceId}, given.id, given.phone, given.name
        from json_to_recordset(${JSON.stringify(given)}::text::json) as given (id text, phone text, name text)
        -- Of a person who gave up the number the file says nothing new, unless it names another person.
        where not exists (
          select from contact_names n join contacts c on c.workspace_id = n.workspace_id and c.id = n.contact_id
          where n.workspace_id = ${workspaceId} and n.name = given.phone and n.is_left
            and coalesce(given.name, c.name) is not distinct from c.name
            and not exists (
              select from contacts own where own.workspace_id = n.workspace_id and own.phone = given.phone))
        order by given.phone
        on conflict (workspace_id, phone) do update set name = excluded.name
          where excluded.name is not null and known.name is distinct from excluded.name
        returning xmax = 0 as is_new`;
      const created = written.filter((row) => row.is_new).length;
      const imported = { created, renamed: written.length - created, unchanged: given.length - written.length };
      if (written.length > 0) {
        // One row for the whole: thousands of names would bury everything else in the log.
        await recordAudit(tx, workspaceId, {
          by,
          action: "contact.imported",
          targetId: workspaceId,
          before: null,
          after: imported,
        });
      }
      return imported;
    }),
  );
}
