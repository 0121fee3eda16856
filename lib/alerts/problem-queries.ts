import { and, eq, sql as expression, gt, inArray, isNotNull, isNull, or } from "drizzle-orm";
import type { Sql } from "postgres";
import { type Db, onDatabase, type Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { isOneOfMany, rawSql } from "@/db/raw-sql";
import { apiKeys, webhookEndpoints } from "@/db/schema";
import { keyAge } from "@/lib/api-keys/key-age";
import { type Mode, monthlyLimit, type Plan, type WorkspaceId } from "@/lib/core/principal";
import { listBudgets } from "@/lib/costs/queries";
import { listSilentLinesOf } from "@/lib/incoming/queries";
import { thisMonth } from "@/lib/limits/quota";
import { REFUSES_US } from "@/lib/mail/queue-mail";
import { problemsOf } from "@/lib/phone-numbers/health";
import { portfoliosOf } from "@/lib/phone-numbers/portfolios";
import { listAccountsOf, listLinesOf } from "@/lib/phone-numbers/queries";
import type { ProblemFacts } from "./problems";

/** A status or category that WhatsApp changed longer ago is no news. */
const RECENT_DAYS = 7;
const FAILURE_MINUTES = 15;
/** The latest messages of those minutes: enough for a share. */
const LOOKED_THROUGH = 2_000;

/** Returns the facts for `problemsIn` about one workspace. */
export async function getProblemFacts(workspaceId: WorkspaceId, mode: Mode, now: Date): Promise<ProblemFacts> {
  const [facts] = await onDatabase((db) => listProblemFacts(db, { workspaceIds: [workspaceId], mode, now }));
  if (!facts) throw new Error("each workspace has its facts");
  return facts;
}

type Asked = { workspaceIds: readonly WorkspaceId[]; mode: Mode; now: Date };

/** The same about several, one statement for each kind of fact. */
export async function listProblemFacts(on: Db | Transaction, asked: Asked): Promise<ProblemFacts[]> {
  const { workspaceIds, mode, now } = asked;
  const sql = rawSql(on);
  const [lines, accounts, silent, templates, keys, endpoints, quotas, budgets, refused, recent] = await Promise.all([
    listLinesOf(on, workspaceIds),
    listAccountsOf(on, workspaceIds),
    listSilentLinesOf(sql, workspaceIds),
    listTemplates(sql, asked),
    listKeys(on, asked),
    listEndpoints(on, asked),
    listQuotas(sql, asked),
    mode === "live" ? listBudgets(sql, workspaceIds) : [],
    mode === "live" ? listRefusedMails(sql, asked) : [],
    countRecent(sql, asked),
  ]);
  return workspaceIds.map((workspaceId) => {
    const own = <Row extends { workspaceId: string }>(rows: readonly Row[]) =>
      rows.filter((row) => row.workspaceId === workspaceId);
    const [quota] = own(quotas);
    const [budget] = own(budgets);
    const [counted] = own(recent);
    const isLive = mode === "live";
    const ofMode = own(lines).filter((line) => line.mode === mode);
    return {
      workspaceId,
      lines: ofMode.map((line) => {
        const silence = silent.find(({ id }) => id === line.id);
        return { id: line.id, label: line.label, problems: problemsOf({ ...line, silence }, now) };
      }),
      portfolios: isLive ? portfoliosOf(ofMode, own(accounts)) : [],
      templates: own(templates),
      keys: own(keys).map((key) => ({ ...key, age: keyAge(key, now) })),
      endpoints: own(endpoints),
      quota: { used: quota?.used ?? 0, limit: isLive && quota ? monthlyLimit(quota.plan, quota.messageLimit) : null },
      budget: budget && { spent: budget.spent, limit: budget.budget, currency: budget.currency },
      mailRefused: own(refused)[0]?.reason,
      recent: counted ?? { messages: 0, failed: 0 },
      now,
    };
  });
}

const given = (sql: Sql, { workspaceIds }: Asked) =>
  sql`(select json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json))`;

type Owned<Row> = Row & { workspaceId: string };

const listTemplates = (sql: Sql, asked: Asked) => sql<Owned<ProblemFacts["templates"][number]>[]>`
  select workspace_id as "workspaceId", id, name, language, status, category, previous_category as "previousCategory",
    coalesce(status_changed_at >= now() - make_interval(days => ${RECENT_DAYS}), false) as "isRecentStatus",
    coalesce(recategorized_at >= now() - make_interval(days => ${RECENT_DAYS}), false) as "isRecentCategory"
  from templates
  where workspace_id in ${given(sql, asked)} and mode = ${asked.mode}
    and (status in ('PAUSED', 'DISABLED', 'REJECTED') or recategorized_at >= now() - make_interval(days => ${RECENT_DAYS}))
  order by name, language`;

const listKeys = (on: Db | Transaction, { workspaceIds, mode }: Asked) =>
  on
    .select({
      ...columnsOf(apiKeys, "workspaceId", "id", "label"),
      ...columnsOf(apiKeys, "createdAt", "secretMadeAt", "lastUsedAt", "expiresAt", "revokedAt"),
    })
    .from(apiKeys)
    .where(
      and(
        inArray(apiKeys.workspaceId, [...workspaceIds]),
        eq(apiKeys.mode, mode),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, expression`now()`)),
      ),
    )
    .orderBy(apiKeys.createdAt, apiKeys.id);

/** Without `listen` sessions, whose failures are expected during development. */
const listEndpoints = (on: Db | Transaction, { workspaceIds, mode }: Asked) =>
  on
    .select(
      columnsOf(webhookEndpoints, "workspaceId", "id", "label", "pausedAt", "pausedBy", "failingSince", "listensUntil"),
    )
    .from(webhookEndpoints)
    .where(
      and(
        inArray(webhookEndpoints.workspaceId, [...workspaceIds]),
        eq(webhookEndpoints.mode, mode),
        isNull(webhookEndpoints.deletedAt),
        isNull(webhookEndpoints.listensUntil),
        or(isNotNull(webhookEndpoints.failingSince), isNotNull(webhookEndpoints.pausedAt)),
      ),
    )
    .orderBy(webhookEndpoints.createdAt, webhookEndpoints.id);

const listQuotas = (sql: Sql, asked: Asked) => sql<Owned<{ plan: Plan; messageLimit: number | null; used: number }>[]>`
  select w.id as "workspaceId", w.plan, w.message_limit as "messageLimit", coalesce(u.used, 0)::int as used
  from workspaces w left join usage u on u.workspace_id = w.id and u.month = ${thisMonth(sql)}
  where w.id in ${given(sql, asked)}`;

/** Where the mail server refuses this deployment for any recipient: one reason, such as "535 at AUTH". */
const listRefusedMails = (sql: Sql, asked: Asked) => sql<Owned<{ reason: string }>[]>`
  select workspace_id as "workspaceId", substr(min(last_error), ${REFUSES_US.length + 1}::int) as reason from jobs
  where kind in ('mail', 'alertMail') and workspace_id in ${given(sql, asked)} and starts_with(last_error, ${REFUSES_US})
  group by 1`;

const countRecent = (sql: Sql, asked: Asked) => sql<Owned<ProblemFacts["recent"]>[]>`
  select w.id as "workspaceId", latest.messages, latest.failed
  from workspaces w cross join lateral (
    select count(*)::int as messages, (count(*) filter (where status = 'FAILED'))::int as failed from (
      select status from messages m
      where ${isOneOfMany(sql, sql`m.workspace_id`, sql`w.id`)} and m.mode = ${asked.mode}
        and m.created_at > now() - make_interval(mins => ${FAILURE_MINUTES})
      order by m.created_at desc limit ${LOOKED_THROUGH}) m
  ) latest
  where w.id in ${given(sql, asked)}`;
