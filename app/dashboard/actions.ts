"use server";

import { revalidatePath } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { dashboardAction } from "@/lib/auth/action";
import { choiceCookie, MODE_COOKIE, WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { memberOf } from "@/lib/auth/member";
import { signVisitorOut } from "@/lib/auth/visitor-session";

export const signOut = dashboardAction(async (): Promise<void> => {
  await signVisitorOut();
  redirect("/sign-in");
});

export const switchWorkspace = dashboardAction(async (form: FormData): Promise<void> => {
  const { workspaceId } = await memberOf((await headers()).get("cookie"), String(form.get("workspaceId")));
  (await cookies()).set(WORKSPACE_COOKIE, workspaceId, choiceCookie());
  redirect("/dashboard");
});

export const switchMode = dashboardAction(async (form: FormData): Promise<void> => {
  (await cookies()).set(MODE_COOKIE, form.get("mode") === "test" ? "test" : "live", choiceCookie());
  revalidatePath("/dashboard", "layout");
});
