import type { Sql } from "postgres";
import { isOneOfMany, onSql } from "@/db/raw-sql";
import { Deadline } from "@/lib/core/deadline";

/** By then a send is settled, and most refusals have been reported: they begin nothing. */
const SETTLED_AFTER_SECONDS = 60;
const BATCH = 1_000;
/** The rest is left to a later pass. */
const MAX_COUNTING_MS = 5_000;
// A separate pool: a pass must not hold the requests' connections.
const ON_RECORDS = { pool: "records" } as const;

type Account = { workspaceId: string; account: string };

/**
 * Counts the people whom each portfolio's lines messaged first in the last 24 hours, outside of 24 hours after a message of
 * theirs: WhatsApp's limit is on these. Reads each message once; portfolios without a limit are not counted.
 */
export async function countPeople(): Promise<void> {
  const deadline = Deadline.in(MAX_COUNTING_MS);
  const due = await onSql((sql) => listDue(sql), ON_RECORDS);
  for (const one of due) {
    for (let read = BATCH; read === BATCH && !deadline.isOver; ) {
      const [counted] = await onSql((sql) => readMessages(sql, one), ON_RECORDS);
      read = counted?.read ?? 0;
    }
  }
  // One row at a time: rows of this table are locked in other orders, too.
  for (const changed of await onSql((sql) => listChanged(sql), ON_RECORDS)) {
    await onSql(
      (sql) => sql`
        update template_reads set people_begun = ${changed.people}
        where workspace_id = ${changed.workspaceId} and whatsapp_business_account_id = ${changed.account}`,
      ON_RECORDS,
    );
  }
}

const since = (sql: Sql) => sql`greatest(r.people_counted_until, now() - interval '24 hours')`;
const until = (sql: Sql) => sql`now() - make_interval(secs => ${SETTLED_AFTER_SECONDS})`;

/** In random order, so that none is always left to the next pass. */
const listDue = (sql: Sql) => sql<Account[]>`
  select r.workspace_id as "workspaceId", r.whatsapp_business_account_id as account
  from template_reads r
  where exists (
    select from template_reads other cross join lateral (
      select from phone_numbers line
      where ${isOneOfMany(sql, sql`line.workspace_id`, sql`other.workspace_id`)} and line.mode = 'live'
        and line.whatsapp_business_account_id = other.whatsapp_business_account_id and line.disconnected_at is null
        and line.messaging_limit ~ '^TIER_[0-9]+K?$'
      limit 1) line
    where ${isSamePortfolio(sql)} offset 0
  ) and exists (
    select from messages m
    where ${isOneOfMany(sql, sql`m.workspace_id`, sql`r.workspace_id`)} and m.mode = 'live' and m.created_at >= ${since(sql)}
      and m.created_at < ${until(sql)} offset 0)
  order by random()`;

const isSamePortfolio = (sql: Sql) => sql`
  ${isOneOfMany(sql, sql`other.workspace_id`, sql`r.workspace_id`)} and
  coalesce(other.portfolio_id, other.whatsapp_business_account_id) = coalesce(r.portfolio_id, r.whatsapp_business_account_id)`;

/** Only a template can begin: WhatsApp refuses anything else outside of a person's 24 hours. */
const readMessages = (sql: Sql, { workspaceId, account }: Account) => sql<{ read: number }[]>`
  with seen as materialized (
    select m.phone_number_id, m.contact_id, m.type, m.status, m.created_at
    from template_reads r
    join messages m on m.workspace_id = r.workspace_id and m.mode = 'live'
      and m.created_at >= ${since(sql)} and m.created_at < ${until(sql)}
    where r.workspace_id = ${workspaceId} and r.whatsapp_business_account_id = ${account} and m.workspace_id = ${workspaceId}
    order by m.created_at limit ${BATCH}
  ), begun as (
    insert into conversation_starts as s (workspace_id, whatsapp_business_account_id, contact_id, started_at)
    select ${workspaceId}, ${account}, person.id, max(seen.created_at)
    from seen
    join phone_numbers line on line.workspace_id = ${workspaceId} and line.id = seen.phone_number_id
      and line.whatsapp_business_account_id = ${account}
    -- Row by row: with old statistics a join compares each of them with every contact of the workspace.
    cross join lateral (
      select coalesce(c.merged_into, c.id) as id from contacts c
      where c.workspace_id = ${workspaceId} and c.id = seen.contact_id limit 1) named
    cross join lateral (
      select c.id, c.last_inbound_at from contacts c
      where c.workspace_id = ${workspaceId} and c.id = named.id limit 1) person
    where seen.type = 'template' and seen.status <> 'FAILED'
      and coalesce(person.last_inbound_at not between seen.created_at - interval '24 hours' and seen.created_at, true)
    group by person.id order by person.id
    on conflict (workspace_id, whatsapp_business_account_id, contact_id) do update
      set started_at = greatest(s.started_at, excluded.started_at)
  )
  update template_reads r set people_counted_until = passed.until
  from (
    select count(*)::int as read, case when count(*) = ${BATCH} then max(created_at) else ${until(sql)} end as until from seen
  ) passed
  where r.workspace_id = ${workspaceId} and r.whatsapp_business_account_id = ${account}
  returning passed.read`;

/** People are counted once for all accounts of a portfolio, within the workspace. */
const listChanged = (sql: Sql) => sql<(Account & { people: number })[]>`
  select r.workspace_id as "workspaceId", r.whatsapp_business_account_id as account, counted.people
  from template_reads r cross join lateral (
    select count(distinct s.contact_id)::int as people
    from template_reads other
    join conversation_starts s on s.workspace_id = other.workspace_id
      and s.whatsapp_business_account_id = other.whatsapp_business_account_id and s.started_at > now() - interval '24 hours'
    where ${isSamePortfolio(sql)}
  ) counted
  where (r.people_begun > 0 or r.people_counted_until > now() - interval '24 hours') and counted.people <> r.people_begun`;
