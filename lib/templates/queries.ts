import { and, asc, desc, eq, gt, gte, ilike, inArray, max, or, sql } from "drizzle-orm";
import { distance } from "fastest-levenshtein";
import { onDatabase, prepared } from "@/db/client";
import { type Mode, messageHours, phoneNumbers, type Template, templates } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { MOST_CHARACTERS } from "@/lib/whatsapp/limits";

/** A name means a template within one business account only. */
export type NamedTemplate = { mode: Mode; whatsappBusinessAccountId: string; name: string };

/** Every language of a template, whatever its status. */
export function listVariants(workspaceId: WorkspaceId, named: NamedTemplate): Promise<Template[]> {
  return onDatabase((db) => variants(db).execute({ workspaceId, ...named }));
}

/** Names that a mistyped one may have meant, best first. */
export async function listSimilarNames(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, name }: NamedTemplate,
): Promise<string[]> {
  const rows = await onDatabase((db) =>
    db
      .selectDistinct({ name: templates.name })
      .from(templates)
      .where(
        and(
          eq(templates.workspaceId, workspaceId),
          eq(templates.mode, mode),
          eq(templates.whatsappBusinessAccountId, whatsappBusinessAccountId),
        ),
      )
      .limit(1_000),
  );
  // WhatsApp's names are lower case, so capitals are no difference between what was written and what was meant.
  const given = name.slice(0, MOST_CHARACTERS.templateName).toLowerCase();
  return rows
    .map((row) => ({ name: row.name, distance: distance(row.name.toLowerCase(), given) }))
    .filter((row) => row.distance <= Math.max(2, given.length / 4))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((row) => row.name);
}

export type ApprovedTemplate = Template & { phoneNumberIds: string[] };

export type TemplateFilter = {
  mode: Mode;
  name?: string | undefined;
  language?: string | undefined;
  category?: string | undefined;
  whatsappBusinessAccountId?: string | undefined;
};

/** Approved templates in the order of name, language, id; `after` is the last record of the page before. */
export async function listApproved(
  workspaceId: WorkspaceId,
  filter: TemplateFilter,
  page: { limit?: number | undefined; after?: { name: string; language: string; id: string } | undefined } = {},
): Promise<ApprovedTemplate[]> {
  const { after } = page;
  const rows = await onDatabase((db) => {
    const query = db
      .select({
        template: templates,
        // Written out, because drizzle drops the tables' names in the columns of a select from one table.
        phoneNumberIds: sql<string[]>`(
          select coalesce(json_agg(line.id order by line.id), '[]') from phone_numbers line
          where line.workspace_id = templates.workspace_id and line.mode = templates.mode
            and line.whatsapp_business_account_id = templates.whatsapp_business_account_id
            and line.disconnected_at is null
        )`,
      })
      .from(templates)
      .where(
        and(
          eq(templates.workspaceId, workspaceId),
          eq(templates.mode, filter.mode),
          eq(templates.status, "APPROVED"),
          filter.name === undefined ? undefined : eq(templates.name, filter.name),
          filter.language === undefined ? undefined : eq(templates.language, filter.language),
          filter.category === undefined ? undefined : eq(templates.category, filter.category.toUpperCase()),
          filter.whatsappBusinessAccountId === undefined
            ? undefined
            : eq(templates.whatsappBusinessAccountId, filter.whatsappBusinessAccountId),
          after &&
            or(
              gt(templates.name, after.name),
              and(eq(templates.name, after.name), gt(templates.language, after.language)),
              and(eq(templates.name, after.name), eq(templates.language, after.language), gt(templates.id, after.id)),
            ),
        ),
      )
      .orderBy(asc(templates.name), asc(templates.language), asc(templates.id));
    return page.limit === undefined ? query : query.limit(page.limit);
  });
  return rows.map(({ template, phoneNumberIds }) => ({ ...template, phoneNumberIds }));
}

const variants = prepared((db) =>
  db
    .select()
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, sql.placeholder("workspaceId")),
        eq(templates.mode, sql.placeholder("mode")),
        eq(templates.whatsappBusinessAccountId, sql.placeholder("whatsappBusinessAccountId")),
        eq(templates.name, sql.placeholder("name")),
      ),
    )
    .prepare("template_variants"),
);

/** The names of a workspace's templates, each once. */
export async function listNames(workspaceId: WorkspaceId, mode: Mode): Promise<string[]> {
  const rows = await onDatabase((db) =>
    db
      .selectDistinct({ name: templates.name })
      .from(templates)
      .where(and(eq(templates.workspaceId, workspaceId), eq(templates.mode, mode)))
      .orderBy(asc(templates.name)),
  );
  return rows.map(({ name }) => name);
}

export type TemplateListFilter = {
  mode: Mode;
  search?: string | undefined;
  status?: string | undefined;
  category?: string | undefined;
  language?: string | undefined;
};

/** A page of the dashboard's list, in the order of name, language, id; `after` is the last of the page before. */
export function listTemplates(
  workspaceId: WorkspaceId,
  { mode, search, status, category, language }: TemplateListFilter,
  { limit, after }: { limit: number; after?: { name: string; language: string; id: string } | undefined },
): Promise<Template[]> {
  return onDatabase((db) =>
    db
      .select()
      .from(templates)
      .where(
        and(
          eq(templates.workspaceId, workspaceId),
          eq(templates.mode, mode),
          search === undefined ? undefined : ilike(templates.name, `%${search.replace(/[\\%_]/g, "\\$&")}%`),
          status === undefined ? undefined : eq(templates.status, status),
          category === undefined ? undefined : eq(templates.category, category),
          language === undefined ? undefined : eq(templates.language, language),
          after &&
            sql`(${templates.name}, ${templates.language}, ${templates.id}) > (${after.name}, ${after.language}, ${after.id})`,
        ),
      )
      .orderBy(asc(templates.name), asc(templates.language), asc(templates.id))
      .limit(limit),
  );
}

export type TemplateFacets = {
  count: number;
  statuses: string[];
  categories: string[];
  languages: string[];
  syncedAt: Date | null;
};

/** What the list may be filtered by, how many there are, and when WhatsApp was asked last. */
export async function readFacets(workspaceId: WorkspaceId, mode: Mode): Promise<TemplateFacets> {
  const rows = await onDatabase((db) =>
    db
      .select({
        status: templates.status,
        category: templates.category,
        language: templates.language,
        count: sql<number>`count(*)::int`,
        syncedAt: max(templates.syncedAt),
      })
      .from(templates)
      .where(and(eq(templates.workspaceId, workspaceId), eq(templates.mode, mode)))
      .groupBy(templates.status, templates.category, templates.language),
  );
  const words = (name: "status" | "category" | "language") => [...new Set(rows.map((row) => row[name]))].sort();
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    statuses: words("status"),
    categories: words("category"),
    languages: words("language"),
    syncedAt: rows.reduce<Date | null>(
      (last, { syncedAt }) => (syncedAt && (!last || syncedAt > last) ? syncedAt : last),
      null,
    ),
  };
}

export async function findTemplate(workspaceId: WorkspaceId, templateId: string): Promise<Template | undefined> {
  const [template] = await onDatabase((db) =>
    db
      .select()
      .from(templates)
      .where(and(eq(templates.workspaceId, workspaceId), eq(templates.id, templateId))),
  );
  return template;
}

const USE_DAYS = 30;

/** When each of these templates was sent last in 30 days, to the hour, by its id. */
export async function listLastUses(
  workspaceId: WorkspaceId,
  { mode, sent }: { mode: Mode; sent: Template[] },
): Promise<Map<string, Date>> {
  if (sent.length === 0) return new Map();
  const whatsappBusinessAccountId = phoneNumbers.whatsappBusinessAccountId;
  const rows = await onDatabase((db) =>
    db
      .select({
        whatsappBusinessAccountId,
        name: messageHours.templateName,
        language: messageHours.templateLanguage,
        hour: max(messageHours.hour),
      })
      .from(messageHours)
      .innerJoin(
        phoneNumbers,
        and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, messageHours.phoneNumberId)),
      )
      .where(
        and(
          ...madeIn(workspaceId, mode),
          gte(messageHours.hour, sql`now() - ${`${USE_DAYS} days`}::interval`),
          inArray(messageHours.templateName, [...new Set(sent.map(({ name }) => name))]),
        ),
      )
      .groupBy(whatsappBusinessAccountId, messageHours.templateName, messageHours.templateLanguage),
  );
  const key = (one: { whatsappBusinessAccountId: string; name: string; language: string }) =>
    JSON.stringify([one.whatsappBusinessAccountId, one.name, one.language]);
  const hours = new Map(rows.map((row) => [key(row), row.hour]));
  return new Map(
    sent.flatMap((template) => {
      const hour = hours.get(key(template));
      return hour ? [[template.id, hour]] : [];
    }),
  );
}

type Sends = Pick<Template, "mode" | "whatsappBusinessAccountId" | "name" | "language"> & {
  /** The first day, by the clock of the zone. */
  from: string;
  timeZone: string;
};

/** The sends of a template since a day, by status and WhatsApp's code where they failed. */
export function listOutcomes(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, name, language, from, timeZone }: Sends,
): Promise<{ status: string; failureCode: number; count: number }[]> {
  return onDatabase((db) => {
    // Those that are disconnected, too: what they sent was of this account.
    const lines = db
      .select({ id: phoneNumbers.id })
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.workspaceId, workspaceId),
          eq(phoneNumbers.whatsappBusinessAccountId, whatsappBusinessAccountId),
        ),
      );
    return db
      .select({
        status: messageHours.status,
        failureCode: messageHours.failureCode,
        count: sql<number>`sum(${messageHours.count})::int`,
      })
      .from(messageHours)
      .where(
        and(
          ...madeIn(workspaceId, mode),
          gte(messageHours.hour, sql`${from}::date::timestamp at time zone ${timeZone}`),
          inArray(messageHours.phoneNumberId, lines),
          eq(messageHours.templateName, name),
          eq(messageHours.templateLanguage, language),
        ),
      )
      .groupBy(messageHours.status, messageHours.failureCode)
      .orderBy(desc(sql`sum(${messageHours.count})`));
  });
}

const madeIn = (workspaceId: WorkspaceId, mode: Mode) => [
  eq(messageHours.workspaceId, workspaceId),
  eq(messageHours.mode, mode),
];
