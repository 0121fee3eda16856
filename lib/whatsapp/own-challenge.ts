import { newId } from "@/lib/core/new-id";

const PREFIX = "switchboard-check-";

/** The challenge of a check of our own: that we answer it says nothing of WhatsApp. */
export function newOwnChallenge(): string {
  return `${PREFIX}${newId("req")}`;
}

export function isOwnChallenge(challenge: string | null): boolean {
  return challenge?.startsWith(PREFIX) ?? false;
}
