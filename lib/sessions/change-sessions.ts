import { and, eq, gt, ne, sql } from "drizzle-orm";
import { inTransaction, onDatabase, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { apiKeys, sessions } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import { deviceName, maskedAddress, type Visitor } from "./device";

/** How long a session lasts, however much it is used; so long its cookie does. */
export const SESSION_SECONDS = 14 * 24 * 60 * 60;
/** How long it lasts without use. */
const IDLE_SECONDS = 8 * 60 * 60;
/** How much later it would end by now before that is written. */
const RENEWED_BY_SECONDS = 10 * 60;

/** When a session that is used now ends. */
const END = sql<Date>`least(now() + make_interval(secs => ${IDLE_SECONDS}::int),
  ${sessions.signedInAt} + make_interval(secs => ${SESSION_SECONDS}::int))`;

/** Whether it is time to write that a session was used. */
export const IS_RENEWABLE = sql<boolean>`${sessions.expiresAt} < ${END} - make_interval(secs => ${RENEWED_BY_SECONDS}::int)`;

/** The most sessions per account: a new one ends the oldest. */
const MAX_SESSIONS = 50;

/**
 * `passwordHash`: opens only if it is still the account's. `replaces`: the browser's old session, which ends.
 */
type Opening = {
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
  const raw = rawSql(tx);
  const isUnchanged =
    passwordHash === undefined ? raw`true` : raw`u.password_hash is not distinct from ${passwordHash}`;
  // The lock makes a concurrent password change wait, which then also ends this session.
  const [opened] = await raw<{ id: string }[]>`
    insert into sessions (id, user_id, expires_at, device, masked_address)
    select ${newId("ses")}, u.id, now() + make_interval(secs => ${IDLE_SECONDS}::int),
      ${deviceName(visitor.userAgent)}, ${maskedAddress(visitor.address)}
    from users u where u.id = ${userId} and ${isUnchanged} for share
    returning id`;
  if (!opened) return undefined;
  if (replaces) await raw`delete from sessions where id = ${replaces}`;
  await raw`
    delete from sessions where user_id = ${userId} and id in (
      select id from sessions where user_id = ${userId} order by signed_in_at desc, id desc offset ${MAX_SESSIONS})`;
  return opened.id;
}

/** Lets a session that is used go on. One that has ended stays so. */
export async function renewSession(sessionId: string): Promise<void> {
  await onDatabase(
    (db) =>
      db
        .update(sessions)
        .set({ expiresAt: END })
        .where(and(eq(sessions.id, sessionId), gt(sessions.expiresAt, sql`now()`))),
    { pool: "records" },
  );
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
