import { and, eq, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { users } from "@/db/schema";
import { AppError } from "@/lib/errors";
import type { Account } from "./add-user";

export const renameUser = async (userId: string, name: string): Promise<void> => {
  await onDatabase((db) => db.update(users).set({ name }).where(eq(users.id, userId)));
};

/** Ends every session of the account; the answer begins a new one. Of two changes at once one is made. */
export const changePassword = (account: Account, passwordHash: string): Promise<Account> =>
  nextVersion(account, { passwordHash });

/** Ends every session of the account, this one among them. */
export const endSessions = (account: Account): Promise<Account> => nextVersion(account, {});

const nextVersion = async (
  { userId, sessionVersion }: Account,
  changes: { passwordHash?: string },
): Promise<Account> => {
  const [next] = await onDatabase((db) =>
    db
      .update(users)
      .set({ ...changes, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(and(eq(users.id, userId), eq(users.sessionVersion, sessionVersion)))
      .returning({ userId: users.id, sessionVersion: users.sessionVersion }),
  );
  if (!next) throw new AppError("UNAUTHORIZED", "This session has ended: sign in again.");
  return next;
};
