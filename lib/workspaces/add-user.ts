import type { Transaction } from "@/db/client";
import { users } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";

/** The password comes hashed, because nouns do not know lib/auth. */
export type NewUser = { email: string; name: string; passwordHash: string };

/** Makes an account within a transaction that also gives it a workspace. The database decides who has an address. */
export async function addUser(
  tx: Transaction,
  user: NewUser,
  { isEmailVouched = false }: { isEmailVouched?: boolean } = {},
): Promise<{ userId: string }> {
  const [made] = await tx
    .insert(users)
    .values({ ...user, id: newId("usr"), isEmailVouched })
    .onConflictDoNothing({ target: users.email })
    .returning({ userId: users.id });
  if (made) return made;
  throw invalid([{ path: "email", message: "There is an account with this address: sign in instead." }]);
}
