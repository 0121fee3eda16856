"use server";

import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { dashboardAction } from "@/lib/auth/action";
import { choiceCookie, WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { memberOf } from "@/lib/auth/member";
import { signVisitorOut } from "@/lib/auth/visitor-session";

export const signOut = dashboardAction(async (): Promise<void> => {
  await signVisitorOut();
  redirect("/sign-in");
});

export const switchWorkspace = dashboardAction(async (form: FormData): Promise<void> => {
  const { workspaceId } = await memberOf((await headers()).get("cookie"), String(form.get("workspaceId")));
  (await cookies()).set(WORKSPACE_COOKIE, workspaceId, choiceCookie());
  // A tab in test mode stays there. Live is the other workspace's own decision: it may have no live line.
  redirect(form.get("mode") === "test" ? "/dashboard?mode=test" : "/dashboard");
});
