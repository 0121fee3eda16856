import type { PhoneNumber } from "@/db/schema";
import type { Mode } from "@/db/schema/identity";
import { AppError, refusedByPlatform } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { claimReadOf } from "@/lib/phone-numbers/claim-read";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { queueAskedRead } from "@/lib/phone-numbers/queue-reads";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { failureSentence } from "@/lib/whatsapp/graph-failure";
import { oneLinePerAccount } from "./one-line-per-account";
import { readAccount } from "./read-account";
import { type SyncResult, syncTemplates } from "./sync-templates";

/** `count` templates were read now; `queued` accounts were read within the last minute and follow by themselves. */
export type Synced = { count: number; queued: number };

/**
 * Brings the templates of every business account of a mode up to date, each through one of its lines. An account is read
 * at most once a minute: one that was just read is queued. Throws what WhatsApp said where an account could not be read;
 * what was stored before stays, and the other accounts are read.
 */
export async function syncAllTemplates(workspaceId: WorkspaceId, mode: Mode): Promise<Synced> {
  const lines = oneLinePerAccount(await listSendingLines(workspaceId, mode));
  if (lines.length === 0) {
    throw new AppError("NO_PHONE_NUMBER", `There is no ${mode} line whose templates could be read. Connect one first.`);
  }
  const results = [];
  for (const line of lines) {
    results.push({ result: await syncAccount(workspaceId, line), account: line.whatsappBusinessAccountId });
  }
  const failures = results.flatMap(({ result, account }) =>
    result?.outcome === "failed" ? [{ account, said: failureSentence(result) }] : [],
  );
  if (failures.length > 0) {
    const said = failures.map(({ account, said }) => (lines.length > 1 ? `Account ${account}: ${said}` : said));
    const message = `The templates could not be read. ${said.join(" ")} What is shown is as of the last sync.`;
    throw refusedByPlatform("platform", message, { retryable: true });
  }
  return {
    count: results.reduce((sum, { result }) => sum + (result?.outcome === "ok" ? result.count : 0), 0),
    queued: results.filter(({ result }) => result === undefined).length,
  };
}

/** Undefined where the account was read within the last minute. Those of test lines are ours, and read at will. */
const syncAccount = async (workspaceId: WorkspaceId, line: PhoneNumber): Promise<SyncResult | undefined> => {
  if (line.mode === "test") return syncTemplates(workspaceId, toWhatsappLine(workspaceId, line));
  const whole = { whatsappBusinessAccountId: line.whatsappBusinessAccountId, name: null };
  const read = await claimReadOf(workspaceId, whole);
  if (read) return readAccount(read);
  await queueAskedRead(workspaceId, whole);
  return undefined;
};
