import type { Member } from "@/lib/auth/member";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { listNames } from "@/lib/templates/queries";
import type { LimitChoices } from "./limit-fields";

/** Reads what a key can be limited to. A disconnected line can be chosen only by a key that has it already. */
export async function readLimitChoices(
  { workspaceId, workspace }: Member,
  chosen: readonly string[] = [],
): Promise<LimitChoices> {
  const [lines, live, test] = await Promise.all([
    listAllLines(workspaceId),
    listNames(workspaceId, "live"),
    listNames(workspaceId, "test"),
  ]);
  return {
    lines: lines
      .filter(({ id, disconnectedAt }) => !disconnectedAt || chosen.includes(id))
      .map(({ id, mode, label, disconnectedAt }) => ({
        id,
        mode,
        label: disconnectedAt ? `${label} (disconnected)` : label,
      })),
    templates: { live, test },
    timeZone: workspace.timeZone,
  };
}
