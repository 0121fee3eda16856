import { sql } from "drizzle-orm";
import { templates } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import { readGivenTemplate } from "@/lib/whatsapp/business-account";
import { changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedTemplate } from "./document";
import type { Provisioning } from "./provisioning";

/** Returns the ids by `name/language`, plus `/mode/account` for further accounts or modes with the same one. */
export async function provisionTemplates(
  run: Provisioning,
  wanted: readonly ProvisionedTemplate[],
): Promise<Record<string, string>> {
  const ids = new Map<string, string>();
  for (const entry of wanted) {
    const key = `${entry.template.name}/${entry.template.language}`;
    const id = await writeTemplate(run, entry);
    ids.set(ids.has(key) ? `${key}/${entry.mode}/${entry.whatsappBusinessAccountId}` : key, id);
  }
  return Object.fromEntries(ids);
}

async function writeTemplate(
  { tx, workspaceId, record }: Provisioning,
  { mode, whatsappBusinessAccountId, template }: ProvisionedTemplate,
): Promise<string> {
  const read = readGivenTemplate(template);
  if (!read) throw new Error(`The template ${template.name}/${template.language} is no record of WhatsApp's.`);
  const { id: whatsappTemplateId, name, language, ...rest } = read;
  const identity = { mode, whatsappBusinessAccountId, name, language };
  const fields = { whatsappTemplateId, ...rest };
  const [made] = await tx
    .insert(templates)
    .values({ workspaceId, id: newId("tpl"), ...identity, ...fields })
    .onConflictDoNothing()
    .returning({ id: templates.id });
  const [stored] = made
    ? []
    : await tx
        .select()
        .from(templates)
        .where(rowsOf(templates, workspaceId, identity))
        // Waits for a webhook that is changing it, so that the previous values are current.
        .for("no key update");
  const id = made?.id ?? stored?.id;
  if (!id) throw new Error(`The template ${name}/${language} was not written.`);

  const change = changeOf(stored, stored ? fields : { ...identity, ...fields });
  if (!change) return id;
  if (stored) {
    await tx
      .update(templates)
      .set({ ...fields, updatedAt: sql`now()` })
      .where(rowsOf(templates, workspaceId, { id }));
  }
  await record(stored ? "template.changed" : "template.created", id, change);
  return id;
}
