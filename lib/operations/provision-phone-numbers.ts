import { and, eq, ne, or, sql } from "drizzle-orm";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import { encrypt, encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import { newId } from "@/lib/core/new-id";
import { changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedPhoneNumber } from "./document";
import type { Provisioning } from "./provisioning";

/** Returns the ids by ref. A line created without a file gets the first ref with its WhatsApp id. */
export async function provisionPhoneNumbers(
  run: Provisioning,
  wanted: readonly ProvisionedPhoneNumber[],
  place: string,
): Promise<Record<string, string>> {
  const ids: [string, string][] = [];
  for (const [index, line] of wanted.entries()) {
    const stored = await findLine(run, line);
    if ("fault" in stored) {
      run.faults.push(`${place}[${index}] ${stored.fault}`);
      continue;
    }
    const id = await writeLine(run, line, stored.row);
    if (line.isDefault) await clearOtherDefaults(run, { id, mode: line.mode });
    ids.push([line.ref, id]);
  }
  return Object.fromEntries(ids);
}

async function findLine(
  { tx, workspaceId }: Provisioning,
  line: ProvisionedPhoneNumber,
): Promise<{ row: PhoneNumber | undefined } | { fault: string }> {
  const isAtPlatform = and(
    eq(phoneNumbers.mode, line.mode),
    eq(phoneNumbers.whatsappPhoneNumberId, line.whatsappPhoneNumberId),
  );
  const rows = await tx
    .select()
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.workspaceId, workspaceId), or(eq(phoneNumbers.ref, line.ref), isAtPlatform)));
  const sameRef = rows.find(({ ref }) => ref === line.ref);
  const other = rows.find(({ ref }) => ref !== line.ref);
  if (sameRef && sameRef.mode !== line.mode) {
    return { fault: `asks for mode ${line.mode}, but the line "${line.ref}" is a ${sameRef.mode} line and stays one.` };
  }
  if (other && (sameRef || other.ref !== null)) {
    const owner = other.ref === null ? `the line ${other.id}` : `the line "${other.ref}"`;
    return { fault: `has whatsappPhoneNumberId ${line.whatsappPhoneNumberId}, which ${owner} has already.` };
  }
  return { row: sameRef ?? other };
}

async function writeLine(
  { tx, workspaceId, record }: Provisioning,
  { accessToken, ...line }: ProvisionedPhoneNumber,
  stored: PhoneNumber | undefined,
): Promise<string> {
  const id = stored?.id ?? newId("pn");
  const row = `${workspaceId}/${id}`;
  // If the encryption key of the stored token no longer exists, the file's token replaces it.
  const isSameToken = stored && tryDecrypt(stored.accessToken, row, encryptionKeys()) === accessToken;
  const written = {
    ...line,
    // A disconnected line in the file is reconnected.
    ...(stored?.disconnectedAt ? { disconnectedAt: null, isActive: line.isActive ?? true } : {}),
    // The old token's state does not apply to a new one.
    ...(stored && !isSameToken ? { tokenProblem: null, tokenExpiresAt: null } : {}),
    accessToken: isSameToken ? undefined : encrypt(accessToken, row, encryptionKeys()),
  };
  const change = changeOf(stored, written);
  if (!change) return id;
  if (stored)
    await tx
      .update(phoneNumbers)
      .set(changed(written))
      .where(rowsOf(phoneNumbers, workspaceId, { id }));
  else await tx.insert(phoneNumbers).values({ ...written, workspaceId, id, accessToken: written.accessToken ?? "" });
  await record(stored ? "phoneNumber.changed" : "phoneNumber.connected", id, change);
  return id;
}

async function clearOtherDefaults(
  { tx, workspaceId, record }: Provisioning,
  { id, mode }: { id: string; mode: ProvisionedPhoneNumber["mode"] },
) {
  const others = await tx
    .update(phoneNumbers)
    .set(changed({ isDefault: false }))
    .where(and(rowsOf(phoneNumbers, workspaceId, { mode, isDefault: true }), ne(phoneNumbers.id, id)))
    .returning({ id: phoneNumbers.id });
  for (const other of others) {
    await record("phoneNumber.changed", other.id, { before: { isDefault: true }, after: { isDefault: false } });
  }
}

const changed = <T extends object>(columns: T) => ({ ...columns, updatedAt: sql`now()` });
