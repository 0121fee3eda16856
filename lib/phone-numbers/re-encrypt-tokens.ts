import { and, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import { currentSeal, type EncryptionKeys, encrypt, tryDecrypt } from "@/lib/core/crypto";
import { provenWorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** Counts of lines; `unreadable` lists those whose token no configured key decrypts, as `workspace/line`. */
export type Resealed = { resealed: number; alreadyCurrent: number; unreadable: string[] };

const BATCH = 100;

/**
 * Re-encrypts every stored token with the first of `keys`. Each is replaced only if it is still what was read, and
 * read again otherwise: a server with the old key may have written it. Sends continue: servers decrypt with both keys.
 */
export async function reEncryptTokens(keys: EncryptionKeys): Promise<Resealed> {
  const isCurrent = sql`starts_with(${phoneNumbers.accessToken}, ${currentSeal(keys)})`;
  const alreadyCurrent = await onDatabase((db) => db.$count(phoneNumbers, isCurrent));
  const { workspaceId, id, accessToken } = phoneNumbers;
  const unreadable: string[] = [];
  for (let resealed = 0; ; ) {
    const isUnreadable = sql`${workspaceId} || '/' || ${id} in (
      select json_array_elements_text(${JSON.stringify(unreadable)}::text::json))`;
    const stale = await onDatabase((db) =>
      db
        .select({ workspaceId, id, accessToken })
        .from(phoneNumbers)
        .where(and(isNull(phoneNumbers.disconnectedAt), sql`not ${isCurrent}`, sql`not (${isUnreadable})`))
        .limit(BATCH),
    );
    if (stale.length === 0) return { resealed, alreadyCurrent, unreadable };
    for (const token of stale) {
      const row = `${token.workspaceId}/${token.id}`;
      const plain = tryDecrypt(token.accessToken, row, keys);
      if (plain === undefined) unreadable.push(row);
      else resealed += await replace(token, encrypt(plain, row, keys));
    }
  }
}

type SealedToken = { workspaceId: string; id: string; accessToken: string };

/** Returns 0 if the token was replaced since it was read. */
const replace = async ({ workspaceId, id, accessToken }: SealedToken, sealed: string): Promise<number> => {
  const isThisToken = rowsOf(phoneNumbers, provenWorkspaceId(workspaceId), { id, accessToken });
  const replaced = await onDatabase((db) =>
    db.update(phoneNumbers).set({ accessToken: sealed }).where(isThisToken).returning({ id: phoneNumbers.id }),
  );
  return replaced.length;
};
