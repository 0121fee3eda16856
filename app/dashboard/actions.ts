"use server";

import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { dashboardAction } from "@/lib/auth/action";
import { memberOf } from "@/lib/auth/member";
import { WORKSPACE_COOKIE } from "@/lib/auth/page-member";
import { sessionCookieName, usesSecureCookies } from "@/lib/auth/session-token";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

export const signOut = dashboardAction(async (): Promise<void> => {
  const jar = await cookies();
  jar.delete({ name: sessionCookieName(), path: "/", secure: usesSecureCookies() });
  jar.delete(WORKSPACE_COOKIE);
  redirect("/sign-in");
});

export const switchWorkspace = dashboardAction(async (form: FormData): Promise<void> => {
  const { workspaceId } = await memberOf((await headers()).get("cookie"), String(form.get("workspaceId")));
  (await cookies()).set(WORKSPACE_COOKIE, workspaceId, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: usesSecureCookies(),
    maxAge: YEAR_SECONDS,
  });
  redirect("/dashboard");
});
