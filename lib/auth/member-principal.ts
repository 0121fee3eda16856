import type { Mode } from "@/db/schema/identity";
import { monthlyLimit } from "@/lib/core/plans";
import type { Principal } from "@/lib/core/principal";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import type { Member } from "./member";

/** A member as a sender: the plan and the lines are those that a key of the mode has, and no key is named. */
export async function principalOf({ workspaceId, workspace }: Member, mode: Mode): Promise<Principal> {
  return {
    workspaceId,
    mode,
    apiKeyId: null,
    monthlyLimit: monthlyLimit(workspace.plan, workspace.messageLimit),
    lines: (await listSendingLines(workspaceId, mode)).map((line) => ({
      ...line,
      hasTokenProblem: line.tokenProblem !== null,
    })),
  };
}
