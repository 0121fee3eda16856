import { rawSql } from "@/db/raw-sql";
import { rateCards, rates as ratesTable } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited, changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { CardRate } from "./rate-card";

/**
 * Replaces all prices. A budget in a currency that the new ones lack is removed, because nothing would count against it;
 * returns its currency, else null. Does not check permissions: the caller must.
 */
export function replaceRateCard(
  workspaceId: WorkspaceId,
  rates: readonly CardRate[],
  by: Author,
): Promise<string | null> {
  return audited(workspaceId, by, async (tx, record) => {
    const sql = rawSql(tx);
    await sql`
      insert into rate_cards (workspace_id) values (${workspaceId})
      on conflict (workspace_id) do update set uploaded_at = now()`;
    const { count } = await sql`delete from rates where workspace_id = ${workspaceId}`;
    await sql`
      insert into rates (workspace_id, country, category, is_regional, valid_from, price, currency)
      select ${workspaceId}, given.* from json_to_recordset(${JSON.stringify(rates)}::text::json)
        as given (country text, category text, "isRegional" boolean, "validFrom" date, price numeric, currency text)`;
    const currencies = [...new Set(rates.map(({ currency }) => currency))].toSorted();
    const isThis = rowsOf(rateCards, workspaceId);
    const [card] = await tx.select().from(rateCards).where(isThis);
    const former = card?.budgetCurrency ?? null;
    const removed = former !== null && !currencies.includes(former) ? former : null;
    await record("rateCard.uploaded", workspaceId, {
      before: count > 0 ? { prices: count } : null,
      after: { prices: rates.length, currencies },
    });
    if (card && removed !== null) {
      await tx.update(rateCards).set(NO_BUDGET).where(isThis);
      await record("rateCard.budgetChanged", workspaceId, changeOf(budgetOf(card), NO_BUDGET));
    }
    return removed;
  });
}

/** Removes all prices and the budget. Does not check permissions: the caller must. */
export function removeRateCard(workspaceId: WorkspaceId, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const { length } = await tx.delete(rateCards).where(rowsOf(rateCards, workspaceId)).returning();
    if (length > 0) await record("rateCard.removed", workspaceId, { before: null, after: {} });
  });
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
      const isOfCurrency = rowsOf(ratesTable, workspaceId, { currency: given.budgetCurrency });
      const [price] = await tx.select().from(ratesTable).where(isOfCurrency).limit(1);
      if (!price)
        throw invalid([{ path: "budgetCurrency", message: `The rate card has no prices in ${given.budgetCurrency}.` }]);
    }
    const [written] = await tx.update(rateCards).set(after).where(isThis).returning();
    await record("rateCard.budgetChanged", workspaceId, changeOf(budgetOf(before), budgetOf(written ?? before)));
  });
}
