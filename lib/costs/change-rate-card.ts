import { rawSql } from "@/db/raw-sql";
import { rateCards } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { audited } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { CardRate } from "./rate-card";

/** Replaces all prices; the budget stays. Does not check permissions: the caller must. */
export function replaceRateCard(workspaceId: WorkspaceId, rates: readonly CardRate[], by: Author): Promise<void> {
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
    await record("rateCard.uploaded", workspaceId, {
      before: count > 0 ? { prices: count } : null,
      after: { prices: rates.length, currencies },
    });
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

/** Sets the budget of a month, or with null removes it. Does not check permissions: the caller must. */
export function changeBudget(workspaceId: WorkspaceId, given: Budget | null, by: Author): Promise<void> {
  const after = given ?? { budget: null, budgetCurrency: null };
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = rowsOf(rateCards, workspaceId);
    const [before] = await tx.select().from(rateCards).where(isThis).for("no key update");
    if (!before)
      throw invalid([{ path: "budget", message: "Upload a rate card first: without prices there is no cost." }]);
    const [written] = await tx.update(rateCards).set(after).where(isThis).returning();
    const shown = (card: typeof before) => ({ budget: card.budget, budgetCurrency: card.budgetCurrency });
    await record("rateCard.budgetChanged", workspaceId, changeOf(shown(before), shown(written ?? before)));
  });
}
