"use server";

import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { startTesting } from "@/lib/dashboard/start-testing";

/** Nothing is revalidated: the page stays as it is until the secret is stored. */
export const createTestSetup = memberAction({ may: "manageLines", input: z.object({}) }, ({ member, by }) =>
  startTesting(member.workspaceId, by),
);
