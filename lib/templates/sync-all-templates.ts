import type { PhoneNumber } from "@/db/schema";
import type { Mode } from "@/db/schema/identity";
import { AppError, refusedByPlatform } from "@/lib/errors";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import { syncTemplates } from "./sync-templates";

/**
 * Brings the templates of every business account of a mode up to date, each through one of its lines. Throws what the
 * platform said where an account could not be read; what was stored before stays, and the other accounts are read.
 */
export const syncAllTemplates = async (workspaceId: WorkspaceId, mode: Mode): Promise<{ count: number }> => {
  const lines = speakers(await listSendingLines(workspaceId, mode));
  if (lines.length === 0) {
    throw new AppError("NO_PHONE_NUMBER", `There is no ${mode} line whose templates could be read. Connect one first.`);
  }
  const results = [];
  for (const line of lines) {
    const result = await syncTemplates(workspaceId, toWhatsappLine(workspaceId, line));
    results.push({ ...result, account: line.whatsappBusinessAccountId });
  }
  const failures = results.flatMap((result) => (result.outcome === "failed" ? [result] : []));
  if (failures.length > 0) {
    const said = failures.map(({ account, reason }) => (lines.length > 1 ? `${account}: ${reason}` : reason)).join(" ");
    throw refusedByPlatform(
      "platform",
      `The platform did not give its list (${said}). What is shown is as of the last sync.`,
      {
        retryable: true,
      },
    );
  }
  return { count: results.reduce((sum, result) => sum + (result.outcome === "ok" ? result.count : 0), 0) };
};

/** One line for each business account: an active one, and one whose token is not known to be dead. */
const speakers = (lines: PhoneNumber[]): PhoneNumber[] => {
  const rank = ({ isActive, tokenProblem }: PhoneNumber) => Number(tokenProblem !== null) * 2 + Number(!isActive);
  const byAccount = new Map<string, PhoneNumber>();
  for (const line of lines) {
    const known = byAccount.get(line.whatsappBusinessAccountId);
    if (!known || rank(line) < rank(known)) byAccount.set(line.whatsappBusinessAccountId, line);
  }
  return [...byAccount.values()];
};
