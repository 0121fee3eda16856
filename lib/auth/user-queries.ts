import { eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { users } from "@/db/schema";

/** A deployment without a user shows its set-up in place of the sign-in. */
export async function hasAnyUser(): Promise<boolean> {
  const found = await onDatabase((db) => db.select({ id: users.id }).from(users).limit(1));
  return found.length > 0;
}

/** An account that signs in through a provider only has none. */
export async function findPasswordHash(userId: string): Promise<string | null> {
  const [user] = await onDatabase((db) =>
    db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)).limit(1),
  );
  return user?.passwordHash ?? null;
}
