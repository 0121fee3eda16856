"use server";

import { z } from "zod";
import { issueTrialKey } from "@/lib/api-keys/change-key";
import { memberAction } from "@/lib/auth/action";

/** A test key for "Try it". The secret travels once, to the tab that asked, which keeps it in memory. */
export const startTrial = memberAction({ may: "seeApiKeys", input: z.object({}) }, async ({ member, by }) => {
  const { expiresAt, ...pair } = await issueTrialKey(member.workspaceId, member.userId, by);
  return { ...pair, expiresAtMs: expiresAt.getTime() };
});
