import { and, eq } from "drizzle-orm";
import { members, type User, users } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { endSessionsOf } from "@/lib/sessions/end-sessions";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { ProvisionedMember } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

type Wanted = { members: readonly ProvisionedMember[]; ref: string; place: string };

/**
 * A person's account is one across workspaces; the role belongs to this one. An owner stays one unless
 * another is left: no one else could make one from the dashboard.
 */
export async function provisionMembers(
  run: Provisioning,
  workspaceId: WorkspaceId,
  { members: wanted, ref, place }: Wanted,
): Promise<void> {
  const hadOwner = await lockOwners(run, workspaceId);
  for (const [index, member] of wanted.entries()) {
    const [user] = await run.tx.select().from(users).where(eq(users.email, member.email));
    // The first to sign up may have used a stranger's address: their password must not open this workspace.
    if (user && !user.isEmailVouched && member.password === undefined) {
      run.faults.push(
        `${place}[${index}] has the address ${member.email}, which signed up without an invitation: give a password, which replaces theirs and ends their sessions.`,
      );
    }
    const written = user ? await updateUser(run, user, member) : await createUser(run, member);
    const formerRole = await setRole(run, workspaceId, { userId: written.id, role: member.role });
    const isNew = formerRole === undefined;
    const hasNewRole = !isNew && formerRole !== member.role;
    if (user && (written.after.passwordHash !== undefined || hasNewRole)) await endSessionsOf(run.tx, written.id);
    const change = changeOf(isNew ? undefined : { ...written.before, role: formerRole }, {
      ...(isNew ? { email: member.email } : {}),
      ...written.after,
      role: member.role,
    });
    if (!change) continue;
    const action = isNew ? "member.added" : "member.changed";
    await recordAudit(run.tx, workspaceId, { by: PROVISIONER, action, targetId: written.id, ...change });
  }
  if (!hadOwner || (await lockOwners(run, workspaceId))) return;
  run.faults.push(
    `${place}: workspace "${ref}" would be left without an owner. Name a member with "role": "owner" there, or leave its last owner one.`,
  );
}

/** Whether there is an owner. No owner can be demoted or removed until the commit: the dashboard takes the same locks. */
const lockOwners = async ({ tx }: Provisioning, workspaceId: WorkspaceId): Promise<boolean> => {
  const isOwner = and(eq(members.workspaceId, workspaceId), eq(members.role, "owner"));
  const owners = await tx
    .select({ userId: members.userId })
    .from(members)
    .where(isOwner)
    .orderBy(members.userId)
    .for("update");
  return owners.length > 0;
};

/** An account as it was and what was written to it. */
type WrittenUser = { id: string; before: Record<string, unknown>; after: { name?: string; passwordHash?: string } };

const createUser = async (
  { tx, hashPassword }: Provisioning,
  { email, name: given, password }: ProvisionedMember,
): Promise<WrittenUser> => {
  const id = newId("usr");
  const name = given ?? email.replace(/@.*/, "");
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  await tx.insert(users).values({ id, email, name, passwordHash });
  return { id, before: {}, after: { name, passwordHash } };
};

/**
 * The same password again must not be hashed again, or every run would end every session. Where no one has vouched for
 * the address it is, once: sessions from before may be a stranger's, who may have guessed the password that is given.
 */
const updateUser = async (
  { tx, hashPassword, passwordMatches }: Provisioning,
  { id, name: formerName, passwordHash: formerHash, isEmailVouched }: User,
  { name: given, password }: ProvisionedMember,
): Promise<WrittenUser> => {
  const name = given === formerName ? undefined : given;
  const isSamePassword = password === undefined || (isEmailVouched && (await passwordMatches(password, formerHash)));
  const passwordHash = isSamePassword ? undefined : await hashPassword(password);
  if (name !== undefined || passwordHash !== undefined) {
    await tx
      .update(users)
      .set({ name, passwordHash, isEmailVouched: passwordHash ? true : undefined })
      .where(eq(users.id, id));
  }
  return { id, before: { name: formerName, passwordHash: formerHash }, after: { name, passwordHash } };
};

/** Returns the role that the member had; undefined for a new member. */
const setRole = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  { userId, role }: { userId: string; role: ProvisionedMember["role"] },
): Promise<ProvisionedMember["role"] | undefined> => {
  const isMember = and(eq(members.workspaceId, workspaceId), eq(members.userId, userId));
  const [member] = await tx.select({ role: members.role }).from(members).where(isMember);
  if (!member) await tx.insert(members).values({ workspaceId, userId, role });
  else if (member.role !== role) await tx.update(members).set({ role }).where(isMember);
  return member?.role;
};
