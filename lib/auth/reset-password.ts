import { and, eq, gt, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { passwordResets, users } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { hashToken } from "@/lib/core/crypto";
import { provenWorkspaceId } from "@/lib/core/principal";
import { addSession, endSessionsOf } from "@/lib/sessions/change-sessions";
import type { Visitor } from "@/lib/sessions/device";
import { byUser } from "@/lib/workspaces/author";
import { resetFault } from "@/lib/workspaces/member-rules";
import { lockMembership } from "@/lib/workspaces/queries";
import { recorder } from "@/lib/workspaces/record-audit";
import { isMemberElsewhere, lockAccount, resetNoLongerGood, workspacesOf } from "./make-reset-link";

type NewPassword = { token: string; passwordHash: string; visitor: Visitor; requestId: string };

/**
 * Sets a new password with a one-time link; of concurrent uses one succeeds. Ends all sessions of the
 * account and returns the id of a new one. Throws FORBIDDEN if the link is invalid or expired.
 */
export function resetPassword({
  token,
  passwordHash,
  visitor,
  requestId,
}: NewPassword): Promise<{ sessionId: string; email: string }> {
  return inTransaction(async (tx) => {
    const isThis = and(eq(passwordResets.tokenHash, hashToken(token)), gt(passwordResets.expiresAt, sql`now()`));
    const [found] = await tx.select().from(passwordResets).where(isThis);
    if (!found) throw resetNoLongerGood();
    const { userId } = found;
    await checkLinkCreator(tx, found);
    const account = await lockAccount(tx, eq(users.id, userId));
    if (found.workspaceId !== null && (await isMemberElsewhere(tx, userId, found.workspaceId))) {
      throw resetNoLongerGood();
    }
    const [spent] = await tx.delete(passwordResets).where(isThis).returning({ userId: passwordResets.userId });
    if (!account || !spent) throw resetNoLongerGood();
    await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
    await endSessionsOf(tx, userId);
    const sessionId = await addSession(tx, { userId, visitor });
    if (!sessionId) throw new Error("the account is locked, so it has a session");
    const after = { email: account.email, linkMadeBy: found.madeBy ?? "operator" };
    for (const workspaceId of await workspacesOf(tx, userId)) {
      await recorder(tx, workspaceId, byUser(userId, requestId))("member.passwordReset", userId, {
        before: null,
        after,
      });
    }
    return { sessionId, email: account.email };
  });
}

/** Checks that the link's creator is still allowed to reset this password. */
const checkLinkCreator = async (
  tx: Transaction,
  { workspaceId, madeBy, userId }: typeof passwordResets.$inferSelect,
): Promise<void> => {
  if (workspaceId === null || madeBy === null) return;
  const people = { actingId: madeBy, targetId: userId };
  const membership = await lockMembership(tx, provenWorkspaceId(workspaceId), people).catch((error: unknown) => {
    throw error instanceof AppError ? resetNoLongerGood() : error;
  });
  if (resetFault(membership)) throw resetNoLongerGood();
};
