"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { visitorAction } from "@/lib/auth/action";
import { countFormAttempt } from "@/lib/auth/form-attempts";
import { openSession } from "@/lib/auth/open-session";
import { hashPassword } from "@/lib/auth/password";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { callerAddress } from "@/lib/public-api/caller-address";
import { Email, NewPassword, PersonName } from "@/lib/users/account-fields";
import { openFirstAccount } from "@/lib/users/open-account";
import { hasAnyUser } from "@/lib/users/queries";
import { WorkspaceName } from "@/lib/workspaces/workspace-fields";

export const setUp = visitorAction(
  { input: z.object({ name: PersonName, email: Email, password: NewPassword, workspaceName: WorkspaceName }) },
  async ({ name, email, password, workspaceName }, requestId) => {
    // Before the hash, which is made to be slow.
    if (await hasAnyUser()) throw new AppError("NOT_FOUND", "This deployment has its first account already.");
    await countFormAttempt("signUp", callerAddress(await headers()));
    const opened = await openFirstAccount({
      user: { name, email, passwordHash: await hashPassword(password) },
      workspace: { name: workspaceName, plan: env().DEFAULT_PLAN },
      requestId,
    });
    await openSession(opened);
    redirect("/dashboard/get-started");
  },
);
