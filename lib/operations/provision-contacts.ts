import { and, eq, or } from "drizzle-orm";
import { lockPeople, rawSql } from "@/db/raw-sql";
import { type Contact, contactNames, contacts } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import { changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedContact } from "./document";
import type { Provisioning } from "./provisioning";

const PERSONAL = { personal: ["phone", "name", "ref"] };

/** Returns the ids by ref. A contact created by a send or webhook gets the first ref with its phone. */
export async function provisionContacts(
  run: Provisioning,
  wanted: readonly ProvisionedContact[],
  place: string,
): Promise<Record<string, string>> {
  const ids: [string, string][] = [];
  if (wanted.length > 0) await lockPeople(rawSql(run.tx), [run.workspaceId]);
  for (const [index, contact] of wanted.entries()) {
    const written = await writeContact(run, contact);
    if ("fault" in written) run.faults.push(`${place}[${index}] ${written.fault}`);
    else ids.push([contact.ref, written.id]);
  }
  return Object.fromEntries(ids);
}

/** `hasPhone`: WhatsApp already knows the file's number, current or former, for the contact. */
type Found = { stored: Contact | undefined; hasPhone: boolean };

const findContact = async (
  run: Provisioning,
  { ref, phone }: ProvisionedContact,
): Promise<Found | { fault: string }> => {
  const rows = await run.tx
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, run.workspaceId), or(eq(contacts.ref, ref), eq(contacts.phone, phone))));
  const sameRef = rows.find((row) => row.ref === ref);
  const other = rows.find((row) => row.ref !== ref && row.id !== sameRef?.mergedInto);
  const stored = sameRef ? await mergedContact(run, sameRef) : other;
  const hasPhone = stored !== undefined && (await isNameOf(run, stored, phone));
  const isFree = (sameRef && hasPhone) || !other || (!sameRef && other.ref === null);
  if (isFree) return { stored, hasPhone };
  return { fault: `has phone ${phone}, which the contact ${other.ref ? `"${other.ref}"` : other.id} has already.` };
};

/** Returns a ref's contact, or the one it was merged into; the ref keeps its original id. */
const mergedContact = async ({ tx, workspaceId }: Provisioning, sameRef: Contact): Promise<Contact> => {
  const { mergedInto } = sameRef;
  if (mergedInto === null) return sameRef;
  const isIt = rowsOf(contacts, workspaceId, { id: mergedInto });
  const [row = sameRef] = await tx.select().from(contacts).where(isIt);
  return { ...row, mergedInto };
};

const isNameOf = async ({ tx, workspaceId }: Provisioning, { id }: Contact, phone: string): Promise<boolean> => {
  const isName = rowsOf(contactNames, workspaceId, { contactId: id, name: phone });
  return (await tx.select({ name: contactNames.name }).from(contactNames).where(isName)).length > 0;
};

const writeContact = async (
  run: Provisioning,
  contact: ProvisionedContact,
): Promise<{ id: string } | { fault: string }> => {
  const { tx, workspaceId, record } = run;
  const found = await findContact(run, contact);
  if ("fault" in found) return found;
  const { stored, hasPhone } = found;
  if (stored) {
    const { ref, phone, ...rest } = contact;
    const wanted = { ...rest, ...(stored.mergedInto === null && { ref }), ...(!hasPhone && { phone }) };
    const change = changeOf(stored, wanted, PERSONAL);
    const isThis = rowsOf(contacts, workspaceId, { id: stored.id });
    if (change) await tx.update(contacts).set(wanted).where(isThis);
    await record("contact.changed", stored.id, change);
    return stored;
  }
  const [row] = await tx
    .insert(contacts)
    .values({ workspaceId, id: newId("ct"), ...contact })
    .onConflictDoNothing({ target: [contacts.workspaceId, contacts.phone] })
    .returning({ id: contacts.id });
  // A send has just created it.
  if (!row) return writeContact(run, contact);
  await record("contact.created", row.id, changeOf(undefined, contact, PERSONAL));
  return row;
};
