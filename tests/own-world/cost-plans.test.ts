import { describe, expect, test } from "vitest";
import { DatabaseUnavailable } from "@/db/client";
import { daysBetween } from "@/lib/core/local-time";
import { provenWorkspaceId } from "@/lib/core/principal";
import { type CostShare, findBudget, listCosts } from "@/lib/costs/queries";
import { measuredPostgres } from "../support/recorded-plans";
import { sql } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";

const [TEMPLATES, COUNTRIES] = [40, 10];
/** A few steps for each row: it is read, grouped, priced and added up. Pairs of rows would be thousands. */
const STEPS = 16;

const own = measuredPostgres({ "auto_explain.log_nested_statements": "off" });

/** A read of this many rows may be ended by its time limit where others keep the machine busy: it touches the same rows again. */
const patiently = async <T>(read: () => Promise<T>): Promise<T> => {
  for (let triesLeft = 8; ; ) {
    try {
      return await read();
    } catch (error) {
      triesLeft -= 1;
      if (triesLeft === 0 || !(error instanceof DatabaseUnavailable)) throw error;
    }
  }
};

/** Runs one read of the costs, and returns how many rows its statement touched: the server's own reads are smaller. */
const workOf = async (read: () => Promise<unknown>): Promise<number> => {
  const work = await own.workOf(() => patiently(read));
  return Math.max(...work.flatMap(({ text, touched }) => (text.includes("priced_by_day") ? [touched] : [])));
};

const fill = (workspaceId: string, days: number) => sql`
    insert into priced_by_day
    select ${workspaceId}, 'live', date_trunc('day', now(), 'UTC') - make_interval(days => day),
      date_trunc('day', now(), 'UTC') - make_interval(days => day - 1), 'pn_' || template % 3,
      'ak_' || template % 5, 'template_' || template, chr(64 + country) || 'R', 'utility', 'regular', true, 2, 1
    from generate_series(1, ${TEMPLATES}::int) template, generate_series(1, ${COUNTRIES}::int) country,
      generate_series(0, ${days - 1}::int) day`;

/** The first three of the prices are of countries that have messages. */
const price = (workspaceId: string, prices: number) => sql`
    with card as (insert into rate_cards (workspace_id, budget, budget_currency) values (${workspaceId}, 100, 'USD'))
    insert into rates (workspace_id, country, category, is_regional, valid_from, price, currency)
    select ${workspaceId}, case when n < 3 then chr(65 + n) || 'R' else 'X' || n end, 'utility', false, '2020-01-01', 0.01, 'USD'
    from generate_series(0, ${prices - 1}::int) n`;

const SHARES: CostShare[] = ["line", "template", "key"];

describe("the cost of a read, in tables that were never analysed", () => {
  test.each([
    { days: 30, prices: 3, by: "day" as const },
    { days: 750, prices: 1_200, by: "month" as const },
  ])(
    "grows with the rows of the range, not with their square: $days days, $prices prices",
    async ({ days, prices, by }) => {
      const workspaceId = provenWorkspaceId((await provisionWorkspace()).workspaceId);
      await fill(workspaceId, days);
      await price(workspaceId, prices);
      const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
      const scope = { mode: "live", by, days: daysBetween(day(days - 1), day(0), "UTC") } as const;
      const rowsOf = (dayCount: number) => TEMPLATES * COUNTRIES * dayCount;
      for (const shares of [[], SHARES]) {
        const work = await workOf(() => listCosts(workspaceId, scope, shares));
        expect(work, `${shares}`).toBeLessThan(STEPS * rowsOf(days));
        const ofOne = await workOf(() => listCosts(workspaceId, { ...scope, line: "pn_1", key: "ak_1" }, shares));
        expect(ofOne, `${shares} of one line and key`).toBeLessThan(STEPS * rowsOf(days));
      }
      expect(await workOf(() => findBudget(workspaceId))).toBeLessThan(STEPS * rowsOf(31));
      const { total } = await patiently(() => listCosts(workspaceId, scope));
      expect(total).toMatchObject({ messages: 2 * rowsOf(days), billable: rowsOf(days) });
      expect(total.costs).toEqual([{ currency: "USD", amount: String((3 * TEMPLATES * days) / 100) }]);
    },
  );
});
