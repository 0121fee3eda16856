import type { Fragment, Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { rateCards } from "@/db/schema";
import { TERRITORIES } from "@/lib/core/country";
import { daysBetween, localDay } from "@/lib/core/local-time";
import type { WorkspaceId } from "@/lib/core/principal";
import type { MessageSummary } from "@/lib/messages/message-summary";
import { type StoredPricing, storedPricing } from "@/lib/messages/statuses/pricing";
import { countsOfSpans } from "@/lib/workspaces/counts-of-spans";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ValidRate } from "./card-prices";
import { type CostRow, type Costs, toCosts } from "./cost-counts";
import { type CostScope, costBucketOf } from "./cost-range";
import { writeAmount } from "./money";

// These queries read the roll-up by days, so their cost depends on the days in the range, not on the messages.

/** What messages are counted by, apart from the time, the country and the category. */
export type CostShare = "line" | "template" | "key";

const COLUMNS = { time: "bucket", line: "phone_number_id", template: "template_name", key: "api_key_id" };

/** Counts messages by time, country, category and `shares`, with their estimated cost: all of one moment, so that the sums are equal. */
export async function listCosts(
  workspaceId: WorkspaceId,
  scope: CostScope,
  shares: readonly CostShare[] = [],
): Promise<Costs> {
  const counted = { ...scope, spans: await namedByPrices(workspaceId, scope) };
  const subjects = (["time", ...shares] as const).map((subject) => [subject, COLUMNS[subject]] as const);
  const rows = await onSql((sql) => {
    const columns = sql.unsafe(subjects.map(([, column]) => column).join(", "));
    const sets = sql.unsafe(subjects.map(([, column]) => `(${column})`).join(", "));
    const subject = sql.unsafe(
      subjects.map(([name, column]) => `when grouping(${column}) = 0 then '${name}'`).join(" "),
    );
    return sql<CostRow[]>`
      with counted as materialized (
        select case ${subject} else 'market' end as subject, coalesce(${columns}, country || ' ' || category) as id,
          day, country, category, sum(count)::int as messages,
          coalesce(sum(delivered) filter (where billable), 0)::int as billable,
          coalesce(sum(count) filter (where not billable), 0)::int as free
        from (
          select split_part(span, ' ', 1) as bucket, split_part(span, ' ', 2)::date as day, counts.*
          from (${countsOfSpans(sql, "priced", { workspaceId, ...counted })}) counts
        ) p
        group by day, country, category, grouping sets ((), ${sets})
      ), prices as materialized (
        -- Looked up once for all that share a day, a country and a category.
        select c.day, c.country, c.category, true as is_billable, rate.currency, rate.price
        from (select distinct day, country, category from counted where subject = 'market' and billable > 0) c
        cross join lateral (${rateOf(sql, workspaceId)}) rate
      )
      select c.subject, c.id, p.currency, sum(c.messages)::int as messages, sum(c.billable)::int as billable,
        sum(c.free)::int as free, trim_scale(sum(c.billable * p.price))::text as cost
      -- Every price has counts, so a full join adds no rows; unlike a left join it is never a nested loop over all pairs,
      -- which a planner without statistics prefers because it expects one row.
      from counted c full join prices p on p.day = c.day and p.country = c.country and p.category = c.category
        and p.is_billable = (c.billable > 0)
      group by 1, 2, 3`;
  });
  return toCosts(rows);
}

/**
 * Names each day by its bar and by the last day on which a price began (none ends on another), such as `2026-01 2025-10-01`: days
 * of the same prices are counted together.
 */
async function namedByPrices(workspaceId: WorkspaceId, { days, by }: CostScope): Promise<CostScope["days"]> {
  const rows = await onSql(
    (sql) => sql<{ day: string }[]>`
      select distinct to_char(valid_from, 'YYYY-MM-DD') as day from rates where workspace_id = ${workspaceId} order by day`,
  );
  return days.map(({ name, ...span }) => {
    const pricesOf = rows.findLast(({ day }) => day <= name)?.day ?? BEFORE_ALL;
    return { ...span, name: `${costBucketOf(name, by)} ${pricesOf}` };
  });
}

const BEFORE_ALL = "0001-01-01";

/**
 * The price of the messages of `c`: its country's own, its region's, those of the country whose calling code it shares, then
 * that of all others; of each the latest. A country at a time, because a list of them is no condition of the index for a
 * planner without statistics: it reads every price of the workspace.
 */
const rateOf = (sql: Sql, workspaceId: WorkspaceId | Fragment) => sql`
  select r.currency, r.price
  from (values (1, c.country), (2, ${TERRITORIES_JSON}::jsonb ->> c.country), (3, '*')) as named (place, country)
  cross join lateral (
    select * from rates r
    where r.workspace_id = ${workspaceId} and r.country = named.country and r.category = c.category
      and r.valid_from <= c.day and coalesce(c.day < r.valid_until, true)
    order by r.is_regional, r.valid_from desc limit 1
  ) r
  where c.country <> '' order by named.place limit 1`;

const TERRITORIES_JSON = JSON.stringify(Object.fromEntries(TERRITORIES));

/** What is charged for a message, as its counts have it: `0` if it is free, null before it is delivered and without a price. */
export type MessageCost = Record<"country" | "category" | "price" | "currency", string | null>;

type CountedMessage = Pick<MessageSummary, "createdAt" | "status" | "recipientCountry"> & StoredPricing;

/** Returns the estimated cost of each of some messages, which were created on days of `timeZone`. */
export async function listMessageCosts(
  workspaceId: WorkspaceId,
  timeZone: string,
  messages: readonly CountedMessage[],
): Promise<MessageCost[]> {
  const all = messages.map(({ createdAt, status, recipientCountry: country, ...message }) => {
    const pricing = storedPricing(message);
    const category = pricing?.category.toLowerCase().replaceAll("-", "_") ?? null;
    const isDelivered = status === "DELIVERED" || status === "READ";
    const day = localDay(createdAt, timeZone);
    return { key: `${day} ${country} ${category}`, day, country, category, pricing, isDelivered };
  });
  const charged = all.filter(({ pricing, isDelivered }) => pricing?.billable && isDelivered);
  const distinct = [
    ...new Map(charged.map(({ key, day, country, category }) => [key, { key, day, country, category }])).values(),
  ];
  const rates = await onSql(
    (sql) => sql<{ key: string; price: string; currency: string }[]>`
      select c.key, trim_scale(rate.price)::text as price, rate.currency
      from json_to_recordset(${JSON.stringify(distinct)}::text::json) as c (key text, day date, country text, category text)
      cross join lateral (${rateOf(sql, workspaceId)}) rate`,
  );
  const priceOf = new Map(rates.map(({ key, price, currency }) => [key, { price: writeAmount(price), currency }]));
  return all.map(({ key, country, category, pricing, isDelivered }) => {
    const price = pricing?.billable === false ? FREE : isDelivered && pricing ? priceOf.get(key) : undefined;
    return { country, category, ...(price ?? UNKNOWN) };
  });
}

const FREE = { price: "0", currency: null };
const UNKNOWN = { price: null, currency: null };

/** Lists the prices that are valid on a day or later, each region's once for each of its countries. */
export function listRates(workspaceId: WorkspaceId, from: string): Promise<ValidRate[]> {
  return onSql((sql) => ratesFrom(sql, workspaceId, from));
}

/** The same within a transaction. */
export function ratesFrom(sql: Sql, workspaceId: WorkspaceId, from: string) {
  return sql<ValidRate[]>`
    select country, category, is_regional as "isRegional", to_char(valid_from, 'YYYY-MM-DD') as "validFrom",
      to_char(valid_until, 'YYYY-MM-DD') as "validUntil", trim_scale(price)::text as price, currency
    from rates where workspace_id = ${workspaceId} and coalesce(valid_until > ${from}::date, true)
    order by country, category, valid_from`;
}

/** The prices that hold from a day on, and until another; newest first. */
export type PriceList = {
  from: string;
  until: string | null;
  prices: number;
  countries: number;
  currencies: string[];
  /** That of most prices. */
  currency: string;
};

/** What is known of a workspace's rate card; undefined without one. */
export async function findRateCard(workspaceId: WorkspaceId) {
  const [[card], lists] = await Promise.all([
    onDatabase((db) => db.select().from(rateCards).where(rowsOf(rateCards, workspaceId))),
    onSql(
      (sql) => sql<PriceList[]>`
      select to_char(valid_from, 'YYYY-MM-DD') as "from", to_char(valid_until, 'YYYY-MM-DD') as "until",
        count(*)::int as prices, (count(distinct country) filter (where country <> '*'))::int as countries,
        json_agg(distinct currency order by currency) as currencies,
        -- Qualified, because of our own type of this name.
        pg_catalog.mode() within group (order by currency) as currency
      from rates where workspace_id = ${workspaceId} group by valid_from, valid_until order by valid_from desc`,
    ),
  ]);
  return card && { ...card, lists };
}

export type RateCardFacts = NonNullable<Awaited<ReturnType<typeof findRateCard>>>;

/** A workspace's budget, and the estimated cost of the messages of this month in its currency. */
export type BudgetUse = { workspaceId: string; budget: string; currency: string; spent: string };

/** Lists the budgets of these workspaces, for live messages of the month by each one's clock. */
export async function listBudgets(
  sql: Sql,
  workspaceIds: readonly WorkspaceId[],
  now = new Date(),
): Promise<BudgetUse[]> {
  const cards = await sql<{ workspaceId: WorkspaceId; timeZone: string }[]>`
    select card.workspace_id as "workspaceId", w.time_zone as "timeZone"
    from rate_cards card join workspaces w on w.id = card.workspace_id
    where card.budget is not null and card.budget_currency is not null
      and card.workspace_id in (select json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json))`;
  const uses = cards.map(({ workspaceId, timeZone }) => {
    const today = localDay(now, timeZone);
    const days = daysBetween(`${today.slice(0, -2)}01`, today, timeZone);
    const month = countsOfSpans(sql, "priced", { workspaceId, mode: "live", spans: days });
    return sql`
      select card.workspace_id as "workspaceId", card.budget::text, card.budget_currency as currency,
        coalesce((
          select trim_scale(sum(c.billable * rate.price))
          from (
            select p.span::date as day, p.country, p.category, sum(p.delivered) as billable
            from (${month}) p where p.billable group by 1, 2, 3
          ) c cross join lateral (${rateOf(sql, workspaceId)}) rate
          where rate.currency = card.budget_currency
        ), 0)::text as spent
      from rate_cards card where card.workspace_id = ${workspaceId}`;
  });
  if (uses.length === 0) return [];
  return sql<BudgetUse[]>`${uses.reduce((all, one) => sql`${all} union all ${one}`)}`;
}

/** Returns the use of one workspace's budget; undefined without a budget. */
export async function findBudget(workspaceId: WorkspaceId): Promise<BudgetUse | undefined> {
  const [budget] = await onSql((sql) => listBudgets(sql, [workspaceId]));
  return budget;
}
