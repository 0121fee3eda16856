import { and, eq, isNull } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { contacts } from "@/db/schema";
import { AppError, invalid } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { isOrWas } from "./queries";

/** Fields of a person: the log says that they changed, not from what to what. */
const PERSONAL = ["phone", "name"];

/** Creates a contact and returns its id. Throws VALIDATION_ERROR where the number has one already. */
export function addContact(
  workspaceId: WorkspaceId,
  { phone, name }: { phone: string; name: string | null },
  by: Author,
): Promise<string> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
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
      if (change) {
        await recordAudit(tx, workspaceId, { by, action: "contact.added", targetId: contact.id, ...change });
      }
      return contact.id;
    }),
  );
}

/** Throws NOT_FOUND for a contact that is another's, erased or not there. */
export function renameContact(
  workspaceId: WorkspaceId,
  { contactId, name }: { contactId: string; name: string | null },
  by: Author,
): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const isIt = and(
        eq(contacts.workspaceId, workspaceId),
        isOrWas(workspaceId, contactId),
        isNull(contacts.erasedAt),
      );
      const [before] = await tx.select({ name: contacts.name }).from(contacts).where(isIt).for("update");
      if (!before) throw new AppError("NOT_FOUND", "No such contact in this workspace.");
      const change = changeOf(before, { name }, { personal: PERSONAL });
      if (!change) return;
      await tx.update(contacts).set({ name }).where(isIt);
      await recordAudit(tx, workspaceId, { by, action: "contact.renamed", targetId: contactId, ...change });
    }),
  );
}
