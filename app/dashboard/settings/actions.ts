"use server";

import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { after } from "next/server";
import { z } from "zod";
import { memberAction, step } from "@/lib/auth/action";
import { WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { StopWords } from "@/lib/contacts/stop-words";
import { invalid } from "@/lib/core/app-error";
import { errorFields, log } from "@/lib/core/log";
import { formatNumber } from "@/lib/core/text";
import { changeLimit, changeWorkspace } from "@/lib/workspaces/change-workspace";
import { deleteWorkspace, removeDeletedWorkspaces } from "@/lib/workspaces/delete-workspace";
import { RetentionDays, TimeZone, WorkspaceName } from "@/lib/workspaces/workspace-fields";

export const saveWorkspace = memberAction(
  {
    may: "manageWorkspace",
    input: z.object({ name: WorkspaceName, timeZone: TimeZone, retentionDays: RetentionDays }),
    refreshes: "/dashboard",
  },
  step(changeWorkspace),
);

export const saveStopWords = memberAction(
  { may: "manageWorkspace", input: StopWords, refreshes: "/dashboard/settings" },
  step(changeWorkspace),
);

const MOST = 1_000_000_000;

const Limit = z
  .string()
  .trim()
  .regex(/^\d{0,10}$/, "Digits only, such as 25000; empty for the plan's own limit.")
  .transform((digits) => (digits === "" ? null : Number(digits)))
  .refine((limit) => limit === null || limit <= MOST, `At most ${formatNumber(MOST)}.`);

export const changeMonthlyLimit = memberAction(
  { may: "changePlan", input: z.object({ messageLimit: Limit }), refreshes: "/dashboard" },
  ({ member, by }, { messageLimit }) => changeLimit(member.workspaceId, messageLimit, by),
);

export const removeWorkspace = memberAction(
  { may: "deleteWorkspace", input: z.object({ name: z.string().trim().max(200) }) },
  async ({ member, by }, { name }) => {
    if (name !== member.workspace.name) {
      throw invalid([{ path: "name", message: `Type ${member.workspace.name} exactly to confirm.` }]);
    }
    await deleteWorkspace(member.workspaceId, by);
    // What this does not finish, the sweeper does.
    after(() => removeDeletedWorkspaces().catch((error) => log("warn", "workspace.rowsRemain", errorFields(error))));
    (await cookies()).delete(WORKSPACE_COOKIE);
    redirect("/dashboard");
  },
);
