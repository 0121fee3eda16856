import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type Mode, templates } from "@/db/schema";
import { newId } from "@/lib/ids";
import type { WhatsappTemplate } from "@/lib/whatsapp/business-account";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** Brings our copies of the platform's records up to date; a record keeps its id. */
export const storeTemplates = async (
  workspaceId: WorkspaceId,
  mode: Mode,
  whatsappBusinessAccountId: string,
  records: readonly WhatsappTemplate[],
): Promise<void> => {
  if (records.length === 0) return;
  const rows = records.map(({ id, ...record }) => ({
    ...record,
    workspaceId,
    id: newId("tpl"),
    mode,
    whatsappBusinessAccountId,
    whatsappTemplateId: id,
    syncedAt: sql`now()`,
  }));
  await onDatabase((db) =>
    db
      .insert(templates)
      .values(rows)
      .onConflictDoUpdate({
        target: [
          templates.workspaceId,
          templates.mode,
          templates.whatsappBusinessAccountId,
          templates.name,
          templates.language,
        ],
        set: {
          whatsappTemplateId: sql`excluded.whatsapp_template_id`,
          category: sql`excluded.category`,
          status: sql`excluded.status`,
          parameterFormat: sql`excluded.parameter_format`,
          components: sql`excluded.components`,
          qualityScore: sql`excluded.quality_score`,
          rejectedReason: sql`excluded.rejected_reason`,
          syncedAt: sql`now()`,
          updatedAt: sql`now()`,
        },
      }),
  );
};
