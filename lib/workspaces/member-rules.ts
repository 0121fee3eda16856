import type { Role } from "@/db/schema/identity";
import { can, whoCan } from "./roles";

/** Returns the roles that a member may give or revoke: admins cannot change owners. */
export function rolesWithinReach(acting: Role): Role[] {
  if (!can(acting, "manageMembers")) return [];
  return acting === "owner" ? ["owner", "admin", "member"] : ["admin", "member"];
}

/** A member's role in a workspace. */
export type Place = { userId: string; role: Role };

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
