import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { type Action, can } from "@/lib/workspaces/roles";
import { accountOf, type Member } from "./member";

export const WORKSPACE_COOKIE = "workspace";

/** The member behind a page: sends strangers to the sign-in page and answers 404 where the role may not look. */
export const requireMember = async (action: Action = "seeWorkspace"): Promise<Member> => {
  const account = await currentAccount();
  if (!account) redirect("/sign-in");
  const chosen = (await cookies()).get(WORKSPACE_COOKIE)?.value;
  const member = account.find(({ workspaceId }) => workspaceId === chosen) ?? account[0];
  if (!member) redirect("/sign-in?error=NoWorkspace");
  if (!can(member.role, action)) notFound();
  return member;
};

/** Whether a page's visitor is signed in and has somewhere to go. */
export const isSignedIn = async (): Promise<boolean> => ((await currentAccount()) ?? []).length > 0;

const currentAccount = cache(async () => accountOf((await headers()).get("cookie")));
