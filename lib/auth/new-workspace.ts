import { env } from "@/lib/core/env";
import { isAnyWorkspaceThere } from "@/lib/workspaces/queries";
import type { SignedIn } from "./member";

/** Anybody where strangers may make accounts, else those who own a workspace, or where the last one is gone. */
export async function mayCreateWorkspace(user: Pick<SignedIn, "memberships"> | undefined): Promise<boolean> {
  if (!user) return false;
  if (env().ALLOW_SIGN_UP || user.memberships.some(({ role }) => role === "owner")) return true;
  return !(await isAnyWorkspaceThere());
}
