"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { Email, NewPassword, PersonName } from "@/lib/auth/account-fields";
import { visitorAction } from "@/lib/auth/action";
import { countedForm } from "@/lib/auth/attempts";
import { hashPassword } from "@/lib/auth/password";
import { signVisitorIn } from "@/lib/auth/visitor-session";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { callerAddress } from "@/lib/public-api/request-headers";
import { openAccount } from "@/lib/workspaces/open-account";
import { WorkspaceName } from "@/lib/workspaces/workspace-fields";

export const signUp = visitorAction(
  { input: z.object({ name: PersonName, email: Email, password: NewPassword, workspaceName: WorkspaceName }) },
  async ({ name, email, password, workspaceName }, requestId) => {
    if (!env().ALLOW_SIGN_UP) throw new AppError("NOT_FOUND", "Accounts are created by invitation here.");
    const address = callerAddress(await headers());
    const opened = await countedForm("signUp", address, async () =>
      openAccount({
        user: { name, email, passwordHash: await hashPassword(password, address) },
        workspace: { name: workspaceName, plan: env().DEFAULT_PLAN },
        requestId,
      }),
    );
    await signVisitorIn({ userId: opened.userId, email: email });
    redirect("/dashboard/get-started");
  },
);
