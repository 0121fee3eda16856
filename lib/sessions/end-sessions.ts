import { and, eq, gt, ne, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { apiKeys, sessions } from "@/db/schema";

/** Ends the session of a cookie. Ending it again changes nothing. */
export async function endSession(sessionId: string): Promise<void> {
  await onDatabase((db) => db.delete(sessions).where(eq(sessions.id, sessionId)));
}

/** Ends one of a person's own sessions. Another person's id changes nothing. */
export async function endOwnSession(userId: string, sessionId: string): Promise<void> {
  await onDatabase((db) => db.delete(sessions).where(and(eq(sessions.userId, userId), eq(sessions.id, sessionId))));
}

/** Ends every session of a person, but the one of `except`. */
export function endEverySession(userId: string, except?: string): Promise<string[]> {
  return onDatabase((db) => db.transaction((tx) => endSessionsOf(tx, userId, except)));
}

/**
 * The same within the transaction that is the reason for it, with the keys that the person's browsers hold for "Try it" in
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
