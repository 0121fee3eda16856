import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { after } from "next/server";
import { cache } from "react";
import { errorFields, log } from "@/lib/core/log";
import { REFRESH_COOKIE, readMode } from "@/lib/core/page-mode";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { renewSession } from "@/lib/sessions/record-action";
import { whoHelps } from "@/lib/workspaces/queries";
import { isVisitDue, recordVisit } from "@/lib/workspaces/record-visit";
import { type Action, can } from "@/lib/workspaces/roles";
import { WORKSPACE_COOKIE } from "./choice-cookies";
import { FACTOR_PATH, type Member, type SignedIn, signedInOf } from "./member";

/** Returns the member behind a page. Redirects visitors to sign-in. */
export async function requireMember(): Promise<Member> {
  const user = await currentUser();
  if (!user) redirect("/sign-in");
  if (user.factorRequiredBy !== undefined) redirect(FACTOR_PATH);
  const member = await currentMember();
  if (!member) redirect("/sign-in?error=NoWorkspace");
  await noteVisit(member);
  shown().member = member;
  return member;
}

/** The member for whom the page is rendered, for its components: only where it has called `requireMember`. */
export function pageMember(): Member {
  const { member } = shown();
  if (!member) throw new Error("pageMember() requires requireMember() first.");
  return member;
}

/** Whether that member may do it. */
export function may(action: Action): boolean {
  return can(pageMember().role, action);
}

/** Who may do what that member may not, in words: read once for a page. */
export const whoMayHelp = cache((action: Action): Promise<string> => whoHelps(pageMember().workspaceId, action));

/** One for each render. */
const shown = cache((): { member?: Member } => ({}));

type RecordProps = { params: Promise<Record<string, string>>; searchParams: Promise<{ mode?: unknown }> };

/**
 * Reads what a page about one record shows, once for the page and its title: the member, and what `find` finds in the
 * selected workspace. If it is in another one of the visitor's, redirects to the same page there; 404 if none has it, and
 * to the list, which says who can help, if the role may not see it. `address` is the page's own, such as
 * `/dashboard/contacts/[contactId]`, and `find` takes its ids in their order.
 */
export function recordPageLoader<T>(
  address: string,
  find: (workspaceId: WorkspaceId, ...ids: [string, string]) => Promise<T | undefined>,
  action: Action = "seeWorkspace",
) {
  const read = cache(async (mode: Mode | undefined, first: string, second: string) => {
    const member = await requireMember();
    const found = can(member.role, action) ? await find(member.workspaceId, first, second) : undefined;
    if (found) return { member, found };
    const ids = [first, second];
    const path = address.replace(/\[\w+\]/g, () => encodeURIComponent(ids.shift() ?? ""));
    for (const { workspaceId: workspace, role } of (await currentUser())?.memberships ?? []) {
      const isOther = workspace !== member.workspaceId && can(role, action);
      if (isOther && (await find(workspace, first, second))) redirect(withQuery(path, { mode, workspace }));
    }
    if (!can(member.role, action)) redirect(address.replace(/\/\[.*/, ""));
    notFound();
  });
  const names = [...address.matchAll(/\[(\w+)\]/g)].map(([, name = ""]) => name);
  return async ({ params, searchParams }: RecordProps) => {
    const given = await params;
    const [first = "", second = ""] = names.map((name) => given[name]);
    return read(readMode((await searchParams).mode), first, second);
  };
}

/** The title of a page about one record. */
export function recordTitle<T>(
  read: (props: RecordProps) => Promise<{ found: T }>,
  titleOf: (found: T) => string,
): (props: RecordProps) => Promise<Metadata> {
  return async (props) => ({ title: titleOf((await read(props)).found) });
}

/** Returns the member on a public page, in their selected workspace; undefined for visitors without a session. */
export async function currentMember(): Promise<Member | undefined> {
  const memberships = (await currentUser())?.memberships ?? [];
  const chosen = (await cookies()).get(WORKSPACE_COOKIE)?.value;
  return memberships.find(({ workspaceId }) => workspaceId === chosen) ?? memberships[0];
}

/** The default mode of a URL without one: live once the workspace has a live line. */
export function defaultMode({ workspace }: Member): Mode {
  return workspace.hasLiveLine ? "live" : "test";
}

/** Returns the mode that a page shows: the one in its URL, or the default. */
export async function shownMode(member: Member, parameters: Promise<{ mode?: unknown }>): Promise<Mode> {
  return readMode((await parameters).mode) ?? defaultMode(member);
}

/** Whether a page's visitor is signed in and has a workspace. */
export async function isSignedIn(): Promise<boolean> {
  const user = await currentUser();
  return user !== undefined && (user.memberships.length > 0 || user.factorRequiredBy !== undefined);
}

/** A person with a session, whether or not they are a member anywhere. */
export const currentUser = cache(
  async (): Promise<SignedIn | undefined> => signedInOf((await headers()).get("cookie")),
);

/** Records the visit after the response, so that it neither delays nor breaks the page. A page that refreshes itself is none. */
const noteVisit = cache(async ({ workspaceId, userId, sessionId, lastSeenAt, isRenewable }: Member): Promise<void> => {
  if ((await cookies()).has(REFRESH_COOKIE)) return;
  const writes = [
    ...(isVisitDue(lastSeenAt, new Date()) ? [() => recordVisit(workspaceId, userId)] : []),
    ...(isRenewable ? [() => renewSession(sessionId)] : []),
  ];
  for (const write of writes) {
    after(() => write().catch((error) => log("warn", "visit.notRecorded", errorFields(error))));
  }
});
