import { and, eq, inArray, or } from "drizzle-orm";
import { lockPeople, rawSql } from "@/db/raw-sql";
import { contacts } from "@/db/schema";
import { isNumber } from "@/lib/contacts/names";
import type { PersonEvent } from "@/lib/contacts/person";
import { type Stored, storePeopleWithin } from "@/lib/contacts/store-people";
import { newId } from "@/lib/core/new-id";
import { changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedContact } from "./document";
import type { Provisioning } from "./provisioning";

const PERSONAL = { personal: ["phone", "name", "ref"] };
/** Fewer than the people of one statement. */
const BATCH = 500;

/**
 * Returns the ids by ref. A contact created by a send or webhook gets the first ref with its phone; a further ref with
 * another number of the same person stands for the same contact.
 */
export async function provisionContacts(
  run: Provisioning,
  wanted: readonly ProvisionedContact[],
  place: string,
): Promise<Record<string, string>> {
  const ids: [string, string][] = [];
  if (wanted.length > 0) await lockPeople(rawSql(run.tx), [run.workspaceId]);
  for (let from = 0; from < wanted.length; from += BATCH) {
    const batch = wanted.slice(from, from + BATCH);
    const known = await findByRef(run, batch);
    const events = batch.map(({ ref, phone, name = null }): PersonEvent => {
      const contactId = known.find((row) => row.ref === ref)?.id ?? null;
      const about = { workspaceId: run.workspaceId, kind: "given" as const, atMs: Date.now(), mayBeOld: false };
      return { ...about, number: phone, displayName: name, contactId };
    });
    const stored = await storePeopleWithin(run.tx, events);
    for (const [index, contact] of batch.entries()) {
      const written = await writeContact(run, contact, stored[index] ?? null);
      if ("fault" in written) run.faults.push(`${place}[${from + index}] ${written.fault}`);
      else ids.push([contact.ref, written.id]);
    }
  }
  return Object.fromEntries(ids);
}

const findByRef = ({ tx, workspaceId }: Provisioning, wanted: readonly ProvisionedContact[]) =>
  tx
    .select({ id: contacts.id, ref: contacts.ref })
    .from(contacts)
    .where(
      and(
        rowsOf(contacts, workspaceId),
        inArray(
          contacts.ref,
          wanted.map(({ ref }) => ref),
        ),
      ),
    );

async function writeContact(
  { tx, workspaceId, record }: Provisioning,
  { ref, phone, name }: ProvisionedContact,
  stored: Stored,
): Promise<{ id: string } | { fault: string }> {
  if (!stored) throw new Error("a given number always has a contact");
  const { before, after } = stored;
  const rows = await tx
    .select()
    .from(contacts)
    .where(and(rowsOf(contacts, workspaceId), or(eq(contacts.ref, ref), eq(contacts.id, after.id))));
  const [sameRef, person] = [rows.find((row) => row.ref === ref), rows.find((row) => row.id === after.id)];
  const hasOther = person?.ref != null && person.ref !== ref;
  const hasOneNumber = after.names.filter(({ name }) => isNumber(name)).length === 1;
  // A ref of a contact that was merged stays with it.
  const isFree = sameRef ? (sameRef.mergedInto ?? sameRef.id) === after.id : !hasOther || !hasOneNumber;
  if (!isFree)
    return { fault: `has phone ${phone}, which the contact ${hasOther ? `"${person.ref}"` : after.id} has already.` };
  const isThis = rowsOf(contacts, workspaceId, { id: after.id });
  if (!sameRef && hasOther)
    await tx.insert(contacts).values({ workspaceId, id: newId("ct"), ref, mergedInto: after.id });
  else if (!sameRef) await tx.update(contacts).set({ ref }).where(isThis);
  if (!before) await record("contact.created", after.id, changeOf(undefined, { ref, phone, name }, PERSONAL));
  else {
    const former = { ref: sameRef ? ref : person?.ref, phone: before.phone, name: before.displayName };
    await record(
      "contact.changed",
      after.id,
      changeOf(former, { ref, phone: after.phone, name: after.displayName }, PERSONAL),
    );
  }
  return { id: after.id };
}
