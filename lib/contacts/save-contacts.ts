import { and } from "drizzle-orm";
import { lockPeople, rawSql } from "@/db/raw-sql";
import { contacts } from "@/db/schema";
import { AppError, invalid } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited, changeOf, type Recorder, recorder } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { PersonEvent } from "./person";
import { hasIdOrFormerId } from "./queries";
import { type Stored, storePeople, storingPeople } from "./store-people";

/** Personal fields: the audit log records that they changed, not their values. */
const PERSONAL = ["phone", "name"];

/** Creates a contact and returns its id. Throws VALIDATION_ERROR if the number, or another name of its person, has one. */
export function addContact(workspaceId: WorkspaceId, given: Row, by: Author): Promise<string> {
  return saving({ workspaceId, by, rows: [given] }, async ([saved], record) => {
    if (!saved || saved.before)
      throw invalid([
        { path: "phone", message: "This number is a contact already. Find it in the list to change its name." },
      ]);
    await record("contact.added", saved.after.id, changeOf(undefined, given, { personal: PERSONAL }));
    return saved.after.id;
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

/** Result of one batch: every row of it is one of these, and `replaced` are the names that others took the place of. */
export type Imported = Record<"created" | "renamed" | "unchanged" | "repeated", number> & {
  replaced: { phone: string; name: string }[];
};

/**
 * Imports contacts by number, each person once. A given name replaces the old one; a missing one keeps it. People who left a
 * number are skipped, unless the file names another person for it.
 */
export function importContacts(workspaceId: WorkspaceId, rows: readonly Row[], by: Author): Promise<Imported> {
  const given = new Map<string, Row>();
  for (const { phone, name } of rows) given.set(phone, { phone, name: name ?? given.get(phone)?.name ?? null });
  return saving({ workspaceId, by, rows: [...given.values()], mayBeOld: true }, async (saved, record) => {
    const people = [...new Map(saved.map((one) => [one?.after.id, one])).values()];
    const created = people.filter((one) => one && !one.before).length;
    const renamed = people.filter((one) => one?.before && one.before.displayName !== one.after.displayName).length;
    const imported = { created, renamed, unchanged: people.length - created - renamed };
    if (created + renamed > 0) {
      // One audit row per batch: thousands would bury everything else in the log.
      await record("contact.imported", workspaceId, { before: null, after: imported });
    }
    const replaced = [...given.keys()].flatMap((phone, at) => {
      const { before, after } = saved[at] ?? {};
      return before?.displayName && before.displayName !== after?.displayName
        ? [{ phone, name: before.displayName }]
        : [];
    });
    return { ...imported, repeated: rows.length - people.length, replaced };
  });
}

type Row = { phone: string; name: string | null };
type Saving = { workspaceId: WorkspaceId; by: Author; rows: readonly Row[]; mayBeOld?: boolean };

/** Stores who has the numbers, and then what `work` does in the same transaction. */
function saving<T>(
  { workspaceId, by, rows, mayBeOld = false }: Saving,
  work: (saved: readonly Stored[], record: Recorder) => Promise<T>,
): Promise<T> {
  const atMs = Date.now();
  const events = rows.map(
    ({ phone: number, name: displayName }): PersonEvent => ({
      workspaceId,
      kind: "given",
      number,
      displayName,
      atMs,
      contactId: null,
      mayBeOld,
    }),
  );
  return storingPeople(async (tx) => {
    await lockPeople(rawSql(tx), [workspaceId]);
    return work(await storePeople(tx, events), recorder(tx, workspaceId, by));
  });
}
