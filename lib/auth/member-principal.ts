import type { Mode } from "@/db/schema/identity";
import type { Principal } from "@/lib/api-keys/authenticate";
import { listPhoneNumbers } from "@/lib/phone-numbers/queries";
import { monthlyLimit } from "@/lib/plans/plans";
import type { Member } from "./member";

/** A member as somebody who sends: the plan and the lines are those that a key of the mode has, and no key is named. */
export const principalOf = async ({ workspaceId, workspace }: Member, mode: Mode): Promise<Principal> => ({
  ...{ workspaceId, mode, apiKeyId: null },
  monthlyLimit: monthlyLimit(workspace.plan, workspace.messageLimit),
  lines: (await listPhoneNumbers(workspaceId))
    .filter((line) => line.mode === mode)
    .map((line) => ({ ...line, hasTokenProblem: line.tokenProblem !== null })),
});
