import { and, eq, ne, or, sql } from "drizzle-orm";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import { decrypt, type EncryptionKeys, encrypt } from "@/lib/core/crypto";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { ProvisionedPhoneNumber } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

/** Returns the ids by ref. A line that was made without a file goes to the first ref that names its platform id. */
export async function provisionPhoneNumbers(
  run: Provisioning,
  workspaceId: WorkspaceId,
  { phoneNumbers: wanted, place }: { phoneNumbers: readonly ProvisionedPhoneNumber[]; place: string },
): Promise<Record<string, string>> {
  const ids: [string, string][] = [];
  for (const [index, line] of wanted.entries()) {
    const stored = await findLine(run, workspaceId, line);
    if ("fault" in stored) {
      run.faults.push(`${place}[${index}] ${stored.fault}`);
      continue;
    }
    const id = await writeLine(run, workspaceId, { line, stored: stored.row });
    if (line.isDefault) await clearOtherDefaults(run, workspaceId, { id, mode: line.mode });
    ids.push([line.ref, id]);
  }
  return Object.fromEntries(ids);
}

const findLine = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  line: ProvisionedPhoneNumber,
): Promise<{ row: PhoneNumber | undefined } | { fault: string }> => {
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
};

const writeLine = async (
  { tx, encryptionKeys }: Provisioning,
  workspaceId: WorkspaceId,
  { line: { accessToken, ...line }, stored }: { line: ProvisionedPhoneNumber; stored: PhoneNumber | undefined },
): Promise<string> => {
  const id = stored?.id ?? newId("pn");
  const row = `${workspaceId}/${id}`;
  const isSameToken =
    stored !== undefined && canDecryptTo(accessToken, { sealed: stored.accessToken, row, encryptionKeys });
  const written = {
    ...line,
    // The file wants the line, so that one which was disconnected is a line again.
    ...(stored?.disconnectedAt ? { disconnectedAt: null, isActive: line.isActive ?? true } : {}),
    // What was known of the old token says nothing of another one.
    ...(stored && !isSameToken ? { tokenProblem: null, tokenExpiresAt: null } : {}),
    accessToken: isSameToken ? undefined : encrypt(accessToken, row, encryptionKeys),
  };
  const change = changeOf(stored, written);
  if (!change) return id;
  if (stored) await tx.update(phoneNumbers).set(changed(written)).where(thisLine(workspaceId, id));
  else await tx.insert(phoneNumbers).values({ ...written, workspaceId, id, accessToken: written.accessToken ?? "" });
  const action = stored ? "phoneNumber.changed" : "phoneNumber.connected";
  await recordAudit(tx, workspaceId, { by: PROVISIONER, action, targetId: id, ...change });
  return id;
};

const canDecryptTo = (
  plain: string,
  { sealed, row, encryptionKeys }: { sealed: string; row: string; encryptionKeys: EncryptionKeys },
) => {
  try {
    return decrypt(sealed, row, encryptionKeys) === plain;
  } catch {
    // Encrypted under a key that is gone: the file's token replaces it.
    return false;
  }
};

const clearOtherDefaults = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  { id, mode }: { id: string; mode: ProvisionedPhoneNumber["mode"] },
) => {
  const others = await tx
    .update(phoneNumbers)
    .set(changed({ isDefault: false }))
    .where(
      and(
        eq(phoneNumbers.workspaceId, workspaceId),
        eq(phoneNumbers.mode, mode),
        ne(phoneNumbers.id, id),
        eq(phoneNumbers.isDefault, true),
      ),
    )
    .returning({ id: phoneNumbers.id });
  for (const other of others) {
    await recordAudit(tx, workspaceId, {
      by: PROVISIONER,
      action: "phoneNumber.changed",
      targetId: other.id,
      before: { isDefault: true },
      after: { isDefault: false },
    });
  }
};

const thisLine = (workspaceId: WorkspaceId, id: string) =>
  and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, id));

const changed = <T extends object>(columns: T) => ({ ...columns, updatedAt: sql`now()` });
