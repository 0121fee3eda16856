import { and, asc, eq, or, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members, phoneNumbers, type User, users, workspaces } from "@/db/schema";

/** The reads from which a session is proven; everything else takes the WorkspaceId that they lead to. */

/** E-mail addresses are stored in lower case. */
export const findUserByEmail = async (
  email: string,
): Promise<Pick<User, "id" | "passwordHash" | "sessionVersion"> | undefined> => {
  const [user] = await onDatabase((db) =>
    db
      .select({ id: users.id, passwordHash: users.passwordHash, sessionVersion: users.sessionVersion })
      .from(users)
      .where(eq(users.email, email.trim().toLowerCase()))
      .limit(1),
  );
  return user;
};

/** The user of a session with each workspace, oldest membership first; none when the session was ended. */
export const listMemberships = ({ userId, sessionVersion }: { userId: string; sessionVersion: number }) =>
  onDatabase((db) =>
    db
      .select({
        user: { id: users.id, name: users.name, email: users.email },
        role: members.role,
        workspace: {
          id: workspaces.id,
          name: workspaces.name,
          plan: workspaces.plan,
          messageLimit: workspaces.messageLimit,
          timeZone: workspaces.timeZone,
          retentionDays: workspaces.retentionDays,
          hasLiveLine: sql<boolean>`exists (
            select from ${phoneNumbers} where ${phoneNumbers.workspaceId} = ${workspaces.id}
              and ${phoneNumbers.mode} = 'live' and ${phoneNumbers.disconnectedAt} is null)`,
        },
      })
      .from(users)
      .leftJoin(members, eq(members.userId, users.id))
      .leftJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .where(and(eq(users.id, userId), eq(users.sessionVersion, sessionVersion)))
      .orderBy(asc(members.joinedAt), asc(members.workspaceId)),
  );

/** The workspace that an operator names, by its ref or its id. */
export const findWorkspaceId = async (refOrId: string): Promise<string | undefined> => {
  const [workspace] = await onDatabase((db) =>
    db
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(or(eq(workspaces.ref, refOrId), eq(workspaces.id, refOrId)))
      .orderBy(sql`${workspaces.ref} = ${refOrId} desc nulls last`)
      .limit(1),
  );
  return workspace?.id;
};
