"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { Email, NewPassword, PersonName } from "@/lib/auth/account-fields";
import { visitorAction } from "@/lib/auth/action";
import { countedForm } from "@/lib/auth/attempts";
import { hashPassword } from "@/lib/auth/password";
import { isSetUpToken } from "@/lib/auth/set-up-token";
import { hasAnyUser } from "@/lib/auth/user-queries";
import { signVisitorIn } from "@/lib/auth/visitor-session";
import { AppError, invalid } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { callerAddress } from "@/lib/http/request-headers";
import { openAccount, openFirstAccount } from "@/lib/workspaces/open-account";
import { WorkspaceName } from "@/lib/workspaces/workspace-fields";

const NewAccount = z.object({ name: PersonName, email: Email, password: NewPassword, workspaceName: WorkspaceName });

const Token = z
  .string()
  .trim()
  .min(1, "Type the token from the server's log.")
  .max(200, "This is not the set-up token.");
const WRONG_TOKEN = "This is not the set-up token. Copy it from the line `setUp.token` of the server's log.";

export const signUp = visitorAction({ input: NewAccount }, async (account, requestId) => {
  if (!env().ALLOW_SIGN_UP) throw new AppError("NOT_FOUND", "Accounts are created by invitation here.");
  return enter(account, requestId, { kind: "signUp", open: openAccount });
});

export const setUp = visitorAction({ input: NewAccount.extend({ token: Token }) }, async (account, requestId) => {
  if (await hasAnyUser()) throw new AppError("NOT_FOUND", "Setup is already complete. Sign in.");
  return enter(account, requestId, { kind: "setUp", open: openFirstAccount, token: account.token });
});

type Opening = { kind: "signUp" | "setUp"; open: typeof openAccount; token?: string };

/** Opens an account with its workspace, and signs in. */
async function enter(
  { name, email, password, workspaceName }: z.infer<typeof NewAccount>,
  requestId: string,
  { kind, open, token }: Opening,
): Promise<never> {
  const address = callerAddress(await headers());
  const { userId } = await countedForm(kind, address, async () => {
    // Before the hash, which is made to be slow.
    if (token !== undefined && !isSetUpToken(token)) throw invalid([{ path: "token", message: WRONG_TOKEN }]);
    return open({
      user: { name, email, passwordHash: await hashPassword(password, address) },
      workspace: { name: workspaceName, plan: env().DEFAULT_PLAN },
      requestId,
    });
  });
  await signVisitorIn({ userId, email });
  redirect("/dashboard/get-started");
}
