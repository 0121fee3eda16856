import type { PhoneNumber } from "@/db/schema";
import { log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/phone";
import { notePortfolio } from "@/lib/phone-numbers/note-portfolio";
import { markTokenRefused } from "@/lib/phone-numbers/note-token";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import type { TemplateRead } from "@/lib/phone-numbers/queue-reads";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { isTokenRefusal } from "@/lib/whatsapp/access-token";
import { failed, runRead, type SyncResult, syncTemplates } from "./sync-templates";

/**
 * Runs a claimed read through one of the account's lines, and releases the claim. A refused token is marked on its
 * line: the next read uses another line of the account or, without one, waits for a new token. Never throws.
 */
export function readAccount(read: TemplateRead): Promise<SyncResult> {
  return runRead(read, () => readThroughLine(read));
}

async function readThroughLine({ workspaceId, whatsappBusinessAccountId, name }: TemplateRead): Promise<SyncResult> {
  const lines = await listSendingLines(workspaceId, "live");
  const [line] = oneLinePerAccount(lines.filter((one) => one.whatsappBusinessAccountId === whatsappBusinessAccountId));
  if (!line) return failed("No line of this account is connected any more.");
  const opened = toWhatsappLine(workspaceId, line);
  const result = await syncTemplates(workspaceId, opened, { name: name ?? undefined });
  if (result.outcome === "failed") {
    log("warn", "templates.not-read", { workspaceId, phoneNumberId: line.id, reason: maskNumbers(result.reason) });
    if (isTokenRefusal(result)) await markTokenRefused(workspaceId, line, result.reason);
  }
  if (result.outcome === "ok" && name === null) await notePortfolio(workspaceId, opened);
  return result;
}

type Candidate = Pick<PhoneNumber, "whatsappBusinessAccountId" | "isActive" | "tokenProblem">;

/** Returns one line per business account, preferring lines without token problems, then active ones. */
export function oneLinePerAccount<Line extends Candidate>(lines: Line[]): Line[] {
  const rank = ({ isActive, tokenProblem }: Candidate) => Number(tokenProblem !== null) * 2 + Number(!isActive);
  const byAccount = new Map<string, Line>();
  for (const line of lines) {
    const known = byAccount.get(line.whatsappBusinessAccountId);
    if (!known || rank(line) < rank(known)) byAccount.set(line.whatsappBusinessAccountId, line);
  }
  return [...byAccount.values()];
}
