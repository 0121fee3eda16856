import { and, eq, sql } from "drizzle-orm";
import { inTransaction, onDatabase } from "@/db/client";
import { users } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { type OpenedSession, replaceSession } from "@/lib/sessions/change-sessions";
import type { Visitor } from "@/lib/sessions/device";
import { queueSecurityNotice } from "./queue-security-notice";

export async function renameUser(userId: string, name: string): Promise<void> {
  await onDatabase((db) => db.update(users).set({ name }).where(eq(users.id, userId)));
}

/** `checkedHash` is the hash that the current password was checked against; null where the account had none. */
export type NewPassword = { checkedHash: string | null; passwordHash: string };

/**
 * Sets the password, ends all sessions and returns a new one. Of two concurrent changes one wins. Throws
 * UNAUTHORIZED if the session ended or the password was changed in between.
 */
export function changePassword(
  { userId, sessionId }: { userId: string; sessionId: string },
  { checkedHash, passwordHash }: NewPassword,
  visitor: Visitor,
): Promise<OpenedSession> {
  return inTransaction(async (tx) => {
    const [changed] = await tx
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), sql`${users.passwordHash} is not distinct from ${checkedHash}`))
      .returning({ id: users.id });
    if (!changed) throw new AppError("UNAUTHORIZED", "Your password was changed elsewhere: sign in again.");
    await queueSecurityNotice(tx, userId, "passwordChanged");
    return replaceSession(tx, { userId, sessionId, visitor });
  });
}
