import { and, eq, inArray, ne, notInArray, sql } from "drizzle-orm";
import type { PgInsertValue } from "drizzle-orm/pg-core";
import { onDatabase } from "@/db/client";
import { TEMPLATE_NAME, templates } from "@/db/schema";
import { newId } from "@/lib/ids";
import type { WhatsappTemplate } from "@/lib/whatsapp/business-account";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** Postgres takes 65,535 parameters in a statement, and an account may have 6,000 templates. */
const BATCH = 500;

/** Everything that locks several templates does so in this order, so that none of it ends in a deadlock. */
export const LOCK_ORDER = [
  templates.workspaceId,
  sql`(${templates.name} || '/' || ${templates.language}) collate "C"`,
  templates.id,
];

type BusinessAccount = Pick<WhatsappLine, "mode" | "whatsappBusinessAccountId">;

/** Brings our copies of the platform's records up to date; a record keeps its id. */
export const storeTemplates = async (
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId }: BusinessAccount,
  records: readonly WhatsappTemplate[],
): Promise<void> => {
  const rows = distinct(records).map(({ id, ...record }) => ({
    ...record,
    workspaceId,
    id: newId("tpl"),
    mode,
    whatsappBusinessAccountId,
    whatsappTemplateId: id,
    // Since when a record that is new to us has its status, its list does not tell.
    statusChangedAt: null,
    // What is read now is newer than every webhook that is still on its way.
    syncedAt: sql`now()`,
  }));
  for (let at = 0; at < rows.length; at += BATCH) await write(rows.slice(at, at + BATCH));
};

/** In LOCK_ORDER; a list that moves between pages may repeat a record. */
const distinct = (records: readonly WhatsappTemplate[]): WhatsappTemplate[] =>
  [...new Map(records.map((record) => [`${record.name}/${record.language}`, record]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, record]) => record);

const write = (rows: PgInsertValue<typeof templates>[]) =>
  onDatabase((db) =>
    db
      .insert(templates)
      .values(rows)
      .onConflictDoUpdate({
        target: TEMPLATE_NAME,
        set: {
          whatsappTemplateId: sql`excluded.whatsapp_template_id`,
          category: sql`excluded.category`,
          status: sql`excluded.status`,
          parameterFormat: sql`excluded.parameter_format`,
          components: sql`excluded.components`,
          qualityScore: sql`excluded.quality_score`,
          rejectedReason: sql`excluded.rejected_reason`,
          statusChangedAt: sql`case when ${templates.status} is distinct from excluded.status then now()
            else ${templates.statusChangedAt} end`,
          syncedAt: sql`now()`,
          updatedAt: sql`now()`,
        },
      }),
  );

/**
 * Our copies that are not among `records` have gone from the platform: they stay, as DELETED, and cannot be sent.
 * `records` is the whole list of the business account, or of one `name` in it.
 */
export const markDeleted = async (
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId }: BusinessAccount,
  { records, name }: { records: readonly WhatsappTemplate[]; name: string | undefined },
): Promise<void> => {
  const listed = records.map(({ id }) => id);
  const gone = and(
    eq(templates.workspaceId, workspaceId),
    eq(templates.mode, mode),
    eq(templates.whatsappBusinessAccountId, whatsappBusinessAccountId),
    ne(templates.status, "DELETED"),
    name === undefined ? undefined : eq(templates.name, name),
    listed.length === 0 ? undefined : notInArray(templates.whatsappTemplateId, listed),
  );
  await onDatabase((db) =>
    db
      .update(templates)
      .set({ status: "DELETED", statusChangedAt: sql`now()`, syncedAt: sql`now()`, updatedAt: sql`now()` })
      .where(
        and(
          eq(templates.workspaceId, workspaceId),
          inArray(
            templates.id,
            db
              .select({ id: templates.id })
              .from(templates)
              .where(gone)
              .orderBy(...LOCK_ORDER)
              .for("no key update"),
          ),
        ),
      ),
  );
};
