"use server";

import { z } from "zod";
import { issueTrialKey } from "@/lib/api-keys/change-key";
import { memberAction } from "@/lib/auth/action";
import { can } from "@/lib/workspaces/roles";

/** A test key for "Try it". The secret travels once, to the tab that asked, which keeps it in memory. */
export const startTrial = memberAction({ may: "sendTestMessage", input: z.object({}) }, async ({ member, by }) => {
  const limits = can(member.role, "seeFullRecipient") ? null : ({ isMembers: true } as const);
  const { expiresAt, ...pair } = await issueTrialKey(member.workspaceId, { userId: member.userId, limits }, by);
  return { ...pair, expiresAtMs: expiresAt.getTime() };
});
