import { and, inArray, isNotNull, isNull, lte, ne, notInArray, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn, PgInsertValue } from "drizzle-orm/pg-core";
import { type Db, onDatabase } from "@/db/client";
import { TEMPLATE_LOCK_ORDER, TEMPLATE_NAME, templates } from "@/db/schema/business-accounts";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import type { WhatsappTemplate } from "@/lib/whatsapp/business-account";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** Postgres takes 65,535 parameters in a statement, and an account may have 6,000 templates. */
const BATCH = 500;

type BusinessAccount = Pick<WhatsappLine, "mode" | "whatsappBusinessAccountId">;

/** WhatsApp's list, and when its read began by the database's clock. */
type Listed = { records: readonly WhatsappTemplate[]; beganAt: Date };

/**
 * Updates our copies of WhatsApp's records; a record keeps its id. An event received during the read, or a
 * read that began later, is newer than this list and takes precedence.
 */
export async function storeTemplates(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId }: BusinessAccount,
  { records, beganAt }: Listed,
): Promise<void> {
  const readAt = wholeSecond(beganAt);
  const rows = distinct(records).map(({ id, ...record }) => ({
    ...record,
    workspaceId,
    id: newId("tpl"),
    mode,
    whatsappBusinessAccountId,
    whatsappTemplateId: id,
    // The list does not say when a new record got its status.
    statusChangedAt: null,
    syncedAt: readAt,
  }));
  for (let at = 0; at < rows.length; at += BATCH) await write(rows.slice(at, at + BATCH), readAt);
  if (mode === "live") await setReportedTimes(workspaceId, whatsappBusinessAccountId);
}

/** Event times have whole seconds: an event in the second in which the read began may be newer. */
const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / 1_000) * 1_000);

/** In the order of their locks; a list that moves between pages may repeat a record. */
const distinct = (records: readonly WhatsappTemplate[]): WhatsappTemplate[] =>
  [...new Map(records.map((record) => [`${record.name}/${record.language}`, record]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, record]) => record);

function write(rows: PgInsertValue<typeof templates>[], readAt: Date) {
  const at = sql`${readAt.toISOString()}::timestamptz`;
  const unlessNewer = (column: PgColumn, listed: string, changedAt: PgColumn) =>
    sql`case when ${changedAt} > ${at} then ${column} else excluded.${sql.identifier(listed)} end`;
  const { statusChangedAt, categoryChangedAt, componentsChangedAt, qualityChangedAt } = templates;
  const listed = {
    whatsappTemplateId: sql`excluded.whatsapp_template_id`,
    parameterFormat: sql`excluded.parameter_format`,
    status: unlessNewer(templates.status, "status", statusChangedAt),
    rejectedReason: unlessNewer(templates.rejectedReason, "rejected_reason", statusChangedAt),
    category: unlessNewer(templates.category, "category", categoryChangedAt),
    components: unlessNewer(templates.components, "components", componentsChangedAt),
    qualityScore: unlessNewer(templates.qualityScore, "quality_score", qualityChangedAt),
  };
  const { components, ...others } = listed;
  const kept = Object.keys(others).map((name) => templates[name as keyof typeof others]);
  const isSame = sql`(${join(kept)}, ${lasting(templates.components)})
    is not distinct from (${join(Object.values(others))}, ${lasting(components)})`;
  return onDatabase((db) =>
    db
      .insert(templates)
      .values(rows)
      .onConflictDoUpdate({
        target: TEMPLATE_NAME,
        set: {
          ...listed,
          statusChangedAt: sql`case when ${statusChangedAt} > ${at} or ${templates.status} = excluded.status
            then ${statusChangedAt} else ${at} end`,
          syncedAt: sql`${at}`,
          updatedAt: sql`case when ${isSame} then ${templates.updatedAt} else now() end`,
        },
        setWhere: sql`${templates.syncedAt} is null or ${templates.syncedAt} <= ${at}`,
      }),
  );
}

const join = (values: SQLWrapper[]): SQL => sql.join(values, sql`, `);

/** Components without the addresses of sample media, which are others in each list of WhatsApp's. */
const lasting = (components: SQLWrapper): SQL =>
  sql`regexp_replace((${components})::text, '"header_handle":\\[("([^"\\\\]|\\\\.)*",?)*\\]', '', 'g')`;

/**
 * Sets the status time of templates from webhooks that arrived before the template was known.
 * A trigger then writes the event for partners.
 */
function setReportedTimes(workspaceId: WorkspaceId, whatsappBusinessAccountId: string) {
  const reportedAt = sql`(
    select (r.reported ->> (${templates.name} || '/' || ${templates.language} || '/' || ${templates.status}))::timestamptz
    from template_reads r
    where r.workspace_id = ${workspaceId} and r.whatsapp_business_account_id = ${whatsappBusinessAccountId})`;
  const isUndated = rowsOf(templates, workspaceId, { mode: "live", whatsappBusinessAccountId, statusChangedAt: null });
  return onDatabase((db) =>
    db
      .update(templates)
      .set({ statusChangedAt: reportedAt })
      .where(and(isNotNull(reportedAt), isLocked(db, workspaceId, and(isUndated, isNotNull(reportedAt))))),
  );
}

/** The condition of an update of these templates, which locks them in order. */
function isLocked(db: Db, workspaceId: WorkspaceId, where: SQL | undefined) {
  const { id } = templates;
  const locked = db
    .select({ id })
    .from(templates)
    .where(where)
    .orderBy(...TEMPLATE_LOCK_ORDER)
    .for("no key update");
  return and(rowsOf(templates, workspaceId), inArray(id, locked));
}

/**
 * Marks our copies that are not in `records` as DELETED: they are kept, but cannot be sent.
 * `records` is the full list of the business account, or of one `name` in it.
 */
export async function markDeleted(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId }: BusinessAccount,
  { records, name, beganAt }: Listed & { name: string | undefined },
): Promise<void> {
  const listed = records.map(({ id }) => id);
  const gone = and(
    rowsOf(templates, workspaceId, { mode, whatsappBusinessAccountId, name }),
    ne(templates.status, "DELETED"),
    // A template submitted, changed, reported or read during the read may be missing from the list.
    ...[templates.updatedAt, templates.statusChangedAt, templates.syncedAt].map((at) =>
      or(isNull(at), lte(at, beganAt)),
    ),
    listed.length === 0 ? undefined : notInArray(templates.whatsappTemplateId, listed),
  );
  await onDatabase((db) =>
    db
      .update(templates)
      .set({
        status: "DELETED",
        statusChangedAt: wholeSecond(beganAt),
        syncedAt: wholeSecond(beganAt),
        updatedAt: sql`now()`,
      })
      .where(isLocked(db, workspaceId, gone)),
  );
}
