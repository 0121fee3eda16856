import { and, desc, eq, gt, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { sessions } from "@/db/schema";

/** Lists a user's open sessions, newest first. */
export function listSessions(userId: string) {
  return onDatabase((db) =>
    db
      .select(columnsOf(sessions, "id", "device", "maskedAddress", "signedInAt"))
      .from(sessions)
      .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
      .orderBy(desc(sessions.signedInAt), desc(sessions.id)),
  );
}

/** Returns when a session expires; undefined if it has ended. */
export async function findSessionEnd(sessionId: string): Promise<Date | undefined> {
  const [session] = await onDatabase((db) =>
    db
      .select({ expiresAt: sessions.expiresAt })
      .from(sessions)
      .where(and(eq(sessions.id, sessionId), gt(sessions.expiresAt, sql`now()`)))
      .limit(1),
  );
  return session?.expiresAt;
}
