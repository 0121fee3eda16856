import type { Role } from "@/db/schema/identity";
import { AppError, forbidden } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { quote } from "@/lib/core/text";
import { hasAnyMember, listMemberships, whoHelps } from "@/lib/workspaces/queries";
import { type Action, can } from "@/lib/workspaces/roles";
import { readSessionId } from "./session-token";

type Row = Awaited<ReturnType<typeof listMemberships>>[number];

export type Member = Pick<Row, "lastSeenAt" | "unseenAlerts" | "hasActed" | "isRenewable" | "hasFactor"> & {
  userId: string;
  sessionId: string;
  name: string;
  email: string;
  role: Role;
  workspaceId: WorkspaceId;
  workspace: NonNullable<Row["workspace"]>;
  /** Every workspace of the user, for the switcher. */
  workspaces: { id: string; name: string }[];
};

/** Returns the member behind a dashboard API request. Workspaces of others look nonexistent. */
export async function memberOf(
  cookieHeader: string | null,
  workspaceId: string,
  action: Action = "seeWorkspace",
): Promise<Member> {
  const user = await signedInOf(cookieHeader);
  if (!user) throw new AppError("UNAUTHORIZED", "This route needs a dashboard session: sign in at /sign-in first.");
  if (user.factorRequiredBy !== undefined) throw factorRequired(user.factorRequiredBy);
  const member = user.memberships.find((candidate) => candidate.workspaceId === workspaceId);
  if (!member)
    throw new AppError("NOT_FOUND", `No workspace ${quote(workspaceId)} among those that you are a member of.`);
  if (can(member.role, action)) return member;
  throw forbidden(await whoHelps(member.workspaceId, action));
}

const FACTOR_REQUIRED = "second_factor_required";
/** Where people set up a second factor. */
export const FACTOR_PATH = "/second-factor";

const factorRequired = (workspaceName: string) =>
  new AppError("FORBIDDEN", `${workspaceName} requires a second factor. Set one up at ${FACTOR_PATH} first.`, {
    details: { reason: FACTOR_REQUIRED, retryable: false },
  });

export function isFactorRequired(error: unknown): boolean {
  return error instanceof AppError && error.details.reason === FACTOR_REQUIRED;
}

/** A signed-in user, with or without a workspace. */
export type SignedIn = {
  userId: string;
  sessionId: string;
  signedInAt: Date;
  name: string;
  email: string;
  isRenewable: boolean;
  hasFactor: boolean;
  /** A workspace of theirs that requires the second factor which they lack: until they have one they are a member nowhere. */
  factorRequiredBy: string | undefined;
  memberships: Member[];
};

/** Undefined without a valid session. */
export async function signedInOf(cookieHeader: string | null): Promise<SignedIn | undefined> {
  const sessionId = await readSessionId(cookieHeader);
  if (!sessionId) return undefined;
  const rows = await listMemberships(sessionId);
  const [first] = rows;
  if (!first) return undefined;
  const { id: userId, ...named } = first.user;
  const person = { userId, sessionId, ...named };
  const joined = rows.flatMap(({ role, workspace, ...seen }) => {
    if (!role || !workspace) return [];
    const workspaceId = provenWorkspaceId(workspace.id);
    return [{ ...seen, ...person, role, workspaceId, workspace }];
  });
  const workspaces = joined.map(({ workspace: { id, name } }) => ({ id, name }));
  const memberships = joined.map((membership) => ({ ...membership, workspaces }));
  const { signedInAt, isRenewable, hasFactor } = first;
  const factorRequiredBy = hasFactor
    ? undefined
    : rows.find((row) => row.workspace?.requiresSecondFactor)?.workspace?.name;
  return {
    ...person,
    signedInAt,
    isRenewable,
    hasFactor,
    factorRequiredBy,
    memberships: factorRequiredBy === undefined ? memberships : [],
  };
}

/** Allows any user if sign-up is open; else owners only, or anyone if no workspace exists. */
export async function mayCreateWorkspace(user: Pick<SignedIn, "memberships"> | undefined): Promise<boolean> {
  if (!user) return false;
  if (env().ALLOW_SIGN_UP || user.memberships.some(({ role }) => role === "owner")) return true;
  return !(await hasAnyMember());
}
