import { newId } from "@/lib/core/new-id";

const PREFIX = "switchboard-check-";

/** The challenge of a check of our own: that we answer it says nothing of WhatsApp. */
export const newOwnChallenge = (): string => `${PREFIX}${newId("req")}`;

export const isOwnChallenge = (challenge: string | null): boolean => challenge?.startsWith(PREFIX) ?? false;
