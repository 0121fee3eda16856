import { eq } from "drizzle-orm";
import { members, type User, users } from "@/db/schema";
import { passwordMatches } from "@/lib/auth/password";
import { newId } from "@/lib/core/new-id";
import { endSessionsOf } from "@/lib/sessions/change-sessions";
import { changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedMember } from "./document";
import type { Provisioning } from "./provisioning";

/**
 * Creates or updates members. A person has one account, and a role per workspace. An owner stays one unless
 * another one remains, because only an owner can appoint owners in the dashboard.
 */
export async function provisionMembers(
  run: Provisioning,
  wanted: readonly ProvisionedMember[],
  { ref, place }: { ref: string; place: string },
): Promise<void> {
  const hadOwner = await lockOwners(run);
  for (const [index, member] of wanted.entries()) {
    const [user] = await run.tx.select().from(users).where(eq(users.email, member.email));
    // The account may have been created with someone else's address: its password must not open this workspace.
    if (user && !user.isEmailVouched && member.password === undefined) {
      run.faults.push(
        `${place}[${index}] has the address ${member.email}, which signed up without an invitation: give a password, which replaces theirs and ends their sessions.`,
      );
    }
    const written = user ? await updateUser(run, user, member) : await createUser(run, member);
    const formerRole = await setRole(run, { userId: written.id, role: member.role });
    const isNew = formerRole === undefined;
    const hasNewRole = !isNew && formerRole !== member.role;
    if (user && (written.after.passwordHash !== undefined || hasNewRole)) await endSessionsOf(run.tx, written.id);
    const change = changeOf(isNew ? undefined : { ...written.before, role: formerRole }, {
      ...(isNew ? { email: member.email } : {}),
      ...written.after,
      role: member.role,
    });
    await run.record(isNew ? "member.added" : "member.changed", written.id, change);
  }
  if (!hadOwner || (await lockOwners(run))) return;
  run.faults.push(
    `${place}: workspace "${ref}" would be left without an owner. Name a member with "role": "owner" there, or keep the last owner's role.`,
  );
}

/** Locks the owners, as the dashboard does, so that none is demoted before the commit. Returns whether any exist. */
async function lockOwners({ tx, workspaceId }: Provisioning): Promise<boolean> {
  const isOwner = rowsOf(members, workspaceId, { role: "owner" });
  const owners = await tx
    .select({ userId: members.userId })
    .from(members)
    .where(isOwner)
    .orderBy(members.userId)
    .for("update");
  return owners.length > 0;
}

/** An account's previous values and the written ones. */
type WrittenUser = { id: string; before: Record<string, unknown>; after: { name?: string; passwordHash?: string } };

async function createUser(
  { tx, hashPassword }: Provisioning,
  { email, name: given, password }: ProvisionedMember,
): Promise<WrittenUser> {
  const id = newId("usr");
  const name = given ?? email.replace(/@.*/, "");
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  await tx.insert(users).values({ id, email, name, passwordHash });
  return { id, before: {}, after: { name, passwordHash } };
}

/**
 * Does not rehash an unchanged password, because that would end all sessions on every run. If the address is
 * unverified it does, once: earlier sessions may belong to a stranger, who may have guessed the given password.
 */
async function updateUser(
  { tx, hashPassword }: Provisioning,
  { id, name: formerName, passwordHash: formerHash, isEmailVouched }: User,
  { name: given, password }: ProvisionedMember,
): Promise<WrittenUser> {
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
}

/** Returns the role that the member had; undefined for a new member. */
async function setRole(
  { tx, workspaceId }: Provisioning,
  { userId, role }: { userId: string; role: ProvisionedMember["role"] },
): Promise<ProvisionedMember["role"] | undefined> {
  const isMember = rowsOf(members, workspaceId, { userId });
  const [member] = await tx.select({ role: members.role }).from(members).where(isMember);
  if (!member) await tx.insert(members).values({ workspaceId, userId, role });
  else if (member.role !== role) await tx.update(members).set({ role }).where(isMember);
  return member?.role;
}
