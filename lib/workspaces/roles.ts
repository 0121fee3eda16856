import type { Role } from "@/db/schema/identity";

const ALL_ROLES = ["owner", "admin", "member"] as const;
const MANAGERS = ["owner", "admin"] as const;
const OWNERS = ["owner"] as const;

const WHO_MAY = {
  seeWorkspace: ALL_ROLES,
  seeFullRecipient: MANAGERS,
  seeBodies: MANAGERS,
  seeApiKeys: MANAGERS,
  seeAuditLog: MANAGERS,
  sendTestMessage: ALL_ROLES,
  sendLiveMessage: MANAGERS,
  syncTemplates: ALL_ROLES,
  createTemplate: MANAGERS,
  manageLines: MANAGERS,
  manageContacts: MANAGERS,
  exportContact: OWNERS,
  manageWebhooks: MANAGERS,
  manageMembers: MANAGERS,
  resetPasswords: OWNERS,
  requireSecondFactor: OWNERS,
  manageWorkspace: MANAGERS,
  changePlan: OWNERS,
  manageCosts: OWNERS,
  deleteWorkspace: OWNERS,
} as const satisfies Record<string, readonly Role[]>;

export type Action = keyof typeof WHO_MAY;

export function can(role: Role, action: Action): boolean {
  const allowed: readonly Role[] = WHO_MAY[action];
  return allowed.includes(role);
}

/** The roles that may do it. */
export function rolesFor(action: Action): readonly Role[] {
  return WHO_MAY[action];
}

/** Text where a role may not do it: who can. */
export function whoCan(action: Action): string {
  return WHO_MAY[action] === OWNERS ? "Only an owner can do this." : "Only owners and admins can do this.";
}

/** What precedes the names of those who can. */
export function askWords(action: Action): string {
  return WHO_MAY[action] === OWNERS ? "Ask an owner:" : "Ask an owner or admin:";
}

export const ROLE_NAMES = { owner: "Owner", admin: "Admin", member: "Member" } as const satisfies Record<Role, string>;

/** Role descriptions for people who choose or receive a role. */
export const ROLE_MEANINGS: Record<Role, string> = {
  owner: "Owners can do everything, including prices, the budget, the plan and deleting the workspace.",
  admin: "Admins send live messages, connect lines, manage contacts, templates, keys and webhooks, and invite people.",
  member: "Members see messages, contacts, templates, usage and costs, with numbers masked, and send in test mode.",
};

/** Returns the roles that a member may give or revoke: admins cannot change owners. */
export function rolesWithinReach(acting: Role): Role[] {
  if (!can(acting, "manageMembers")) return [];
  return acting === "owner" ? ["owner", "admin", "member"] : ["admin", "member"];
}

/** A member's role in a workspace. */
type Place = { userId: string; role: Role };

/** The members affected by a change, in their current state. */
export type Membership = { acting: Place | undefined; target: Place; ownerCount: number };

/** Returns why `acting` may not give the target `role`, or remove them if it is null; undefined if allowed. */
export function memberFault({ acting, target, ownerCount }: Membership, role: Role | null): string | undefined {
  const isSelf = acting?.userId === target.userId;
  const reach = acting ? rolesWithinReach(acting.role) : [];
  const isLeaving = isSelf && role === null;
  if (!isLeaving && !reach.includes(target.role)) {
    return reach.length === 0 ? "Only owners and admins can do this." : "Only an owner can change an owner.";
  }
  if (role !== null && !reach.includes(role)) return "Only an owner can make a member an owner.";
  if (target.role === "owner" && role !== "owner" && ownerCount <= 1) {
    return isSelf
      ? "You are the last owner. Make another member an owner first."
      : "This is the last owner. Make another member an owner first.";
  }
  return undefined;
}

/** Returns why `acting` may not create a password reset link for the target; undefined if allowed. */
export function resetFault({ acting, target }: Pick<Membership, "acting" | "target">): string | undefined {
  if (!acting || !can(acting.role, "resetPasswords")) return whoCan("resetPasswords");
  // Otherwise an open session could bypass the current password.
  return acting.userId === target.userId ? "Change your own password on the account page." : undefined;
}
