import { and, asc, desc, eq, gt, inArray, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { onDatabase, type Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { alerts, invitations, members, phoneNumbers, sessions, type User, users, workspaces } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { hashToken, isToken } from "@/lib/core/crypto";
import type { WorkspaceId } from "@/lib/core/principal";
import { IS_RENEWABLE } from "@/lib/sessions/record-action";
import { kindsFor } from "./alert-kinds";
import { type Action, askWords, type Membership, rolesFor, whoCan } from "./roles";

/** After a person's change their lists come from the primary: an action's 15 s, the replica's lag, and how old its check may be. */
const OWN_CHANGES_SECONDS = 30;

/** The reads that authenticate a session; everything else takes the WorkspaceId that they return. */

/** E-mail addresses are stored in lower case. */
export async function findUserByEmail(
  email: string,
): Promise<Pick<User, "id" | "passwordHash" | "isEmailVouched"> | undefined> {
  const [user] = await onDatabase((db) =>
    db
      .select(columnsOf(users, "id", "passwordHash", "isEmailVouched"))
      .from(users)
      .where(eq(users.email, email.trim().toLowerCase()))
      .limit(1),
  );
  return user;
}

const { alertsSeenAt, role: memberRole } = members;

/** The open alerts that a member may see and has not seen. In the session's own statement, because every page shows it. */
const UNSEEN_ALERTS = sql<number>`(
  select count(*)::int from ${alerts}
  where ((${alerts.workspaceId} = ${members.workspaceId} and ${alerts.userId} is null) or ${alerts.userId} = ${members.userId})
    and ${alerts.closedAt} is null and ${alerts.openedAt} > coalesce(${alertsSeenAt}, '-infinity')
    and (${memberRole} <> 'member' or ${alerts.kind} in ${sql.raw(`('${kindsFor("member").join("', '")}')`)}))`;

const HAS_FACTOR = sql<boolean>`${users.factorSecret} is not null`;

/** Whether every step of Get started is done: the last two prove the others. Probes one index. */
const IS_SET_UP = sql<boolean>`exists (
  select from phone_numbers line cross join lateral (
    select from messages m
    where m.workspace_id = line.workspace_id and m.phone_number_id = line.id
      and m.whatsapp_message_id is not null and m.sent_at is not null and m.api_key_id is not null
    order by m.whatsapp_message_id limit 1
  ) sent
  where line.workspace_id = ${workspaces.id} and line.mode = 'live' and line.is_active
    and line.disconnected_at is null and line.last_webhook_at is not null)`;

/** Returns a session's user with each workspace, oldest membership first; none if the session has ended. */
export function listMemberships(sessionId: string) {
  return onDatabase((db) =>
    db
      .select({
        signedInAt: sessions.signedInAt,
        isRenewable: IS_RENEWABLE,
        /** Whether they changed something in the last seconds, which a replica may not have yet. */
        hasActed: sql<boolean>`${sessions.actedAt} > now() - make_interval(secs => ${OWN_CHANGES_SECONDS}::int)`,
        user: columnsOf(users, "id", "name", "email"),
        hasFactor: HAS_FACTOR,
        role: members.role,
        lastSeenAt: members.lastSeenAt,
        unseenAlerts: UNSEEN_ALERTS,
        workspace: {
          ...columnsOf(workspaces, "id", "name", "plan", "messageLimit", "timeZone", "retentionDays"),
          ...columnsOf(workspaces, "stopWords", "startWords", "refuseOptedOut", "requiresSecondFactor"),
          hasLiveLine: sql<boolean>`exists (
            select from ${phoneNumbers} where ${phoneNumbers.workspaceId} = ${workspaces.id}
              and ${phoneNumbers.mode} = 'live' and ${phoneNumbers.disconnectedAt} is null)`,
          isSetUp: IS_SET_UP,
        },
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .leftJoin(members, eq(members.userId, users.id))
      .leftJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .where(and(eq(sessions.id, sessionId), gt(sessions.expiresAt, sql`now()`)))
      .orderBy(asc(members.joinedAt), asc(members.workspaceId)),
  );
}

/** Finds a workspace by its ref or id, for operators. */
export async function findWorkspaceId(refOrId: string): Promise<string | undefined> {
  const [workspace] = await onDatabase((db) =>
    db
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(or(eq(workspaces.ref, refOrId), eq(workspaces.id, refOrId)))
      .orderBy(sql`${workspaces.ref} = ${refOrId} desc nulls last`)
      .limit(1),
  );
  return workspace?.id;
}

/** Whether any workspace has a member: if none has, a remaining account may create the next one. */
export async function hasAnyMember(): Promise<boolean> {
  const found = await onDatabase((db) => db.select({ id: members.userId }).from(members).limit(1));
  return found.length > 0;
}

/** Owners first, then by name. */
export function listMembers(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select({
        ...columnsOf(members, "userId", "role", "joinedAt", "lastSeenAt"),
        ...columnsOf(users, "name", "email"),
        hasFactor: HAS_FACTOR,
      })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(eq(members.workspaceId, workspaceId))
      .orderBy(asc(members.role), asc(sql`lower(${users.name})`), asc(users.id)),
  );
}

const MAX_HELPERS = 5;

/** Who may do what a member may not: `Only an owner can do this. Ask an owner: Kim Kern, Ola Ost.` */
export async function whoHelps(workspaceId: WorkspaceId, action: Action): Promise<string> {
  const helpers = await onDatabase((db) =>
    db
      .select({ name: users.name })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.workspaceId, workspaceId), inArray(members.role, [...rolesFor(action)])))
      .orderBy(asc(members.role), asc(sql`lower(${users.name})`), asc(users.id))
      .limit(MAX_HELPERS),
  );
  return `${whoCan(action)} ${askWords(action)} ${helpers.map(({ name }) => name).join(", ")}.`;
}

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

const MAX_INVITATIONS = 100;
const SHOWN = ["role", "email", "expiresAt", "acceptedAt", "revokedAt"] as const;

/** Lists the open invitations, newest first, then the others of the last 30 days. */
export function listInvitations(workspaceId: WorkspaceId) {
  const { acceptedAt, revokedAt, expiresAt } = invitations;
  const isOpen = sql`${acceptedAt} is null and ${revokedAt} is null and ${expiresAt} > now()`;
  return onDatabase((db) =>
    db
      .select({
        ...columnsOf(invitations, "id", "createdAt", ...SHOWN),
        inviterName: inviters.name,
        acceptedByName: users.name,
      })
      .from(invitations)
      .innerJoin(inviters, eq(inviters.id, invitations.invitedBy))
      .leftJoin(users, eq(users.id, invitations.acceptedBy))
      .where(and(eq(invitations.workspaceId, workspaceId), gt(invitations.expiresAt, sql`now() - interval '30 days'`)))
      .orderBy(desc(isOpen), desc(invitations.createdAt), desc(invitations.id))
      .limit(MAX_INVITATIONS),
  );
}

/** Returns what the holder of an invitation link may see; the token proves that they have it. */
export async function findInvitation(token: string) {
  if (!isToken(token)) return undefined;
  const [invitation] = await onDatabase((db) =>
    db
      .select({
        workspaceId: workspaces.id,
        workspaceName: workspaces.name,
        inviterName: inviters.name,
        ...columnsOf(invitations, ...SHOWN),
        timeZone: workspaces.timeZone,
        inviterRole: members.role,
      })
      .from(invitations)
      .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
      .innerJoin(inviters, eq(inviters.id, invitations.invitedBy))
      .innerJoin(
        members,
        and(eq(members.workspaceId, invitations.workspaceId), eq(members.userId, invitations.invitedBy)),
      )
      .where(eq(invitations.tokenHash, hashToken(token)))
      .limit(1),
  );
  return invitation;
}

const inviters = alias(users, "inviters");

/**
 * Returns the acting member, the target and the number of owners, locked in one order: of two concurrent changes,
 * the second sees the result of the first. Throws NOT_FOUND.
 */
export async function lockMembership(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { actingId, targetId }: { actingId: string; targetId: string },
): Promise<Membership> {
  const places = await tx
    .select({ userId: members.userId, role: members.role })
    .from(members)
    .where(
      and(
        eq(members.workspaceId, workspaceId),
        or(eq(members.role, "owner"), eq(members.userId, actingId), eq(members.userId, targetId)),
      ),
    )
    .orderBy(asc(members.userId))
    .for("update");
  const target = places.find(({ userId }) => userId === targetId);
  if (!target) throw new AppError("NOT_FOUND", "No member of this workspace has that id.");
  return {
    acting: places.find(({ userId }) => userId === actingId),
    target,
    ownerCount: places.filter(({ role }) => role === "owner").length,
  };
}
