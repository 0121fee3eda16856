import type { Sql } from "postgres";
import { type Db, onDatabase, type Transaction } from "@/db/client";
import { rawSql, readInstant } from "@/db/raw-sql";
import type { Mode } from "@/db/schema/identity";
import { keyAge } from "@/lib/api-keys/key-age";
import { monthlyLimit, type Plan } from "@/lib/core/plans";
import type { WorkspaceId } from "@/lib/core/principal";
import { listBudgets } from "@/lib/costs/queries";
import { listSilentLinesOf } from "@/lib/incoming/queries";
import { problemsOf } from "@/lib/phone-numbers/health";
import { portfoliosOf } from "@/lib/phone-numbers/portfolios";
import { listAccountsOf, listLinesOf } from "@/lib/phone-numbers/queries";
import { thisMonth } from "@/lib/workspaces/quota";
import type { AttentionFacts } from "./attention";

/** A status or category that WhatsApp changed longer ago is no news. */
const RECENT_DAYS = 7;
const FAILURE_MINUTES = 15;
/** The latest messages of those minutes: enough for a share. */
const LOOKED_THROUGH = 2_000;

/** Returns the facts for `attentionOf` about one workspace. */
export async function getAttentionFacts(workspaceId: WorkspaceId, mode: Mode, now: Date): Promise<AttentionFacts> {
  const [facts] = await onDatabase((db) => listAttentionFacts(db, { workspaceIds: [workspaceId], mode, now }));
  if (!facts) throw new Error("each workspace has its facts");
  return facts;
}

type Asked = { workspaceIds: readonly WorkspaceId[]; mode: Mode; now: Date };

/** The same about several, one statement for each kind of fact. */
export async function listAttentionFacts(on: Db | Transaction, asked: Asked): Promise<AttentionFacts[]> {
  const { workspaceIds, mode, now } = asked;
  const sql = rawSql(on);
  const [lines, accounts, silent, templates, keys, endpoints, quotas, budgets, recent] = await Promise.all([
    listLinesOf(on, workspaceIds),
    listAccountsOf(on, workspaceIds),
    listSilentLinesOf(sql, workspaceIds),
    listTemplates(sql, asked),
    listKeys(sql, asked),
    listEndpoints(sql, asked),
    listQuotas(sql, asked),
    mode === "live" ? listBudgets(sql, workspaceIds) : [],
    countRecent(sql, asked),
  ]);
  return workspaceIds.map((workspaceId) => {
    const own = <Row extends { workspaceId: string }>(rows: readonly Row[]) =>
      rows.filter((row) => row.workspaceId === workspaceId);
    const [quota] = own(quotas);
    const [budget] = own(budgets);
    const [counted] = own(recent);
    const isLive = mode === "live";
    return {
      workspaceId,
      lines: own(lines)
        .filter((line) => line.mode === mode)
        .map((line) => {
          const silence = silent.find(({ id }) => id === line.id);
          return { id: line.id, label: line.label, problems: problemsOf({ ...line, silence }, now) };
        }),
      portfolios: isLive
        ? portfoliosOf(
            own(lines).filter((line) => line.mode === mode),
            own(accounts),
          )
        : [],
      templates: own(templates),
      keys: own(keys).map((key) => ({ ...key, age: keyAge(readKey(key), now) })),
      endpoints: own(endpoints).map((endpoint) => ({
        ...endpoint,
        pausedAt: instantOf(endpoint.pausedAt),
        failingSince: instantOf(endpoint.failingSince),
        listensUntil: null,
      })),
      quota: { used: quota?.used ?? 0, limit: isLive && quota ? monthlyLimit(quota.plan, quota.messageLimit) : null },
      budget: budget && { spent: Number(budget.spent), limit: Number(budget.budget), currency: budget.currency },
      recent: counted ?? { messages: 0, failed: 0 },
      now,
    };
  });
}

const given = (sql: Sql, { workspaceIds }: Asked) =>
  sql`(select json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json))`;

const instantOf = (text: string | null): Date | null => (text === null ? null : readInstant(text));

type Owned<Row> = Row & { workspaceId: string };

const listTemplates = (sql: Sql, asked: Asked) => sql<Owned<AttentionFacts["templates"][number]>[]>`
  select workspace_id as "workspaceId", id, name, language, status, category, previous_category as "previousCategory",
    coalesce(status_changed_at >= now() - make_interval(days => ${RECENT_DAYS}), false) as "isRecentStatus",
    coalesce(recategorized_at >= now() - make_interval(days => ${RECENT_DAYS}), false) as "isRecentCategory"
  from templates
  where workspace_id in ${given(sql, asked)} and mode = ${asked.mode}
    and (status in ('PAUSED', 'DISABLED', 'REJECTED') or recategorized_at >= now() - make_interval(days => ${RECENT_DAYS}))
  order by name, language`;

type KeyRow = Owned<{
  id: string;
  label: string;
  createdAt: string;
  secretMadeAt: string | null;
  lastUsedAt: string | null;
  expiresAt: string | null;
}>;

const listKeys = (sql: Sql, asked: Asked) => sql<KeyRow[]>`
  select workspace_id as "workspaceId", id, label, created_at as "createdAt", secret_made_at as "secretMadeAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt"
  from api_keys
  where workspace_id in ${given(sql, asked)} and mode = ${asked.mode} and revoked_at is null
    and (expires_at is null or expires_at > now())
  order by created_at, id`;

const readKey = (key: KeyRow) => ({
  createdAt: readInstant(key.createdAt),
  secretMadeAt: instantOf(key.secretMadeAt),
  lastUsedAt: instantOf(key.lastUsedAt),
  expiresAt: instantOf(key.expiresAt),
  revokedAt: null,
});

type EndpointRow = Owned<{
  id: string;
  label: string;
  pausedAt: string | null;
  pausedBy: "member" | "gone" | "failing" | null;
  failingSince: string | null;
}>;

/** Without `listen` sessions, whose failures are expected during development. */
const listEndpoints = (sql: Sql, asked: Asked) => sql<EndpointRow[]>`
  select workspace_id as "workspaceId", id, label, paused_at as "pausedAt", paused_by as "pausedBy",
    failing_since as "failingSince"
  from webhook_endpoints
  where workspace_id in ${given(sql, asked)} and mode = ${asked.mode} and deleted_at is null and listens_until is null
    and (failing_since is not null or paused_at is not null)
  order by created_at, id`;

const listQuotas = (sql: Sql, asked: Asked) => sql<Owned<{ plan: Plan; messageLimit: number | null; used: number }>[]>`
  select w.id as "workspaceId", w.plan, w.message_limit as "messageLimit", coalesce(u.used, 0)::int as used
  from workspaces w left join usage u on u.workspace_id = w.id and u.month = ${thisMonth(sql)}
  where w.id in ${given(sql, asked)}`;

const countRecent = (sql: Sql, asked: Asked) => sql<Owned<AttentionFacts["recent"]>[]>`
  select w.id as "workspaceId", latest.messages, latest.failed
  from workspaces w cross join lateral (
    select count(*)::int as messages, (count(*) filter (where status = 'FAILED'))::int as failed from (
      select status from messages m
      where m.workspace_id = w.id and m.mode = ${asked.mode}
        and m.created_at > now() - make_interval(mins => ${FAILURE_MINUTES})
      order by m.created_at desc limit ${LOOKED_THROUGH}) m
  ) latest
  where w.id in ${given(sql, asked)}`;
