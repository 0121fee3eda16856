import { and } from "drizzle-orm";
import { lockPeople, rawSql } from "@/db/raw-sql";
import { contacts } from "@/db/schema";
import { AppError, invalid } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited, changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { hasIdOrFormerId } from "./queries";

/** Personal fields: the audit log records that they changed, not their values. */
const PERSONAL = ["phone", "name"];

/** Creates a contact and returns its id. Throws VALIDATION_ERROR if the number already has one. */
export function addContact(
  workspaceId: WorkspaceId,
  { phone, name }: { phone: string; name: string | null },
  by: Author,
): Promise<string> {
  return audited(workspaceId, by, async (tx, record) => {
    const [contact] = await tx
      .insert(contacts)
      .values({ workspaceId, id: newId("ct"), phone, name })
      .onConflictDoNothing({ target: [contacts.workspaceId, contacts.phone] })
      .returning({ id: contacts.id });
    if (!contact)
      throw invalid([
        { path: "phone", message: "This number is a contact already. Find it in the list to change its name." },
      ]);
    const change = changeOf(undefined, { phone, name }, { personal: PERSONAL });
    await record("contact.added", contact.id, change);
    return contact.id;
  });
}

/** Throws NOT_FOUND for a contact of another workspace, an erased one or an unknown one. */
export function renameContact(
  workspaceId: WorkspaceId,
  { contactId, name }: { contactId: string; name: string | null },
  by: Author,
): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    // Webhooks write the name that they have read.
    await lockPeople(rawSql(tx), [workspaceId]);
    const isIt = and(rowsOf(contacts, workspaceId, { erasedAt: null }), hasIdOrFormerId(workspaceId, contactId));
    const [before] = await tx.select({ name: contacts.name }).from(contacts).where(isIt).for("update");
    if (!before) throw new AppError("NOT_FOUND", "No such contact in this workspace.");
    const change = changeOf(before, { name }, { personal: PERSONAL });
    if (!change) return;
    await tx.update(contacts).set({ name }).where(isIt);
    await record("contact.renamed", contactId, change);
  });
}

export const MAX_IMPORTED_AT_ONCE = 500;

/** Result of one batch: every row of it is one of these. */
export type Imported = { created: number; renamed: number; unchanged: number; repeated: number };

/** Imports contacts by number, each number once. A given name replaces the old one; a missing one keeps it. */
export function importContacts(
  workspaceId: WorkspaceId,
  rows: readonly { phone: string; name: string | null }[],
  by: Author,
): Promise<Imported> {
  return audited(workspaceId, by, async (tx, record) => {
    // Serialized per workspace, because webhooks write the same people.
    await lockPeople(rawSql(tx), [workspaceId]);
    const given = [...new Map(rows.map((row) => [row.phone, row])).values()]
      .toSorted((a, b) => (a.phone < b.phone ? -1 : 1))
      .map((row) => ({ ...row, id: newId("ct") }));
    const written = await rawSql(tx)<{ id: string }[]>`
      insert into contacts as known (workspace_id, id, phone, name)
      select ${workspaceId}, given.id, given.phone, given.name
      from json_to_recordset(${JSON.stringify(given)}::text::json) as given (id text, phone text, name text)
      -- Skip people who left this number, unless the file names another person for it.
      where not exists (
        select from contact_names n join contacts c on c.workspace_id = n.workspace_id and c.id = n.contact_id
        where n.workspace_id = ${workspaceId} and n.name = given.phone and n.is_left
          and coalesce(given.name, c.name) is not distinct from c.name
          and not exists (
            select from contacts own where own.workspace_id = n.workspace_id and own.phone = given.phone))
      order by given.phone
      on conflict (workspace_id, phone) do update set name = excluded.name
        where excluded.name is not null and known.name is distinct from excluded.name
      returning id`;
    // A contact that existed keeps its id. `xmax`, which would say so, too, cannot be returned from a partitioned table.
    const ids = new Set(given.map(({ id }) => id));
    const created = written.filter(({ id }) => ids.has(id)).length;
    const imported = { created, renamed: written.length - created, unchanged: given.length - written.length };
    if (written.length > 0) {
      // One audit row per batch: thousands would bury everything else in the log.
      await record("contact.imported", workspaceId, { before: null, after: imported });
    }
    return { ...imported, repeated: rows.length - given.length };
  });
}
