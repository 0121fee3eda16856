import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { passwordResets, users } from "@/db/schema";
import { hashToken, isToken } from "@/lib/core/crypto";

/** A deployment without a user shows its set-up in place of the sign-in. */
export async function hasAnyUser(): Promise<boolean> {
  const found = await onDatabase((db) => db.select({ id: users.id }).from(users).limit(1));
  return found.length > 0;
}

/** Returns an account's password hash; null if it signs in through a provider only. */
export async function findPasswordHash(userId: string): Promise<string | null> {
  const [user] = await onDatabase((db) =>
    db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)).limit(1),
  );
  return user?.passwordHash ?? null;
}

/** Returns how many recovery codes an account has left; undefined without a second factor. */
export async function countRecoveryCodes(userId: string): Promise<number | undefined> {
  const [user] = await onDatabase((db) =>
    db
      .select({ left: sql<number>`cardinality(${users.recoveryHashes})` })
      .from(users)
      .where(and(eq(users.id, userId), isNotNull(users.factorSecret))),
  );
  return user?.left;
}

/** Returns the account of a reset link; undefined if the link was used, replaced or has expired. */
export async function findReset(token: string): Promise<{ email: string } | undefined> {
  if (!isToken(token)) return undefined;
  const [reset] = await onDatabase((db) =>
    db
      .select({ email: users.email })
      .from(passwordResets)
      .innerJoin(users, eq(users.id, passwordResets.userId))
      .where(and(eq(passwordResets.tokenHash, hashToken(token)), gt(passwordResets.expiresAt, sql`now()`)))
      .limit(1),
  );
  return reset;
}
