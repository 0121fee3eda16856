import { and, eq, sql } from "drizzle-orm";
import { members, type User, users } from "@/db/schema";
import { newId } from "@/lib/ids";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { ProvisionedMember } from "./document";
import type { Provisioning } from "./provisioning";

/** A person's account is one across workspaces; the role belongs to this one. */
export const provisionMembers = async (
  run: Provisioning,
  workspaceId: WorkspaceId,
  wanted: readonly ProvisionedMember[],
): Promise<void> => {
  for (const member of wanted) {
    const [user] = await run.tx.select().from(users).where(eq(users.email, member.email));
    const userId = user?.id ?? (await createUser(run, member));
    const hasNewPassword = user ? await updateUser(run, user, member) : false;
    const hasNewRole = await setRole(run, workspaceId, { userId, role: member.role });
    if (hasNewPassword || hasNewRole) await endSessions(run, userId);
  }
};

const createUser = async ({ tx, hashPassword }: Provisioning, { email, name, password }: ProvisionedMember) => {
  const id = newId("usr");
  const passwordHash = password === undefined ? null : await hashPassword(password);
  await tx.insert(users).values({ id, email, name: name ?? email.replace(/@.*/, ""), passwordHash });
  return id;
};

/** True when the password changed. The same one again must not be hashed anew, or every run would end every session. */
const updateUser = async (
  { tx, hashPassword, passwordMatches }: Provisioning,
  user: User,
  { name, password }: ProvisionedMember,
) => {
  if (name !== undefined && name !== user.name) await tx.update(users).set({ name }).where(eq(users.id, user.id));
  if (password === undefined || (await passwordMatches(password, user.passwordHash))) return false;
  await tx
    .update(users)
    .set({ passwordHash: await hashPassword(password) })
    .where(eq(users.id, user.id));
  return true;
};

/** True when a member of the workspace got another role. */
const setRole = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  { userId, role }: { userId: string; role: ProvisionedMember["role"] },
) => {
  const isMember = and(eq(members.workspaceId, workspaceId), eq(members.userId, userId));
  const [member] = await tx.select({ role: members.role }).from(members).where(isMember);
  if (member?.role === role) return false;
  if (member) await tx.update(members).set({ role }).where(isMember);
  else await tx.insert(members).values({ workspaceId, userId, role });
  return member !== undefined;
};

const endSessions = ({ tx }: Provisioning, userId: string) =>
  tx
    .update(users)
    .set({ sessionVersion: sql`${users.sessionVersion} + 1` })
    .where(eq(users.id, userId));
