import { databaseTime } from "@/db/raw-sql";
import { errorFields, log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import {
  claimReadOf,
  failRead,
  finishRead,
  queueRequestedRead,
  type TemplateRead,
} from "@/lib/phone-numbers/queue-reads";
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
 * Rereads the templates of one name after WhatsApp contradicted our copy. If the account was read within the
 * last minute, the read is queued instead: refused sends must not use up the calls that WhatsApp allows an account.
 */
export async function refreshTemplate(
  workspaceId: WorkspaceId,
  line: WhatsappLine,
  options: { name: string; timeoutMs: number },
): Promise<void> {
  const sync = () => syncTemplates(workspaceId, line, options);
  if (line.mode === "test") {
    await sync();
    return;
  }
  const wanted = { whatsappBusinessAccountId: line.whatsappBusinessAccountId, name: options.name };
  const read = await claimReadOf(workspaceId, wanted);
  if (read) await runRead(read, sync);
  else await queueRequestedRead(workspaceId, wanted);
}

/** Runs a claimed read, and releases the claim. Never throws. */
export async function runRead(read: TemplateRead, sync: () => Promise<SyncResult>): Promise<SyncResult> {
  const { workspaceId } = read;
  const result = await sync().catch((error: unknown): GraphFailure => {
    log("warn", "templates.not-stored", { workspaceId, ...errorFields(error) });
    return failed("The list could not be stored.");
  });
  try {
    if (result.outcome === "ok") await finishRead(read);
    else await failRead(read, maskNumbers(result.reason));
  } catch (error) {
    // The claim will expire, and the account is read again.
    log("warn", "templates.read-not-ended", { workspaceId, ...errorFields(error) });
  }
  return result;
}

/** A read that did not come to an answer of WhatsApp's. */
export function failed(reason: string): GraphFailure {
  return { outcome: "failed", kind: "own", reason, platform: null };
}
