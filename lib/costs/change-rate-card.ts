import { eq } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { type CardRow, rateCards, workspaces } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { localDay } from "@/lib/core/local-time";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited, changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { changesOf } from "./card-prices";
import { ratesFrom } from "./queries";
import { ALWAYS, type ReadCard } from "./rate-card";

/**
 * Replaces the prices from the first day of the new ones on: those of the days before stay. A country's category that has a
 * later first day keeps its prices until then; one that is not named ends with the first day of all. A budget in a currency that no
 * price of today or later has is removed, because nothing would count against it; returns its currency, else null.
 * Does not check permissions: the caller must.
 */
export function replaceRateCard(
  workspaceId: WorkspaceId,
  { rates, rows }: Pick<ReadCard, "rates" | "rows">,
  by: Author,
): Promise<string | null> {
  return audited(workspaceId, by, async (tx, record) => {
    const sql = rawSql(tx);
    await sql`
      insert into rate_cards (workspace_id, rows)
      values (${workspaceId}, ${JSON.stringify(shownRows(rows))}::text::jsonb)
      on conflict (workspace_id) do update set uploaded_at = now(), rows = excluded.rows`;
    const [before] = await sql<{ prices: number }[]>`
      select count(*)::int as prices from rates where workspace_id = ${workspaceId}`;
    const from = rates.map(({ validFrom }) => validFrom).toSorted()[0] ?? ALWAYS;
    const changes = before?.prices ? changesOf(await ratesFrom(sql, workspaceId, from), rates) : null;
    await sql`
      update rate_cards set changes = ${JSON.stringify(changes)}::text::jsonb where workspace_id = ${workspaceId}`;
    const firstDays = JSON.stringify(firstDaysOf(rates));
    await sql`
      with given as materialized (select ${firstDays}::text::jsonb as days)
      delete from rates using given
      where workspace_id = ${workspaceId}
        and valid_from >= coalesce((days ->> (country || ' ' || category))::date, ${from}::date)`;
    await sql`
      with given as materialized (select ${firstDays}::text::jsonb as days)
      update rates set valid_until = coalesce((days ->> (country || ' ' || category))::date, ${from}::date)
      from given
      where workspace_id = ${workspaceId}
        and coalesce(valid_until > coalesce((days ->> (country || ' ' || category))::date, ${from}::date), true)`;
    await sql`
      insert into rates (workspace_id, country, category, is_regional, valid_from, price, currency)
      select ${workspaceId}, given.* from json_to_recordset(${JSON.stringify(rates)}::text::json)
        as given (country text, category text, "isRegional" boolean, "validFrom" date, price numeric, currency text)`;
    const isThis = rowsOf(rateCards, workspaceId);
    const [card] = await tx.select().from(rateCards).where(isThis);
    const former = card?.budgetCurrency ?? null;
    const removed = former !== null && !(await isPriced(tx, workspaceId, former)) ? former : null;
    await record("rateCard.uploaded", workspaceId, {
      before: before?.prices ? before : null,
      after: { prices: rates.length, currencies: [...new Set(rates.map(({ currency }) => currency))].toSorted() },
    });
    if (card && removed !== null) {
      await tx.update(rateCards).set(NO_BUDGET).where(isThis);
      await record("rateCard.budgetChanged", workspaceId, changeOf(budgetOf(card), NO_BUDGET));
    }
    return removed;
  });
}

/** The first day of each country and category. */
function firstDaysOf(rates: ReadCard["rates"]): Record<string, string> {
  const latestFirst = rates.toSorted((one, other) => other.validFrom.localeCompare(one.validFrom));
  return Object.fromEntries(
    latestFirst.map(({ country, category, validFrom }) => [`${country} ${category}`, validFrom]),
  );
}

const MAX_ROWS_SHOWN = 100;

/** Those that were left out first. */
function shownRows(rows: readonly CardRow[]): CardRow[] {
  return rows
    .toSorted((one, other) => Number(one.isRead) - Number(other.isRead) || one.row - other.row)
    .slice(0, MAX_ROWS_SHOWN);
}

/** Removes all prices and the budget. Does not check permissions: the caller must. */
export function removeRateCard(workspaceId: WorkspaceId, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const { length } = await tx.delete(rateCards).where(rowsOf(rateCards, workspaceId)).returning();
    if (length > 0) await record("rateCard.removed", workspaceId, { before: null, after: {} });
  });
}

/** Whether a price of today or later is in the currency. */
async function isPriced(tx: Transaction, workspaceId: WorkspaceId, currency: string): Promise<boolean> {
  const [workspace] = await tx.select().from(workspaces).where(eq(workspaces.id, workspaceId));
  const today = localDay(new Date(), workspace?.timeZone ?? "UTC");
  const [price] = await rawSql(tx)`
    select from rates
    where workspace_id = ${workspaceId} and currency = ${currency} and coalesce(valid_until > ${today}::date, true) limit 1`;
  return price !== undefined;
}

export type Budget = { budget: string; budgetCurrency: string };

const NO_BUDGET = { budget: null, budgetCurrency: null };
const budgetOf = ({ budget, budgetCurrency }: typeof rateCards.$inferSelect) => ({ budget, budgetCurrency });

/** Sets the budget of a month in a currency of the card, or with null removes it. Does not check permissions: the caller must. */
export function changeBudget(workspaceId: WorkspaceId, given: Budget | null, by: Author): Promise<void> {
  const after = given ?? NO_BUDGET;
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = rowsOf(rateCards, workspaceId);
    const [before] = await tx.select().from(rateCards).where(isThis).for("no key update");
    if (!before)
      throw invalid([{ path: "budget", message: "Upload a rate card first: without prices there is no cost." }]);
    if (given) {
      if (!(await isPriced(tx, workspaceId, given.budgetCurrency)))
        throw invalid([{ path: "budgetCurrency", message: `The rate card has no prices in ${given.budgetCurrency}.` }]);
    }
    const [written] = await tx.update(rateCards).set(after).where(isThis).returning();
    await record("rateCard.budgetChanged", workspaceId, changeOf(budgetOf(before), budgetOf(written ?? before)));
  });
}
