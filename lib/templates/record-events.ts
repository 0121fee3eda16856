import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgUpdateSetSource } from "drizzle-orm/pg-core";
import { onDatabase } from "@/db/client";
import { templates } from "@/db/schema";
import { applyComponentsUpdate } from "@/lib/whatsapp/components-update";
import type { TemplateEvent } from "@/lib/whatsapp/template-webhooks";

/**
 * Applies what the platform says of templates; a status that a later one or a sync overtook changes nothing. Answers with
 * the events about templates we do not hold. Those of the sandbox (`mode` test) are about its own templates, by id only:
 * business accounts of test lines are free words, which workspaces may share.
 */
export const recordTemplateEvents = async (
  events: TemplateEvent[],
  { mode }: { mode?: "test" } = {},
): Promise<TemplateEvent[]> => {
  const homeless: TemplateEvent[] = [];
  for (const told of events) {
    const event = mode === "test" ? { ...told, name: null } : told;
    const which = and(mode && eq(templates.mode, mode), meantBy(event));
    const isKnown =
      event.change.kind === "components" ? await applyComponents(event, which) : await applyColumns(event, which);
    if (!isKnown) homeless.push(event);
  }
  return homeless;
};

const applyColumns = async (event: TemplateEvent, which: SQL | undefined): Promise<boolean> => {
  const columns = columnsOf(event);
  const rows = await onDatabase(
    (db) =>
      db
        .update(templates)
        .set({ ...columns, updatedAt: sql`now()` })
        .where(which)
        .returning({ id: templates.id }),
    { pool: "webhooks" },
  );
  return rows.length > 0;
};

const applyComponents = async ({ change }: TemplateEvent, which: SQL | undefined): Promise<boolean> => {
  if (change.kind !== "components") return false;
  const rows = await onDatabase(
    (db) =>
      db.transaction(async (transaction) => {
        const stored = await transaction.select().from(templates).where(which).for("update");
        for (const { workspaceId, id, components } of stored) {
          await transaction
            .update(templates)
            .set({ components: applyComponentsUpdate(components, change.update), updatedAt: sql`now()` })
            .where(and(eq(templates.workspaceId, workspaceId), eq(templates.id, id)));
        }
        return stored;
      }),
    { pool: "webhooks" },
  );
  return rows.length > 0;
};

const columnsOf = ({ change, occurredAt }: TemplateEvent): PgUpdateSetSource<typeof templates> => {
  const at = sql`${occurredAt.toISOString()}::timestamptz`;
  const unlessLate = (value: string | SQL | null, column: PgColumn) =>
    sql`case when greatest(${templates.statusChangedAt}, ${templates.syncedAt}) > ${at} then ${column} else ${value} end`;
  switch (change.kind) {
    case "status":
      return {
        ...(change.status === null
          ? {}
          : {
              status: unlessLate(change.status, templates.status),
              statusChangedAt: unlessLate(at, templates.statusChangedAt),
            }),
        ...(change.category === null ? {} : { category: unlessLate(change.category, templates.category) }),
        rejectedReason: unlessLate(change.rejectedReason, templates.rejectedReason),
      };
    case "quality":
      return { qualityScore: change.qualityScore };
    case "category":
      return { category: change.category };
    case "components":
      return {};
    default:
      return change satisfies never;
  }
};

/** By the platform's id, else by name and language, always within the business account. */
const meantBy = ({ whatsappBusinessAccountId, whatsappTemplateId, name, language }: TemplateEvent): SQL | undefined =>
  and(
    eq(templates.whatsappBusinessAccountId, whatsappBusinessAccountId),
    or(
      whatsappTemplateId === null ? undefined : eq(templates.whatsappTemplateId, whatsappTemplateId),
      name === null || language === null
        ? undefined
        : and(
            eq(templates.name, name),
            eq(templates.language, language),
            sql`not exists (
              select from templates same where same.workspace_id = ${templates.workspaceId} and same.mode = ${templates.mode}
                and same.whatsapp_business_account_id = ${whatsappBusinessAccountId}
                and same.whatsapp_template_id = ${whatsappTemplateId}
            )`,
          ),
    ),
  );
