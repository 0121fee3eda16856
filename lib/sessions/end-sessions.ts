import { and, eq, gt, ne, sql } from "drizzle-orm";
import { inTransaction, onDatabase, type Transaction } from "@/db/client";
import { apiKeys, sessions } from "@/db/schema";

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
