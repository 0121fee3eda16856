import type { Role } from "@/db/schema/identity";
import { can, whoCan } from "./roles";

/** The roles that a member may give to others, or take from them: an admin has no say over owners. */
export function rolesWithinReach(acting: Role): Role[] {
  if (!can(acting, "manageMembers")) return [];
  return acting === "owner" ? ["owner", "admin", "member"] : ["admin", "member"];
}

/** A member's place in a workspace. */
export type Place = { userId: string; role: Role };

/** The members that a change is about, as they are while it is made. */
export type Membership = { acting: Place | undefined; target: Place; ownerCount: number };

/** Why `acting` may not change the target to `role`, or revoke it where that is null; undefined where it may. */
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

/** Why `acting` may not make a link that sets the target's password; undefined where it may. */
export function resetFault({ acting, target }: Pick<Membership, "acting" | "target">): string | undefined {
  if (!acting || !can(acting.role, "resetPasswords")) return whoCan("resetPasswords");
  // An open session must be no way around the current password.
  return acting.userId === target.userId ? "Change your own password on the account page." : undefined;
}
