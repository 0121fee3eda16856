import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { after } from "next/server";
import { cache } from "react";
import type { Mode } from "@/db/schema/identity";
import { errorFields, log } from "@/lib/core/log";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { isVisitDue, recordVisit } from "@/lib/workspaces/record-visit";
import { type Action, can } from "@/lib/workspaces/roles";
import { WORKSPACE_COOKIE } from "./choice-cookies";
import { type Member, type SignedIn, signedInOf } from "./member";

/** The member behind a page: sends strangers to the sign-in page and answers 404 where the role may not look. */
export async function requireMember(action: Action = "seeWorkspace"): Promise<Member> {
  const memberships = await currentMemberships();
  if (!memberships) redirect("/sign-in");
  const member = await chosenOf(memberships);
  if (!member) redirect("/sign-in?error=NoWorkspace");
  noteVisit(member);
  if (!can(member.role, action)) notFound();
  return member;
}

/**
 * The member of whichever of the visitor's workspaces has what `find` looks for, and the thing itself. Where that is not
 * the chosen workspace, the same address is opened again in it, and in the tab's mode; 404 where none has it.
 */
export async function requireMemberOf<T>(
  { path, mode }: { path: string; mode: Mode | undefined },
  find: (workspaceId: WorkspaceId) => Promise<T | undefined>,
  action: Action = "seeWorkspace",
): Promise<{ member: Member; found: T }> {
  const member = await requireMember(action);
  const found = await find(member.workspaceId);
  if (found) return { member, found };
  const others = ((await currentMemberships()) ?? []).filter(
    ({ workspaceId, role }) => workspaceId !== member.workspaceId && can(role, action),
  );
  for (const { workspaceId } of others) {
    if (await find(workspaceId)) redirect(withQuery(path, { mode, workspace: workspaceId }));
  }
  notFound();
}

/** The member who reads a public page, in the workspace of their choice; undefined for a stranger, who may stay. */
export async function currentMember(): Promise<Member | undefined> {
  return chosenOf((await currentMemberships()) ?? []);
}

/** The mode of an address that names none: live once the workspace has a live line. */
export function standardMode({ workspace }: Member): Mode {
  return workspace.hasLiveLine ? "live" : "test";
}

/** Which messages, calls and templates a page shows: those of the mode that its address names. */
export async function shownMode(member: Member, parameters: Promise<{ mode?: unknown }>): Promise<Mode> {
  return readMode((await parameters).mode) ?? standardMode(member);
}

/** Whether a page's visitor is signed in and has somewhere to go. */
export async function isSignedIn(): Promise<boolean> {
  return ((await currentMemberships()) ?? []).length > 0;
}

/** A person with a session, whether or not they are a member anywhere. */
export const currentUser = cache(
  async (): Promise<SignedIn | undefined> => signedInOf((await headers()).get("cookie")),
);

const currentMemberships = async (): Promise<Member[] | undefined> => (await currentUser())?.memberships;

const chosenOf = async (memberships: Member[]): Promise<Member | undefined> => {
  const chosen = (await cookies()).get(WORKSPACE_COOKIE)?.value;
  return memberships.find(({ workspaceId }) => workspaceId === chosen) ?? memberships[0];
};

/** Off the page's own path: a page is as fast, and as right, without it. */
const noteVisit = cache(({ workspaceId, userId, lastSeenAt }: Member): void => {
  if (!isVisitDue(lastSeenAt, new Date())) return;
  after(() => recordVisit(workspaceId, userId).catch((error) => log("warn", "visit.notRecorded", errorFields(error))));
});
