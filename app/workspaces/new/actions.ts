"use server";

import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { userAction } from "@/lib/auth/action";
import { choiceCookie, WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { mayCreateWorkspace } from "@/lib/auth/member";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { createWorkspace } from "@/lib/workspaces/open-account";
import { WorkspaceName } from "@/lib/workspaces/workspace-fields";

export const createOwnWorkspace = userAction(
  { input: z.object({ name: WorkspaceName }) },
  async ({ user, by }, { name }) => {
    if (!(await mayCreateWorkspace(user))) throw new AppError("FORBIDDEN", "Only an owner of a workspace can do this.");
    const workspaceId = await createWorkspace({ name, plan: env().DEFAULT_PLAN, ownerId: user.userId }, by);
    (await cookies()).set(WORKSPACE_COOKIE, workspaceId, choiceCookie());
    redirect("/dashboard/get-started");
  },
);
