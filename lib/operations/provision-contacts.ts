import { and, eq, or } from "drizzle-orm";
import { lockPeople } from "@/db/people-lock";
import { rawSql } from "@/db/raw-sql";
import { type Contact, contactNames, contacts } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { ProvisionedContact } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

const PERSONAL = ["phone", "name", "ref"];

/** Returns the ids by ref. A contact that a send or a webhook made goes to the first ref that names its phone. */
export async function provisionContacts(
  run: Provisioning,
  workspaceId: WorkspaceId,
  { contacts: wanted, place }: { contacts: readonly ProvisionedContact[]; place: string },
): Promise<Record<string, string>> {
  const ids: [string, string][] = [];
  if (wanted.length > 0) await lockPeople(rawSql(run.tx), [workspaceId]);
  for (const [index, contact] of wanted.entries()) {
    const stored = await findContact(run, workspaceId, contact);
    if ("fault" in stored) run.faults.push(`${place}[${index}] ${stored.fault}`);
    else ids.push([contact.ref, await writeContact(run, workspaceId, { contact, stored: stored.row })]);
  }
  return Object.fromEntries(ids);
}

const findContact = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  { ref, phone }: ProvisionedContact,
): Promise<{ row: Contact | undefined } | { fault: string }> => {
  const rows = await tx
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), or(eq(contacts.ref, ref), eq(contacts.phone, phone))));
  const sameRef = rows.find((row) => row.ref === ref);
  const other = rows.find((row) => row.ref !== ref && row.id !== sameRef?.mergedInto);
  const own = sameRef && (await personOf(tx, workspaceId, sameRef, phone));
  if (own?.hasNumber) return { row: own.row };
  if (other && (sameRef || other.ref !== null)) {
    return { fault: `has phone ${phone}, which the contact ${other.ref ? `"${other.ref}"` : other.id} has already.` };
  }
  if (own) return { row: own.row };
  return { row: sameRef ?? other };
};

/** The contact of a ref, or the one that it turned out to be, and whether WhatsApp knows the person under the number. */
const personOf = async (tx: Provisioning["tx"], workspaceId: WorkspaceId, sameRef: Contact, phone: string) => {
  const id = sameRef.mergedInto ?? sameRef.id;
  const isIt = and(eq(contacts.workspaceId, workspaceId), eq(contacts.id, id));
  const [row = sameRef] = sameRef.mergedInto === null ? [] : await tx.select().from(contacts).where(isIt);
  const isName = and(
    eq(contactNames.workspaceId, workspaceId),
    eq(contactNames.contactId, id),
    eq(contactNames.name, phone),
  );
  const names = await tx.select().from(contactNames).where(isName);
  // The ref stays with the id that it had.
  return { row: { ...row, mergedInto: sameRef.mergedInto }, hasNumber: names.length > 0 };
};

const writeContact = async (
  run: Provisioning,
  workspaceId: WorkspaceId,
  { contact, stored }: { contact: ProvisionedContact; stored: Contact | undefined },
): Promise<string> => {
  const { tx } = run;
  if (stored) {
    const { ref, phone, ...rest } = contact;
    // Under a number that WhatsApp knows for the contact, current or former, the file says nothing new.
    const [known] = await tx
      .select()
      .from(contactNames)
      .where(
        and(
          eq(contactNames.workspaceId, workspaceId),
          eq(contactNames.name, phone),
          eq(contactNames.contactId, stored.id),
        ),
      );
    const wanted = { ...rest, ...(stored.mergedInto === null && { ref }), ...(!known && { phone }) };
    const change = changeOf(stored, wanted, { personal: PERSONAL });
    if (!change) return stored.id;
    await tx
      .update(contacts)
      .set(wanted)
      .where(and(eq(contacts.workspaceId, workspaceId), eq(contacts.id, stored.id)));
    await recordAudit(tx, workspaceId, {
      by: PROVISIONER,
      action: "contact.changed",
      targetId: stored.id,
      ...change,
    });
    return stored.id;
  }
  const [row] = await tx
    .insert(contacts)
    .values({ workspaceId, id: newId("ct"), ...contact })
    .onConflictDoNothing({ target: [contacts.workspaceId, contacts.phone] })
    .returning({ id: contacts.id });
  if (!row) return takeOver(run, workspaceId, contact);
  const change = changeOf(undefined, contact, { personal: PERSONAL });
  if (change) {
    await recordAudit(tx, workspaceId, {
      by: PROVISIONER,
      action: "contact.created",
      targetId: row.id,
      ...change,
    });
  }
  return row.id;
};

/** A send has made the contact a moment ago. */
const takeOver = async (run: Provisioning, workspaceId: WorkspaceId, contact: ProvisionedContact): Promise<string> => {
  const found = await findContact(run, workspaceId, contact);
  if ("fault" in found || !found.row) throw new Error(`The contact ${contact.ref} was not written.`);
  return writeContact(run, workspaceId, { contact, stored: found.row });
};
