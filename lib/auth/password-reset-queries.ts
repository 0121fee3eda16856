import { and, eq, gt, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { passwordResets, users } from "@/db/schema";
import { hashToken, isToken } from "@/lib/core/link-token";

/** Whose password the holder of a link may set; undefined where the link was used, replaced or has expired. */
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
