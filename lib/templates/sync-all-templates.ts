import { inTransaction } from "@/db/client";
import type { PhoneNumber } from "@/db/schema";
import { AppError, refusedByPlatform } from "@/lib/core/app-error";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { addSandboxTemplates } from "@/lib/phone-numbers/add-sandbox-templates";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { claimReadOf, queueRequestedRead } from "@/lib/phone-numbers/queue-reads";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { failureSentence } from "@/lib/whatsapp/errors";
import { oneLinePerAccount, readAccount } from "./read-account";
import { type SyncResult, syncTemplates } from "./sync-templates";

/** An account from before test lines came with templates gets them now. */
async function syncTestAccount(workspaceId: WorkspaceId, line: PhoneNumber): Promise<SyncResult> {
  await inTransaction((tx) => addSandboxTemplates(tx, workspaceId, line.whatsappBusinessAccountId));
  return syncTemplates(workspaceId, toWhatsappLine(workspaceId, line));
}

/** Undefined if the account was read within the last minute: then the read is queued. */
async function syncLiveAccount(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId }: PhoneNumber,
): Promise<SyncResult | undefined> {
  const wanted = { whatsappBusinessAccountId, name: null };
  const read = await claimReadOf(workspaceId, wanted);
  if (read) return readAccount(read);
  await queueRequestedRead(workspaceId, wanted);
  return undefined;
}

/** `count`: templates read now. `queued`: accounts read within the last minute, which are read again later. */
export type Synced = { count: number; queued: number };

/**
 * Syncs the templates of every business account of a mode, each through one of its lines. An account is read
 * at most once a minute: one that was just read is queued. Throws WhatsApp's error if an account could not be read;
 * its stored templates stay, and the other accounts are still read.
 */
export async function syncAllTemplates(workspaceId: WorkspaceId, mode: Mode): Promise<Synced> {
  const lines = oneLinePerAccount(await listSendingLines(workspaceId, mode));
  if (lines.length === 0) {
    throw new AppError("NO_PHONE_NUMBER", `There is no ${mode} line whose templates could be read. Connect one first.`);
  }
  const results = [];
  for (const line of lines) {
    // A test account may be read as often as one likes.
    const result =
      mode === "test" ? await syncTestAccount(workspaceId, line) : await syncLiveAccount(workspaceId, line);
    results.push({ result, account: line.whatsappBusinessAccountId });
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
