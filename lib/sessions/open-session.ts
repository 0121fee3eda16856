import { inTransaction, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { newId } from "@/lib/core/new-id";
import { deviceName, maskedAddress, type Visitor } from "./device";

/** How long a session lasts, regardless of use. */
export const SESSION_SECONDS = 8 * 60 * 60;

/** The most sessions per account: a new one ends the oldest. */
const MOST_SESSIONS = 50;

/**
 * `passwordHash`: opens only if it is still the account's. `replaces`: the browser's old session, which ends.
 */
export type Opening = {
  userId: string;
  visitor: Visitor;
  passwordHash?: string | null;
  replaces?: string | undefined;
};

/** Opens a session and returns its id; undefined if the password was changed after it was checked. */
export function openSession(opening: Opening): Promise<string | undefined> {
  return inTransaction((tx) => addSession(tx, opening));
}

/** The same within the caller's transaction. */
export async function addSession(
  tx: Transaction,
  { userId, visitor, passwordHash, replaces }: Opening,
): Promise<string | undefined> {
  const sql = rawSql(tx);
  const isUnchanged =
    passwordHash === undefined ? sql`true` : sql`u.password_hash is not distinct from ${passwordHash}`;
  // The lock makes a concurrent password change wait, which then also ends this session.
  const [opened] = await sql<{ id: string }[]>`
    insert into sessions (id, user_id, expires_at, device, masked_address)
    select ${newId("ses")}, u.id, now() + make_interval(secs => ${SESSION_SECONDS}::int),
      ${deviceName(visitor.userAgent)}, ${maskedAddress(visitor.address)}
    from users u where u.id = ${userId} and ${isUnchanged} for share
    returning id`;
  if (!opened) return undefined;
  await sql`
    delete from sessions where user_id = ${userId} and id in (
      select id from sessions where user_id = ${userId} order by signed_in_at desc, id desc offset ${MOST_SESSIONS})`;
  if (replaces) await sql`delete from sessions where id = ${replaces}`;
  return opened.id;
}
