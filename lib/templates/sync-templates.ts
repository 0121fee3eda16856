import { databaseTime } from "@/db/clock";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type ListOptions, listTemplates } from "@/lib/whatsapp/business-account";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { GraphFailure } from "@/lib/whatsapp/graph-failure";
import { markDeleted, storeTemplates } from "./store-templates";

export type SyncResult = { outcome: "ok"; count: number } | GraphFailure;

/**
 * Reads a line's templates from WhatsApp, to the end of its cursors, and brings our copies up to date; with `name` those
 * of one name only. What is no longer listed becomes DELETED, and what changed here since the read began stays. Returns
 * the number of records, or what WhatsApp said instead of a list.
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
  // With a record that could not be read, its absence from the list proves nothing.
  if (unreadable === 0) {
    await markDeleted(workspaceId, line, { records, name: options.name, beganAt });
  }
  return { outcome: "ok", count: records.length };
}
