"use server";

import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { Email, NewPassword, PersonName } from "@/lib/auth/account-fields";
import { userAction, visitorAction } from "@/lib/auth/action";
import { countedForm } from "@/lib/auth/attempts";
import { choiceCookie, WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { hashPassword } from "@/lib/auth/password";
import { signVisitorIn } from "@/lib/auth/visitor-session";
import { callerAddress } from "@/lib/http/request-headers";
import { invitationInvalid, joinWithNewAccount, joinWorkspace } from "@/lib/workspaces/invitations";
import { findInvitation } from "@/lib/workspaces/queries";

const Token = z.string().max(100);

// The token is spent here, by a form that a person submits: whatever opens links, such as a mail scanner, only reads.

export const join = userAction({ input: z.object({ token: Token }) }, async ({ user, by }, { token }) => {
  const workspaceId = await countedForm("invitation", callerAddress(await headers()), () =>
    joinWorkspace(token, user, by.requestId ?? ""),
  );
  (await cookies()).set(WORKSPACE_COOKIE, workspaceId, choiceCookie());
  redirect("/dashboard");
});

export const joinAsNewUser = visitorAction(
  { input: z.object({ token: Token, name: PersonName, email: Email, password: NewPassword }) },
  async ({ token, password, ...person }, requestId) => {
    const address = callerAddress(await headers());
    const joined = await countedForm("invitation", address, async () => {
      // Before the hash, which is made to be slow: a made-up link costs next to nothing.
      if (!(await findInvitation(token))) throw invitationInvalid();
      const user = { ...person, passwordHash: await hashPassword(password, address) };
      return joinWithNewAccount(token, user, requestId);
    });
    await signVisitorIn({ userId: joined.userId, email: person.email });
    (await cookies()).set(WORKSPACE_COOKIE, joined.workspaceId, choiceCookie());
    redirect("/dashboard");
  },
);
