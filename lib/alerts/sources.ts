import type { Fragment, Sql } from "postgres";
import { isOneOfMany } from "@/db/raw-sql";
import { PLANS, provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { thisMonth } from "@/lib/limits/quota";
import { REFUSES_US } from "@/lib/mail/queue-mail";
import type { WatchedKind } from "@/lib/workspaces/alert-kinds";
import {
  budgetProblems,
  endpointProblems,
  failureProblems,
  keyProblems,
  lineProblems,
  mailProblems,
  type Problem,
  type ProblemFacts,
  portfolioProblems,
  quotaProblems,
  templateProblems,
} from "./problems";

/** Where alerts come from. */
type Source = {
  /** Decides by the facts of one workspace. */
  problems: (facts: ProblemFacts) => Problem[];
  /** Selects the workspaces that may have something to open: cheap, and never too narrow. */
  candidates: (sql: Sql) => Fragment;
};

const QUOTA: Source = {
  problems: quotaProblems,
  candidates: (sql) => sql`
    select u.workspace_id from usage u join workspaces w on w.id = u.workspace_id
    where u.month = ${thisMonth(sql)}
      and u.used * 100::bigint >= 80::bigint * coalesce(w.message_limit, (${JSON.stringify(PLANS)}::text::json ->> w.plan)::int)`,
};

const BUDGET: Source = {
  problems: budgetProblems,
  candidates: (sql) => sql`select workspace_id from rate_cards where budget is not null`,
};

const ofLines = ({ lines }: ProblemFacts) => lines.flatMap(lineProblems);

const LINES: Source = {
  problems: ofLines,
  candidates: (sql) => sql`
    select workspace_id from phone_numbers
    where disconnected_at is null and mode = 'live' and (token_problem is not null
      or (subscribed_at is null and token_checked_at is not null) or token_expires_at < now() + interval '15 days'
      or quality_rating in ('YELLOW', 'RED'))`,
};

const NOTICES: Source = {
  problems: ofLines,
  candidates: (sql) => sql`select workspace_id from account_notices where is_alarm`,
};

const SILENCE: Source = {
  problems: ofLines,
  candidates: (sql) => sql`
    select p.workspace_id from phone_numbers p cross join lateral (
      select from messages m
      where ${isOneOfMany(sql, sql`m.workspace_id`, sql`p.workspace_id`)}
        and m.created_at between now() - interval '24 hours' and now() - interval '10 minutes'
        and m.created_at > coalesce(p.last_webhook_at, '-infinity')
      limit 1) sent
    where is_active and disconnected_at is null
      and (last_webhook_at is null or last_webhook_at < now() - interval '10 minutes')`,
};

const FAILURES: Source = {
  problems: failureProblems,
  candidates: (sql) => sql`
    select w.id from workspaces w cross join lateral (
      select status from messages m
      where ${isOneOfMany(sql, sql`m.workspace_id`, sql`w.id`)} and m.created_at > now() - interval '15 minutes'
      order by m.created_at desc limit 2000) latest
    where latest.status = 'FAILED'`,
};

const LIMITS: Source = {
  problems: ({ portfolios }) => portfolios.flatMap(portfolioProblems),
  candidates: (sql) => sql`
    select r.workspace_id from template_reads r cross join lateral (
      select from phone_numbers p
      where ${isOneOfMany(sql, sql`p.workspace_id`, sql`r.workspace_id`)} and p.mode = 'live' and p.disconnected_at is null
        and p.messaging_limit ~ '^TIER_[0-9]{1,9}K?$'
        and r.people_begun * 100::bigint >= 80 * substring(p.messaging_limit from '[0-9]+')::bigint
          * case when p.messaging_limit like '%K' then 1000 else 1 end
      limit 1) line
    where r.people_begun > 0`,
};

const TEMPLATES: Source = {
  problems: ({ templates }) => templates.flatMap(templateProblems),
  candidates: (sql) => sql`
    select workspace_id from templates
    where mode = 'live' and (recategorized_at > now() - interval '8 days'
      or (status in ('PAUSED', 'DISABLED', 'REJECTED') and status_changed_at > now() - interval '8 days'))`,
};

const KEYS: Source = {
  problems: ({ keys }) => keys.flatMap(keyProblems),
  candidates: (sql) => sql`
    select workspace_id from api_keys
    where mode = 'live' and revoked_at is null and (coalesce(secret_made_at, created_at) < now() - interval '89 days'
      or coalesce(last_used_at, created_at) < now() - interval '89 days')`,
};

const ENDPOINTS: Source = {
  problems: ({ endpoints, now }) => endpoints.flatMap((endpoint) => endpointProblems(endpoint, now)),
  candidates: (sql) => sql`
    select workspace_id from webhook_endpoints
    where mode = 'live' and deleted_at is null and (failing_since is not null or paused_at is not null)`,
};

const MAILS: Source = {
  problems: mailProblems,
  candidates: (sql) => sql`
    select workspace_id from jobs
    where kind in ('mail', 'alertMail') and workspace_id is not null and starts_with(last_error, ${REFUSES_US})`,
};

// Without its source a kind would never be opened, and does not compile.
const SOURCES: Record<WatchedKind, Source> = {
  "quota.used": QUOTA,
  "budget.used": BUDGET,
  "token.invalid": LINES,
  "token.expiring": LINES,
  "line.unsubscribed": LINES,
  "line.quality": LINES,
  "line.status": NOTICES,
  "line.security": NOTICES,
  "account.restricted": NOTICES,
  "account.error": NOTICES,
  "webhooks.silent": SILENCE,
  "failures.high": FAILURES,
  "account.limit": LIMITS,
  "template.rejected": TEMPLATES,
  "template.paused": TEMPLATES,
  "template.disabled": TEMPLATES,
  "template.recategorized": TEMPLATES,
  "key.unused": KEYS,
  "key.old": KEYS,
  "endpoint.failing": ENDPOINTS,
  "endpoint.paused": ENDPOINTS,
  "mail.refused": MAILS,
};

/** Returns what needs attention, and what still lasts of it: what stops sends first, then the rest by severity. */
export function problemsIn(facts: ProblemFacts): Problem[] {
  const judges = new Set(Object.values(SOURCES).map(({ problems }) => problems));
  const all = [...judges].flatMap((judge) => judge(facts));
  return all.toSorted((one, other) => severityOf(one) - severityOf(other));
}

const severityOf = ({ stopsSends, tone }: Problem): number => (stopsSends ? 0 : tone === "bad" ? 1 : 2);

/**
 * Finds the workspaces that may have something to open or to close. A healthy workspace is in none, and costs a look at its
 * latest messages. In random order, so that none is always left to the next pass.
 */
export async function listCandidates(sql: Sql): Promise<WorkspaceId[]> {
  const parts = [...new Set(Object.values(SOURCES))].map(({ candidates }) => sql`union ${candidates(sql)}`);
  const rows = await sql<{ id: string }[]>`
    with candidate as (
      select workspace_id as id from alerts where closed_at is null and user_id is null ${parts}
    ) select id from candidate order by random()`;
  return rows.map(({ id }) => provenWorkspaceId(id));
}
