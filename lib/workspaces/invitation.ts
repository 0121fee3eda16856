import type { Invitation } from "@/db/schema/invitations";

/** For how many days a link may be good. */
export const EXPIRY_DAYS = ["1", "7", "30"] as const;

export type InvitationState = "open" | "accepted" | "revoked" | "expired";

/** The status of an invitation; the first that happened counts. */
export function invitationState(
  { acceptedAt, revokedAt, expiresAt }: Pick<Invitation, "acceptedAt" | "revokedAt" | "expiresAt">,
  now: Date,
): InvitationState {
  if (acceptedAt) return "accepted";
  if (revokedAt) return "revoked";
  return expiresAt <= now ? "expired" : "open";
}
