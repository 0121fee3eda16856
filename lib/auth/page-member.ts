import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { type Action, can } from "@/lib/workspaces/roles";
import { type Member, membershipsOf } from "./member";

export const WORKSPACE_COOKIE = "workspace";

/** The member behind a page: sends strangers to the sign-in page and answers 404 where the role may not look. */
export const requireMember = async (action: Action = "seeWorkspace"): Promise<Member> => {
  const memberships = await currentMemberships();
  if (!memberships) redirect("/sign-in");
  const chosen = (await cookies()).get(WORKSPACE_COOKIE)?.value;
  const member = memberships.find(({ workspaceId }) => workspaceId === chosen) ?? memberships[0];
  if (!member) redirect("/sign-in?error=NoWorkspace");
  if (!can(member.role, action)) notFound();
  return member;
};

/** Whether a page's visitor is signed in and has somewhere to go. */
export const isSignedIn = async (): Promise<boolean> => ((await currentMemberships()) ?? []).length > 0;

const currentMemberships = cache(async () => membershipsOf((await headers()).get("cookie")));
