import { and, asc, eq, gte, inArray, max, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Fragment, Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { literally, onSql, readInstant } from "@/db/raw-sql";
import { type MessageCounts, messageDays, messageQuarters, phoneNumbers, type Template, templates } from "@/db/schema";
import { fold } from "@/lib/core/fold";
import type { Span } from "@/lib/core/local-time";
import type { KeyLimits, Mode, WorkspaceId } from "@/lib/core/principal";
import { countsOfSpans } from "@/lib/workspaces/counts-of-spans";
import { rowsOf } from "@/lib/workspaces/rows-of";

/**
 * A row of the list. `components` and `phoneNumberIds` are JSON and `updatedAt` is Postgres' text, so that callers can cache
 * the result by them.
 */
export type ApprovedTemplate = Pick<
  Template,
  "id" | "name" | "language" | "category" | "status" | "parameterFormat" | "qualityScore"
> & { components: string; phoneNumberIds: string; updatedAt: string };

export function componentsOf({ components }: ApprovedTemplate): unknown[] {
  return JSON.parse(components);
}

/** What callers narrow the list by. */
export type TemplateFilters = {
  name?: string | undefined;
  language?: string | undefined;
  category?: string | undefined;
};

const CONDITIONS: { [Name in keyof TemplateFilters]-?: (sql: Sql, value: string) => Fragment } = {
  name: (sql, name) => sql`t.name = ${name}`,
  language: (sql, language) => sql`t.language = ${language}`,
  category: (sql, category) => sql`t.category = ${category.toUpperCase()}`,
};
const FILTER_NAMES = Object.keys(CONDITIONS) as (keyof TemplateFilters)[];

export type TemplateFilter = TemplateFilters & {
  mode: Mode;
  whatsappBusinessAccountId?: string | undefined;
  /** Only what a key may send, and only its lines. */
  limits?: KeyLimits;
};

const IN_ORDER = [asc(templates.name), asc(templates.language), asc(templates.id)];

/** A template's place in that order. */
type Place = { name: string; language: string; id: string };

const beyond = (after: Place | undefined) =>
  after &&
  sql`(${templates.name}, ${templates.language}, ${templates.id}) > (${after.name}, ${after.language}, ${after.id})`;

/** Approved templates in the order of name, language, id; `after` is the last record of the page before. */
export function listApproved(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId: account, limits = {}, ...filters }: TemplateFilter,
  { limit, after }: { limit?: number | undefined; after?: Place | undefined } = {},
): Promise<ApprovedTemplate[]> {
  const { templateNames, phoneNumberIds } = limits;
  return onSql((sql) => {
    const itsLines = sql`
          from phone_numbers line
          where line.workspace_id = t.workspace_id and line.mode = t.mode
            and line.whatsapp_business_account_id = t.whatsapp_business_account_id and line.disconnected_at is null
            ${phoneNumberIds ? sql`and line.id in ${sql(phoneNumberIds)}` : sql``}`;
    return sql<ApprovedTemplate[]>`
      select t.id, t.name, t.language, t.category, t.status, t.parameter_format as "parameterFormat",
        t.quality_score as "qualityScore", t.components::text as components, t.updated_at as "updatedAt", (
          select coalesce(json_agg(line.id order by line.id), '[]')::text ${itsLines}
        ) as "phoneNumberIds"
      from templates t
      where t.workspace_id = ${workspaceId} and t.mode = ${mode} and t.status = 'APPROVED'
        ${FILTER_NAMES.map((name) => (filters[name] === undefined ? sql`` : sql`and ${CONDITIONS[name](sql, filters[name])}`))}
        ${account === undefined ? sql`` : sql`and t.whatsapp_business_account_id = ${account}`}
        ${templateNames ? sql`and t.name in ${sql(templateNames)}` : sql``}
        ${phoneNumberIds ? sql`and exists (select ${itsLines})` : sql``}
        ${after === undefined ? sql`` : sql`and (t.name, t.language, t.id) > (${after.name}, ${after.language}, ${after.id})`}
      order by t.name, t.language, t.id ${limit === undefined ? sql`` : sql`limit ${limit}`}`;
  });
}

/** Returns the distinct names of a workspace's templates. */
export async function listNames(workspaceId: WorkspaceId, mode: Mode): Promise<string[]> {
  const rows = await onDatabase((db) =>
    db
      .selectDistinct({ name: templates.name })
      .from(templates)
      .where(rowsOf(templates, workspaceId, { mode }))
      .orderBy(asc(templates.name)),
  );
  return rows.map(({ name }) => name);
}

type TemplateListFilter = { mode: Mode } & {
  [Name in "search" | "status" | "category" | "language"]?: string | undefined;
};

/** A page of the dashboard's list, in the order of name, language, id; `after` is the last of the page before. */
export function listTemplates(
  workspaceId: WorkspaceId,
  { search, ...filter }: TemplateListFilter,
  { limit, after }: { limit: number; after?: Place | undefined },
): Promise<Template[]> {
  return onDatabase((db) =>
    db
      .select()
      .from(templates)
      .where(
        and(
          rowsOf(templates, workspaceId, filter),
          search === undefined ? undefined : hasInName(search),
          beyond(after),
        ),
      )
      .orderBy(...IN_ORDER)
      .limit(limit),
  );
}

/** WhatsApp's names are ASCII; other collations have other small letters for I. */
export function hasInName(search: string): SQL {
  return sql`lower(${templates.name} collate "C") like ${`%${literally(fold(search))}%`}`;
}

/** Returns the list's filter values, the number of templates and the time of the last sync. */
export async function readFacets(workspaceId: WorkspaceId, mode: Mode) {
  type Words = "statuses" | "categories" | "languages";
  const [row] = await onSql(
    (sql) => sql<({ count: number; syncedAt: string | null } & Record<Words, string[] | null>)[]>`
      select count(*)::int as count, max(synced_at) as "syncedAt", json_agg(distinct status) as statuses,
        json_agg(distinct category) as categories, json_agg(distinct language) as languages
      from templates where workspace_id = ${workspaceId} and mode = ${mode}`,
  );
  const words = (name: Words) => (row?.[name] ?? []).toSorted();
  return {
    count: row?.count ?? 0,
    statuses: words("statuses"),
    categories: words("categories"),
    languages: words("languages"),
    syncedAt: row?.syncedAt ? readInstant(row.syncedAt) : null,
  };
}

export async function findTemplate(workspaceId: WorkspaceId, templateId: string): Promise<Template | undefined> {
  const isThis = rowsOf(templates, workspaceId, { id: templateId });
  const [template] = await onDatabase((db) => db.select().from(templates).where(isThis));
  return template;
}

const USE_DAYS = 30;

/** Returns when each template was last sent within 30 days, by id: to 15 minutes within the last day, else to the day. */
export async function listLastUses(
  workspaceId: WorkspaceId,
  { mode, listed }: { mode: Mode; listed: Template[] },
): Promise<Map<string, Date>> {
  if (listed.length === 0) return new Map();
  const names = [...new Set(listed.map(({ name }) => name))];
  const whatsappBusinessAccountId = phoneNumbers.whatsappBusinessAccountId;
  const rows = await onDatabase((db) => {
    const counted = (counts: MessageCounts, days: number) =>
      db
        .select({
          phoneNumberId: counts.phoneNumberId,
          name: counts.templateName,
          language: counts.templateLanguage,
          startsAt: counts.startsAt,
        })
        .from(counts)
        .where(
          and(
            rowsOf(counts, workspaceId, { mode }),
            gte(counts.startsAt, sql`now() - make_interval(days => ${days})`),
            inArray(counts.templateName, names),
          ),
        );
    const uses = unionAll(counted(messageDays, USE_DAYS), counted(messageQuarters, 1)).as("uses");
    return db
      .select({ whatsappBusinessAccountId, name: uses.name, language: uses.language, hour: max(uses.startsAt) })
      .from(uses)
      .innerJoin(phoneNumbers, and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, uses.phoneNumberId)))
      .groupBy(whatsappBusinessAccountId, uses.name, uses.language);
  });
  const key = (one: { whatsappBusinessAccountId: string; name: string; language: string }) =>
    JSON.stringify([one.whatsappBusinessAccountId, one.name, one.language]);
  const hours = new Map(rows.map((row) => [key(row), row.hour]));
  return new Map(
    listed.flatMap((template) => {
      const hour = hours.get(key(template));
      return hour ? [[template.id, hour]] : [];
    }),
  );
}

type Sends = Pick<Template, "mode" | "whatsappBusinessAccountId" | "name" | "language"> & { days: readonly Span[] };

/** The sends of a template in some days, by status and WhatsApp's code where they failed. */
export function listOutcomes(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, name, language, days }: Sends,
): Promise<{ status: string; failureCode: number; count: number }[]> {
  return onSql(
    (sql) => sql<{ status: string; failureCode: number; count: number }[]>`
      select c.status, c.failure_code as "failureCode", sum(c.count)::int as count
      from (${countsOfSpans(sql, "messages", { workspaceId, mode, spans: days })}) c
      -- Include disconnected lines: they sent through this account, too.
      join phone_numbers line on line.workspace_id = ${workspaceId} and line.id = c.phone_number_id
        and line.whatsapp_business_account_id = ${whatsappBusinessAccountId}
      where c.template_name = ${name} and c.template_language = ${language}
      group by c.status, c.failure_code order by 3 desc`,
  );
}
