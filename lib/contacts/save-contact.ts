import { and } from "drizzle-orm";
import { contacts } from "@/db/schema";
import { AppError, invalid } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { audited } from "@/lib/workspaces/record-audit";
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
    const isIt = and(rowsOf(contacts, workspaceId, { erasedAt: null }), hasIdOrFormerId(workspaceId, contactId));
    const [before] = await tx.select({ name: contacts.name }).from(contacts).where(isIt).for("update");
    if (!before) throw new AppError("NOT_FOUND", "No such contact in this workspace.");
    const change = changeOf(before, { name }, { personal: PERSONAL });
    if (!change) return;
    await tx.update(contacts).set({ name }).where(isIt);
    await record("contact.renamed", contactId, change);
  });
}
