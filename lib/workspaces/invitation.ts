import { createHash, randomBytes } from "node:crypto";
import type { Invitation } from "@/db/schema/invitations";

/** For how many days a link may be good. */
export const EXPIRY_DAYS = ["1", "7", "30"] as const;

const TOKEN_BYTES = 32;

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** Whether it can be a token at all; what cannot is not looked up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

// A 256-bit random token cannot be guessed, so a fast hash is enough.
export const hashToken = (token: string): Uint8Array => createHash("sha256").update(token).digest();

export type InvitationState = "open" | "accepted" | "revoked" | "expired";

/** What became of an invitation; the first that happened counts. */
export const invitationState = (
  { acceptedAt, revokedAt, expiresAt }: Pick<Invitation, "acceptedAt" | "revokedAt" | "expiresAt">,
  now: Date,
): InvitationState => {
  if (acceptedAt) return "accepted";
  if (revokedAt) return "revoked";
  return expiresAt <= now ? "expired" : "open";
};
