import type { Role, Workspace } from "@/db/schema/identity";
import { AppError } from "@/lib/core/app-error";
import { quote } from "@/lib/core/text";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import { listMemberships } from "@/lib/workspaces/queries";
import { type Action, can, isSecretArea, whoCan } from "@/lib/workspaces/roles";
import { readSessionId } from "./session-token";

export type Member = {
  userId: string;
  sessionId: string;
  name: string;
  email: string;
  role: Role;
  lastSeenAt: Date | null;
  workspaceId: WorkspaceId;
  workspace: Pick<Workspace, "name" | "plan" | "messageLimit" | "timeZone" | "retentionDays"> & {
    hasLiveLine: boolean;
  };
  /** Every workspace of the user, for the switcher. */
  workspaces: { id: string; name: string }[];
};

/** The member behind an API request of the dashboard; another workspace answers like one that does not exist. */
export async function memberOf(
  cookieHeader: string | null,
  workspaceId: string,
  action: Action = "seeWorkspace",
): Promise<Member> {
  const memberships = await membershipsOf(cookieHeader);
  if (!memberships) {
    throw new AppError("UNAUTHORIZED", "This route needs a dashboard session: sign in at /sign-in first.");
  }
  const member = memberships.find((candidate) => candidate.workspaceId === workspaceId);
  if (!member)
    throw new AppError("NOT_FOUND", `No workspace ${quote(workspaceId)} among those that you are a member of.`);
  if (can(member.role, action)) return member;
  // A secret area is not there for those who may not look.
  if (isSecretArea(action)) throw new AppError("NOT_FOUND", "Nothing is here.");
  throw new AppError("FORBIDDEN", whoCan(action), { details: { retryable: false } });
}

/** A person with a session, a member of any workspace or of none. */
export type SignedIn = {
  userId: string;
  sessionId: string;
  signedInAt: Date;
  name: string;
  email: string;
  memberships: Member[];
};

/** The user as a member of each workspace; undefined without a session that the database still accepts. */
const membershipsOf = async (cookieHeader: string | null): Promise<Member[] | undefined> =>
  (await signedInOf(cookieHeader))?.memberships;

export async function signedInOf(cookieHeader: string | null): Promise<SignedIn | undefined> {
  const sessionId = await readSessionId(cookieHeader);
  if (!sessionId) return undefined;
  const rows = await listMemberships(sessionId);
  const [first] = rows;
  if (!first) return undefined;
  const joined = rows.flatMap(({ role, workspace, lastSeenAt }) =>
    role && workspace ? [{ role, workspace, lastSeenAt }] : [],
  );
  const workspaces = joined.map(({ workspace: { id, name } }) => ({ id, name }));
  const { signedInAt } = first;
  const { id: userId, name, email } = first.user;
  const memberships = joined.map(({ role, lastSeenAt, workspace }) => ({
    userId,
    sessionId,
    name,
    email,
    role,
    lastSeenAt,
    workspaceId: provenWorkspaceId(workspace.id),
    workspace,
    workspaces,
  }));
  return { userId, sessionId, signedInAt, name, email, memberships };
}
