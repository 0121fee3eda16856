import { databaseTime } from "@/db/raw-sql";
import type { PhoneNumber } from "@/db/schema";
import { errorFields, log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import { notePortfolio } from "@/lib/phone-numbers/note-portfolio";
import { markTokenRefused } from "@/lib/phone-numbers/note-token";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import {
  claimReadOf,
  failRead,
  finishRead,
  queueRequestedRead,
  type TemplateRead,
} from "@/lib/phone-numbers/queue-reads";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { isTokenRefusal } from "@/lib/whatsapp/access-token";
import { type ListOptions, listTemplates } from "@/lib/whatsapp/business-account";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { GraphFailure } from "@/lib/whatsapp/errors";
import { markDeleted, storeTemplates } from "./store-templates";

export type SyncResult = { outcome: "ok"; count: number } | GraphFailure;

/**
 * Reads all pages of a line's templates from WhatsApp and updates our copies; with `name` only those
 * of one name. Templates no longer listed become DELETED; changes made here since the read began stay. Returns
 * the number of records, or WhatsApp's error.
 */
export async function syncTemplates(
  workspaceId: WorkspaceId,
  line: WhatsappLine,
  options: ListOptions = {},
): Promise<SyncResult> {
  const beganAt = await databaseTime();
  const list = await listTemplates(line, options);
  if (list.outcome === "failed") return list;
  const { templates: records, unreadable } = list;
  await storeTemplates(workspaceId, line, { records, beganAt });
  // With unreadable records, absence from the list proves nothing.
  if (unreadable === 0) {
    await markDeleted(workspaceId, line, { records, name: options.name, beganAt });
  }
  return { outcome: "ok", count: records.length };
}

/**
 * Runs a claimed read through one of the account's lines, and releases the claim. A refused token is marked on its
 * line: the next read uses another line of the account or, without one, waits for a new token. Never throws.
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
    // The claim will expire, and the account is read again.
    log("warn", "templates.read-not-ended", { workspaceId: read.workspaceId, ...errorFields(error) });
  }
  return result;
}

async function readThroughLine(read: TemplateRead, { timeoutMs }: { timeoutMs?: number }): Promise<SyncResult> {
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
  if (result.outcome === "ok" && name === null) await notePortfolio(workspaceId, opened);
  return result;
}

const failed = (reason: string): GraphFailure => ({ outcome: "failed", kind: "own", reason, platform: null });

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

/**
 * Rereads the templates of one name after WhatsApp contradicted our copy. If the account was read within the
 * last minute, the read is queued instead: refused sends must not use up the calls that WhatsApp allows an account.
 */
export async function refreshTemplate(
  workspaceId: WorkspaceId,
  line: WhatsappLine,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Promise<void> {
  if (line.mode === "test") await syncTemplates(workspaceId, line, { name, timeoutMs });
  else await readOrQueue(workspaceId, line, { name, timeoutMs });
}

/** Undefined if the account was read within the last minute: then the read is queued. */
export async function readOrQueue(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId }: Pick<WhatsappLine, "whatsappBusinessAccountId">,
  { name, ...options }: { name: string | null; timeoutMs?: number },
): Promise<SyncResult | undefined> {
  const read = await claimReadOf(workspaceId, { whatsappBusinessAccountId, name });
  if (read) return readAccount(read, options);
  await queueRequestedRead(workspaceId, { whatsappBusinessAccountId, name });
  return undefined;
}
