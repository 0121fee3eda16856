import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import { currentSeal, decrypt, type EncryptionKeys, encrypt } from "@/lib/core/crypto";

/** What a run did, in lines; `unreadable` names those whose token no key of ours opens, as `workspace/line`. */
export type Resealed = { resealed: number; alreadyCurrent: number; unreadable: string[] };

type SealedToken = { workspaceId: string; id: string; accessToken: string };

const BATCH = 100;

/**
 * Encrypts every stored token again, under the first of `keys`. Each is replaced only if it is still what was read, so
 * a token that a member changes at the same time is kept. Sends go on, because servers read under both keys.
 */
export async function resealTokens(keys: EncryptionKeys): Promise<Resealed> {
  const alreadyCurrent = await countCurrent(keys);
  const unreadable: string[] = [];
  let resealed = 0;
  for (let after = { workspaceId: "", id: "" }; ; ) {
    const batch = await readBatch(keys, after);
    for (const token of batch) {
      if (await reseal(token, keys)) resealed += 1;
      else unreadable.push(`${token.workspaceId}/${token.id}`);
    }
    const last = batch.at(-1);
    if (!last || batch.length < BATCH) return { resealed, alreadyCurrent, unreadable };
    after = last;
  }
}

const isCurrent = (keys: EncryptionKeys) => sql`starts_with(${phoneNumbers.accessToken}, ${currentSeal(keys)})`;

const countCurrent = (keys: EncryptionKeys) => onDatabase((db) => db.$count(phoneNumbers, isCurrent(keys)));

const readBatch = (keys: EncryptionKeys, { workspaceId, id }: { workspaceId: string; id: string }) =>
  onDatabase((db) =>
    db
      .select({ workspaceId: phoneNumbers.workspaceId, id: phoneNumbers.id, accessToken: phoneNumbers.accessToken })
      .from(phoneNumbers)
      .where(
        and(
          sql`(${phoneNumbers.workspaceId}, ${phoneNumbers.id}) > (${workspaceId}, ${id})`,
          isNull(phoneNumbers.disconnectedAt),
          sql`not ${isCurrent(keys)}`,
        ),
      )
      .orderBy(phoneNumbers.workspaceId, phoneNumbers.id)
      .limit(BATCH),
  );

/** False where the token cannot be read. */
const reseal = async ({ workspaceId, id, accessToken }: SealedToken, keys: EncryptionKeys): Promise<boolean> => {
  const row = `${workspaceId}/${id}`;
  for (let sealed: string | undefined = accessToken; sealed && !sealed.startsWith(currentSeal(keys)); ) {
    const plain = tryDecrypt(sealed, row, keys);
    if (plain === undefined) return false;
    const isThisToken = and(
      eq(phoneNumbers.workspaceId, workspaceId),
      eq(phoneNumbers.id, id),
      eq(phoneNumbers.accessToken, sealed),
    );
    const [replaced] = await onDatabase((db) =>
      db
        .update(phoneNumbers)
        .set({ accessToken: encrypt(plain, row, keys) })
        .where(isThisToken)
        .returning({ id: phoneNumbers.id }),
    );
    if (replaced) return true;
    // Another token was written since: perhaps by an old server, under the old key.
    sealed = await readToken(workspaceId, id);
  }
  return true;
};

const readToken = async (workspaceId: string, id: string): Promise<string | undefined> => {
  const [line] = await onDatabase((db) =>
    db
      .select({ accessToken: phoneNumbers.accessToken })
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, id))),
  );
  return line?.accessToken;
};

const tryDecrypt = (sealed: string, row: string, keys: EncryptionKeys): string | undefined => {
  try {
    return decrypt(sealed, row, keys);
  } catch {
    return undefined;
  }
};
