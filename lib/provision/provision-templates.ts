import { sql } from "drizzle-orm";
import { templates } from "@/db/schema";
import { newId } from "@/lib/ids";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { ProvisionedTemplate } from "./document";
import type { Provisioning } from "./provisioning";

/** Returns the ids by `name/language`; a second account or mode with the same one has a key that ends `/mode/account`. */
export const provisionTemplates = async (
  run: Provisioning,
  workspaceId: WorkspaceId,
  wanted: readonly ProvisionedTemplate[],
): Promise<Record<string, string>> => {
  const ids = new Map<string, string>();
  for (const entry of wanted) {
    const key = `${entry.template.name}/${entry.template.language}`;
    const id = await writeTemplate(run, workspaceId, entry);
    ids.set(ids.has(key) ? `${key}/${entry.mode}/${entry.whatsappBusinessAccountId}` : key, id);
  }
  return Object.fromEntries(ids);
};

const writeTemplate = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, template }: ProvisionedTemplate,
): Promise<string> => {
  const record = {
    whatsappTemplateId: template.id,
    category: template.category,
    status: template.status,
    parameterFormat: template.parameter_format,
    components: template.components,
    qualityScore: scoreOf(template.quality_score),
    rejectedReason: template.rejected_reason,
  };
  const { name, language } = template;
  const [row] = await tx
    .insert(templates)
    .values({ workspaceId, id: newId("tpl"), mode, whatsappBusinessAccountId, name, language, ...record })
    .onConflictDoUpdate({
      target: [
        templates.workspaceId,
        templates.mode,
        templates.whatsappBusinessAccountId,
        templates.name,
        templates.language,
      ],
      set: { ...record, updatedAt: sql`now()` },
    })
    .returning({ id: templates.id });
  if (!row) throw new Error(`The template ${name}/${language} was not written.`);
  return row.id;
};

const scoreOf = (score: ProvisionedTemplate["template"]["quality_score"]) =>
  typeof score === "object" && score !== null ? score.score : score;
