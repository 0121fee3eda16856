import { and, eq, sql } from "drizzle-orm";
import { templates } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { readGivenTemplate } from "@/lib/whatsapp/business-account";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { ProvisionedTemplate } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

/** Returns the ids by `name/language`; a second account or mode with the same one has a key that ends `/mode/account`. */
export async function provisionTemplates(
  run: Provisioning,
  workspaceId: WorkspaceId,
  wanted: readonly ProvisionedTemplate[],
): Promise<Record<string, string>> {
  const ids = new Map<string, string>();
  for (const entry of wanted) {
    const key = `${entry.template.name}/${entry.template.language}`;
    const id = await writeTemplate(run, workspaceId, entry);
    ids.set(ids.has(key) ? `${key}/${entry.mode}/${entry.whatsappBusinessAccountId}` : key, id);
  }
  return Object.fromEntries(ids);
}

const writeTemplate = async (
  { tx }: Provisioning,
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, template }: ProvisionedTemplate,
): Promise<string> => {
  const read = readGivenTemplate(template);
  if (!read) throw new Error(`The template ${template.name}/${template.language} is no record of WhatsApp's.`);
  const { id: whatsappTemplateId, name, language, ...rest } = read;
  const identity = { mode, whatsappBusinessAccountId, name, language };
  const record = { whatsappTemplateId, ...rest };
  const [made] = await tx
    .insert(templates)
    .values({ workspaceId, id: newId("tpl"), ...identity, ...record })
    .onConflictDoNothing()
    .returning({ id: templates.id });
  const [stored] = made
    ? []
    : await tx
        .select()
        .from(templates)
        .where(
          and(
            eq(templates.workspaceId, workspaceId),
            eq(templates.mode, mode),
            eq(templates.whatsappBusinessAccountId, whatsappBusinessAccountId),
            eq(templates.name, name),
            eq(templates.language, language),
          ),
        )
        // A webhook may be changing it: what it was is read when that is done.
        .for("no key update");
  const id = made?.id ?? stored?.id;
  if (!id) throw new Error(`The template ${name}/${language} was not written.`);

  const change = changeOf(stored, stored ? record : { ...identity, ...record });
  if (!change) return id;
  if (stored) {
    await tx
      .update(templates)
      .set({ ...record, updatedAt: sql`now()` })
      .where(and(eq(templates.workspaceId, workspaceId), eq(templates.id, id)));
  }
  const action = stored ? "template.changed" : "template.created";
  await recordAudit(tx, workspaceId, { by: PROVISIONER, action, targetId: id, ...change });
  return id;
};
