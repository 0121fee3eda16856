"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { NewPassword } from "@/lib/auth/account-fields";
import { visitorAction } from "@/lib/auth/action";
import { countedForm, forgetFailures } from "@/lib/auth/attempts";
import { hashPassword } from "@/lib/auth/password";
import { resetLinkInvalid, resetPassword } from "@/lib/auth/reset-password";
import { findReset } from "@/lib/auth/user-queries";
import { visitorOf } from "@/lib/auth/visitor";
import { setSessionCookie } from "@/lib/auth/visitor-session";

const Token = z.string().max(100);

/** Whose password the link sets. It is not used up by reading it. */
export const readResetLink = visitorAction({ input: z.object({ token: Token }) }, async ({ token }) => {
  const { address } = visitorOf(await headers());
  const found = await countedForm("passwordReset", address, () => findReset(token));
  if (!found) throw resetLinkInvalid();
  return found;
});

export const setNewPassword = visitorAction(
  { input: z.object({ token: Token, password: NewPassword }) },
  async ({ token, password }, requestId) => {
    const visitor = visitorOf(await headers());
    const { opened, email } = await countedForm("passwordReset", visitor.address, async () => {
      // Before the hash, which is made to be slow: a made-up link costs next to nothing.
      if (!(await findReset(token))) throw resetLinkInvalid();
      const passwordHash = await hashPassword(password, visitor.address);
      return resetPassword({ token, passwordHash, visitor, requestId });
    });
    await forgetFailures(email);
    await setSessionCookie(opened, email);
    redirect("/dashboard");
  },
);
