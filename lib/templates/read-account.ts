import { errorFields, log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/masked-text";
import type { TemplateRead } from "@/lib/phone-numbers/claim-read";
import { failRead, finishRead } from "@/lib/phone-numbers/finish-read";
import { markTokenRefused } from "@/lib/phone-numbers/mark-token-refused";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { isTokenRefusal } from "@/lib/whatsapp/access-token";
import type { GraphFailure } from "@/lib/whatsapp/graph-failure";
import { oneLinePerAccount } from "./one-line-per-account";
import { type SyncResult, syncTemplates } from "./sync-templates";

/**
 * Carries out a claimed read through one of the account's lines, and ends the claim. A refused token is marked at its
 * line: another line of the account is used next time, and without one the account waits for a new token. Never throws.
 */
export async function readAccount(read: TemplateRead, options: { timeoutMs?: number } = {}): Promise<SyncResult> {
  const result = await readThroughLine(read, options).catch((error: unknown): GraphFailure => {
    log("warn", "templates.not-stored", { workspaceId: read.workspaceId, ...errorFields(error) });
    return failed("The list could not be stored.");
  });
  try {
    if (result.outcome === "ok") await finishRead(read);
    else await failRead(read, maskNumbers(result.reason));
  } catch (error) {
    // The claim expires, and the account is read again.
    log("warn", "templates.read-not-ended", { workspaceId: read.workspaceId, ...errorFields(error) });
  }
  return result;
}

const readThroughLine = async (read: TemplateRead, { timeoutMs }: { timeoutMs?: number }): Promise<SyncResult> => {
  const { workspaceId, whatsappBusinessAccountId: account, name } = read;
  const lines = await listSendingLines(workspaceId, "live");
  const [line] = oneLinePerAccount(
    lines.filter(({ whatsappBusinessAccountId }) => whatsappBusinessAccountId === account),
  );
  if (!line) return failed("No line of this account is connected any more.");
  const opened = toWhatsappLine(workspaceId, line);
  const result = await syncTemplates(workspaceId, opened, { name: name ?? undefined, ...(timeoutMs && { timeoutMs }) });
  if (result.outcome === "failed") {
    log("warn", "templates.not-read", { workspaceId, phoneNumberId: line.id, reason: maskNumbers(result.reason) });
    if (isTokenRefusal(result)) await markTokenRefused(workspaceId, line, result.reason);
  }
  return result;
};

const failed = (reason: string): GraphFailure => ({ outcome: "failed", kind: "own", reason, platform: null });
