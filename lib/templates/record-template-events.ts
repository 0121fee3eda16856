import { and, eq, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { rawSql } from "@/db/raw-sql";
import { TEMPLATE_LOCK_ORDER, templates } from "@/db/schema/business-accounts";
import { queued } from "@/lib/core/due-work";
import type { Mode } from "@/lib/core/principal";
import { queueUnknownTemplates } from "@/lib/phone-numbers/queue-reads";
import type { TemplateEvent } from "@/lib/whatsapp/template-webhooks";
import { applyEvents, type TemplateState } from "./template-state";

/**
 * Applies WhatsApp's events to our stored templates, and queues a read of each template that turns out to
 * be missing. Returns the events of accounts without a live line.
 */
export async function receiveTemplateEvents(events: TemplateEvent[]): Promise<TemplateEvent[]> {
  const unknown = new Set(await recordTemplateEvents(events));
  const { connected, isQueued } = await queueUnknownTemplates(
    events.map(({ change, ...event }) => {
      const status = change.kind === "status" ? change.status : null;
      const isGone = status === "DELETED" || status === "PENDING_DELETION";
      return { ...event, status, isGone, isStatusUnknown: change.kind === "status" && status === null };
    }),
  );
  // Try the unknown ones again: a read may have stored them since.
  await recordTemplateEvents([...unknown]);
  if (isQueued) queued("templateReads");
  return events.filter((event, index) => unknown.has(event) && !connected.has(index));
}

type Key = { workspaceId: string; id: string };

/**
 * Applies WhatsApp's template events in one transaction, in the order of their timestamps. Returns the
 * events about unknown templates. `mode` test is for the sandbox, which reports its own templates by id
 * only, because workspaces may use the same made-up business account on test lines.
 */
export async function recordTemplateEvents(
  events: TemplateEvent[],
  { mode }: { mode?: Mode } = {},
): Promise<TemplateEvent[]> {
  if (events.length === 0) return [];
  const known = await inTransaction(
    async (transaction) => {
      const concerned = await lockReferenced(transaction, events, mode);
      const changes = concerned.flatMap(({ workspaceId, id, indexes, ...before }) => {
        const own = indexes.flatMap((index) => events[index] ?? []);
        const after = applyEvents(before, own);
        return JSON.stringify(after) === JSON.stringify(before) ? [] : [{ workspaceId, id, ...after }];
      });
      if (changes.length > 0) await storeChanges(transaction, changes);
      return new Set(concerned.flatMap(({ indexes }) => indexes));
    },
    { pool: "webhooks" },
  );
  return events.filter((_, index) => !known.has(index));
}

/** Locks the templates that events refer to, by WhatsApp's id, else by name and language. */
async function lockReferenced(
  transaction: Transaction,
  events: readonly TemplateEvent[],
  mode: Mode | undefined,
): Promise<(Key & TemplateState & { indexes: number[] })[]> {
  const rows = events.map(({ change, ...event }, index) => ({
    ...event,
    index,
    name: mode === "test" ? null : event.name,
    isEdit: change.kind === "components",
  }));
  const concerned = sql`(
    with event as (
      select index, "whatsappBusinessAccountId" as account, "whatsappTemplateId" as template, name, language,
        "isEdit" as is_edit
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (index int,
        "whatsappBusinessAccountId" text, "whatsappTemplateId" text, name text, language text, "isEdit" boolean)
    ), meant as (
      select t.workspace_id, t.id, event.index, event.is_edit
      from event join templates t on t.whatsapp_business_account_id = event.account
        and t.whatsapp_template_id = event.template
      union
      select t.workspace_id, t.id, event.index, event.is_edit
      from event join templates t on t.whatsapp_business_account_id = event.account
        and t.name = event.name and t.language = event.language
      where not exists (
        select from templates same where same.workspace_id = t.workspace_id and same.mode = t.mode
          and same.whatsapp_business_account_id = event.account and same.whatsapp_template_id = event.template
      )
    )
    select workspace_id, id, json_agg(index order by index) as indexes, bool_or(is_edit) as is_edited
    from meant group by workspace_id, id
  ) as concerned`;
  return transaction
    .select({
      ...columnsOf(templates, "workspaceId", "id", "status", "statusChangedAt", "rejectedReason", "syncedAt"),
      ...columnsOf(
        templates,
        "category",
        "categoryChangedAt",
        "qualityScore",
        "qualityChangedAt",
        "componentsChangedAt",
      ),
      components: sql<unknown[] | null>`case when concerned.is_edited then ${templates.components} end`,
      indexes: sql<number[]>`concerned.indexes`,
    })
    .from(templates)
    .innerJoin(
      concerned,
      and(sql`concerned.workspace_id = ${templates.workspaceId}`, sql`concerned.id = ${templates.id}`),
    )
    .where(mode && eq(templates.mode, mode))
    .orderBy(...TEMPLATE_LOCK_ORDER)
    .for("no key update", { of: templates });
}

const storeChanges = (transaction: Transaction, changes: (Key & TemplateState)[]) =>
  rawSql(transaction)`
    update templates t set
      status = change.status, status_changed_at = change."statusChangedAt", rejected_reason = change."rejectedReason",
      category = change.category, category_changed_at = change."categoryChangedAt",
      quality_score = change."qualityScore", quality_changed_at = change."qualityChangedAt",
      components = coalesce(change.components, t.components), components_changed_at = change."componentsChangedAt",
      updated_at = case when (t.status, t.rejected_reason, t.category, t.quality_score, t.components::text) is distinct from
        (change.status, change."rejectedReason", change.category, change."qualityScore",
          coalesce(change.components, t.components)::text) then now() else t.updated_at end
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as change (
      "workspaceId" text, id text, status text, "statusChangedAt" timestamptz, "rejectedReason" text,
      category text, "categoryChangedAt" timestamptz, "qualityScore" text, "qualityChangedAt" timestamptz,
      components json, "componentsChangedAt" timestamptz)
    where t.workspace_id = change."workspaceId" and t.id = change.id`;
