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
import { callerAddress } from "@/lib/public-api/request-headers";
import { openFirstAccount } from "@/lib/workspaces/open-account";
import { WorkspaceName } from "@/lib/workspaces/workspace-fields";

const WRONG_TOKEN = "This is not the set-up token. Copy it from the line `setUp.token` of the server's log.";

export const setUp = visitorAction(
  {
    input: z.object({
      name: PersonName,
      email: Email,
      password: NewPassword,
      workspaceName: WorkspaceName,
      token: z
        .string()
        .trim()
        .min(1, "Type the token from the server's log.")
        .max(200, "This is not the set-up token."),
    }),
  },
  async ({ token, name, email, password, workspaceName }, requestId) => {
    // Before the hash, which is made to be slow.
    if (await hasAnyUser()) throw new AppError("NOT_FOUND", "Setup is already complete. Sign in.");
    const address = callerAddress(await headers());
    const opened = await countedForm("setUp", address, async () => {
      if (!isSetUpToken(token)) throw invalid([{ path: "token", message: WRONG_TOKEN }]);
      return openFirstAccount({
        user: { name, email, passwordHash: await hashPassword(password, address) },
        workspace: { name: workspaceName, plan: env().DEFAULT_PLAN },
        requestId,
      });
    });
    await signVisitorIn({ userId: opened.userId, email: email });
    redirect("/dashboard/get-started");
  },
);
