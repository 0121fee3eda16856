import { and, eq, gt, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { sessions } from "@/db/schema";
import { env } from "@/lib/core/env";

/** How long a session lasts, however much it is used; so long its cookie does. */
export const SESSION_SECONDS = 14 * 24 * 60 * 60;
/** How long it lasts without use. */
export const IDLE_SECONDS = 8 * 60 * 60;
/** How much later it would end by now before that is written. */
const RENEWED_BY_SECONDS = 10 * 60;

/** When a session that is used now ends. */
const END = sql<Date>`least(now() + make_interval(secs => ${IDLE_SECONDS}::int),
  ${sessions.signedInAt} + make_interval(secs => ${SESSION_SECONDS}::int))`;

/** Whether it is time to write that a session was used. */
export const IS_RENEWABLE = sql<boolean>`${sessions.expiresAt} < ${END} - make_interval(secs => ${RENEWED_BY_SECONDS}::int)`;

type Used = { sessionId: string; isRenewable: boolean };

/** Notes that a session's person is about to change something, so that their lists show it: they are read from the primary. */
export async function recordAction({ sessionId, isRenewable }: Used): Promise<void> {
  if (isRenewable) await renewSession(sessionId);
  if (!env().DATABASE_REPLICA_URL) return;
  await onDatabase((db) => db.update(sessions).set({ actedAt: sql`now()` }).where(eq(sessions.id, sessionId)));
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
