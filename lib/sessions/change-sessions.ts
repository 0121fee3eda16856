import { and, eq, gt, ne, sql } from "drizzle-orm";
import { inTransaction, onDatabase, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { apiKeys, sessions } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import { deviceName, maskedAddress, type Visitor } from "./device";
import { IDLE_SECONDS } from "./record-action";

/** The most sessions per account: a new one ends the oldest. */
const MAX_SESSIONS = 50;

/** How long a sign-in waits for the code of the second factor. */
const CODE_MINUTES = 10;

/**
 * `passwordHash`: opens only if it is still the account's. `replaces`: the browser's old session, which ends. `hasFactor`: a code
 * of the second factor was given.
 */
type Opening = {
  userId: string;
  visitor: Visitor;
  passwordHash?: string | null;
  replaces?: string | undefined;
  hasFactor?: boolean;
};

/** `isCodeDue`: it opens nothing yet, as the account has a second factor. */
export type OpenedSession = { id: string; isCodeDue: boolean };

/** Opens a session; undefined if the password was changed after it was checked. */
export function openSession(opening: Opening): Promise<OpenedSession | undefined> {
  return inTransaction((tx) => addSession(tx, opening));
}

/** The same within the caller's transaction. No other place writes a session, so that no way in passes by the second factor. */
export async function addSession(
  tx: Transaction,
  { userId, visitor, passwordHash, replaces, hasFactor = false }: Opening,
): Promise<OpenedSession | undefined> {
  const raw = rawSql(tx);
  const isUnchanged =
    passwordHash === undefined ? raw`true` : raw`u.password_hash is not distinct from ${passwordHash}`;
  const isDue = hasFactor ? raw`false` : raw`u.factor_secret is not null`;
  // The lock makes a concurrent change of password or factor wait, which then also ends this session.
  const [opened] = await raw<OpenedSession[]>`
    insert into sessions (id, user_id, expires_at, code_until, device, masked_address)
    select ${newId("ses")}, u.id,
      case when ${isDue} then now() else now() + make_interval(secs => ${IDLE_SECONDS}::int) end,
      case when ${isDue} then now() + make_interval(mins => ${CODE_MINUTES}::int) end,
      ${deviceName(visitor.userAgent)}, ${maskedAddress(visitor.address)}
    from users u where u.id = ${userId} and ${isUnchanged} for share
    returning id, code_until is not null as "isCodeDue"`;
  if (!opened) return undefined;
  if (replaces) await raw`delete from sessions where id = ${replaces}`;
  await raw`
    delete from sessions where user_id = ${userId} and id in (
      select id from sessions where user_id = ${userId} and (code_until is not null) = ${opened.isCodeDue}
      order by signed_in_at desc, id desc offset ${MAX_SESSIONS})`;
  return opened;
}

/**
 * Ends every session of a user, and opens one in place of the acting one. Throws UNAUTHORIZED if that one has ended.
 */
export async function replaceSession(
  tx: Transaction,
  { userId, sessionId, visitor }: { userId: string; sessionId: string; visitor: Visitor },
): Promise<OpenedSession> {
  const ended = await endSessionsOf(tx, userId);
  const opened = ended.includes(sessionId) ? await addSession(tx, { userId, visitor, hasFactor: true }) : undefined;
  if (!opened) throw new AppError("UNAUTHORIZED", "This session has ended: sign in again.");
  return opened;
}

/** Ends a cookie's session. Idempotent. */
export async function endSession(sessionId: string): Promise<void> {
  await onDatabase((db) => db.delete(sessions).where(eq(sessions.id, sessionId)));
}

/** Ends one of a user's own sessions. Does nothing for another user's session. */
export async function endOwnSession(userId: string, sessionId: string): Promise<void> {
  await onDatabase((db) => db.delete(sessions).where(and(eq(sessions.userId, userId), eq(sessions.id, sessionId))));
}

/** Ends every session of a user except `except`. */
export function endEverySession(userId: string, except?: string): Promise<string[]> {
  return inTransaction((tx) => endSessionsOf(tx, userId, except));
}

/**
 * The same within the caller's transaction. Also expires the "Try it" keys in the user's browsers, from
 * the docs. Returns the ids of the sessions that it ended.
 */
export async function endSessionsOf(tx: Transaction, userId: string, except?: string): Promise<string[]> {
  const ended = await tx
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), except === undefined ? undefined : ne(sessions.id, except)))
    .returning({ id: sessions.id });
  await tx
    .update(apiKeys)
    .set({ expiresAt: sql`now()`, previousSecretEndsAt: sql`now()` })
    .where(and(eq(apiKeys.trialOf, userId), gt(apiKeys.expiresAt, sql`now()`)));
  return ended.map(({ id }) => id);
}
