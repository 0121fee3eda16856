import type { WorkspaceId } from "@/lib/core/workspace-id";
import { claimReadOf } from "@/lib/phone-numbers/claim-read";
import { queueAskedRead } from "@/lib/phone-numbers/queue-reads";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { readAccount } from "./read-account";
import { syncTemplates } from "./sync-templates";

/**
 * Reads the templates of one name again, because WhatsApp contradicted our copy. Where the account was read within the
 * last minute, the read is queued instead: refused sends must not use up the calls that WhatsApp allows an account.
 */
export async function refreshTemplate(
  workspaceId: WorkspaceId,
  line: WhatsappLine,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Promise<void> {
  if (line.mode === "test") {
    await syncTemplates(workspaceId, line, { name, timeoutMs });
    return;
  }
  const named = { whatsappBusinessAccountId: line.whatsappBusinessAccountId, name };
  const read = await claimReadOf(workspaceId, named);
  if (read) await readAccount(read, { timeoutMs });
  else await queueAskedRead(workspaceId, named);
}
