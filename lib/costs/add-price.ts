import { rawSql } from "@/db/raw-sql";
import type { Rate } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited } from "@/lib/workspaces/record-audit";

export type NewPrice = Pick<Rate, "country" | "category" | "price" | "currency" | "validFrom">;

/**
 * Adds the price of one country and category from a day on, or replaces the one that begins on that day. It is valid until the
 * next price of the same begins, and ends the one before; all others stay. Does not check permissions: the caller must.
 */
export function addPrice(workspaceId: WorkspaceId, given: NewPrice, by: Author): Promise<void> {
  const { country, category, price, currency, validFrom } = given;
  return audited(workspaceId, by, async (tx, record) => {
    const sql = rawSql(tx);
    const isSame = sql`workspace_id = ${workspaceId} and country = ${country} and category = ${category} and not is_regional`;
    // Locks the card, so that no list replaces the prices at the same moment.
    await sql`
      insert into rate_cards (workspace_id) values (${workspaceId})
      on conflict (workspace_id) do update set workspace_id = excluded.workspace_id`;
    await sql`
      update rates set valid_until = ${validFrom}::date
      where ${isSame} and valid_from < ${validFrom}::date and coalesce(valid_until > ${validFrom}::date, true)`;
    await sql`
      insert into rates (workspace_id, country, category, is_regional, valid_from, valid_until, price, currency)
      values (${workspaceId}, ${country}, ${category}, false, ${validFrom}::date,
        (select min(valid_from) from rates where ${isSame} and valid_from > ${validFrom}::date), ${price}::numeric, ${currency})
      on conflict (workspace_id, country, category, is_regional, valid_from)
      do update set price = excluded.price, currency = excluded.currency, valid_until = excluded.valid_until`;
    await record("rateCard.priceAdded", workspaceId, { before: null, after: given });
  });
}
