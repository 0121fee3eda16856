import { eq, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { sessions } from "@/db/schema";
import { env } from "@/lib/core/env";
import { renewSession } from "./change-sessions";

type Used = { sessionId: string; isRenewable: boolean };

/** Notes that a session's person is about to change something, so that their lists show it: they are read from the primary. */
export async function recordAction({ sessionId, isRenewable }: Used): Promise<void> {
  if (isRenewable) await renewSession(sessionId);
  if (!env().DATABASE_REPLICA_URL) return;
  await onDatabase((db) => db.update(sessions).set({ actedAt: sql`now()` }).where(eq(sessions.id, sessionId)));
}
