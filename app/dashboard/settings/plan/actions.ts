"use server";

import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { formatNumber } from "@/lib/core/text";
import { changeLimit } from "@/lib/workspaces/change-workspace";

const MOST = 1_000_000_000;

export const changeMonthlyLimit = memberAction(
  {
    may: "changePlan",
    input: z.object({
      messageLimit: z
        .string()
        .trim()
        .regex(/^\d{0,10}$/, "Digits only, such as 25000; empty for the plan's own limit.")
        .transform((digits) => (digits === "" ? null : Number(digits)))
        .refine((limit) => limit === null || limit <= MOST, `At most ${formatNumber(MOST)}.`),
    }),
    refreshes: "/dashboard",
  },
  ({ member, by }, { messageLimit }) => changeLimit(member.workspaceId, messageLimit, by),
);
