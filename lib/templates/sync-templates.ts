import { listTemplates } from "@/lib/whatsapp/business-account";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { GraphFailure } from "@/lib/whatsapp/graph-failure";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import { markDeleted, storeTemplates } from "./store-templates";

/**
 * Reads a line's templates from the platform, to the end of its cursors, and brings our copies up to date; with `name`
 * those of one name only. What is no longer listed becomes DELETED. Answers with the number of records read, or with
 * what the platform said instead of a list.
 */
export const syncTemplates = async (
  workspaceId: WorkspaceId,
  line: WhatsappLine,
  options: { name?: string; timeoutMs?: number } = {},
): Promise<{ outcome: "ok"; count: number } | GraphFailure> => {
  const list = await listTemplates(line, options);
  if (list.outcome === "failed") return list;
  const { templates: records, unreadable } = list;
  await storeTemplates(workspaceId, line, records);
  // With a record that could not be read, its absence from the list proves nothing.
  if (unreadable === 0) {
    await markDeleted(workspaceId, line, { records, name: options.name });
  }
  return { outcome: "ok", count: records.length };
};
