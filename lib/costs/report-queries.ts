import type { Role } from "@/db/schema/identity";
import { listKeys } from "@/lib/api-keys/queries";
import { countryName } from "@/lib/core/country-name";
import type { WorkspaceId } from "@/lib/core/principal";
import { formatNumber } from "@/lib/core/text";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { can } from "@/lib/workspaces/roles";
import {
  type CostCounts,
  type CostLine,
  type Costs,
  type CostTable,
  mainCurrency,
  marketOf,
  NOTHING,
  toCostTable,
} from "./cost-counts";
import { type CostScope, costBucketsOf } from "./cost-range";
import { type CostShare, findRateCard, listCosts, type RateCardFacts } from "./queries";

/** The tables of the costs page, each of which is a file, too. That of keys is for those who may see them. */
export const COST_TABLES = ["country", "category", "line", "template", "key", "time"] as const;
export type CostTableName = (typeof COST_TABLES)[number];

/** The costs of a period: `currency` is that of the one large figure, undefined without a cost. */
export type CostReport = {
  costs: Costs;
  card: RateCardFacts | undefined;
  currency: string | undefined;
  tables: Partial<Record<CostTableName, CostTable>> & Record<"country" | "time", CostTable>;
  /** The name of a line of a table, as people read it. */
  nameOf: (table: CostTableName, line: CostLine) => string;
};

export async function getCostReport(workspaceId: WorkspaceId, scope: CostScope, role: Role): Promise<CostReport> {
  const seesKeys = can(role, "seeApiKeys");
  const shares: CostShare[] = seesKeys ? ["line", "template", "key"] : ["line", "template"];
  const [costs, card, lines, keys] = await Promise.all([
    listCosts(workspaceId, scope, shares),
    findRateCard(workspaceId),
    listAllLines(workspaceId),
    seesKeys ? listKeys(workspaceId) : [],
  ]);
  const currency = mainCurrency(costs.total, card && currencyOf(card, scope.days.at(-1)?.name ?? ""));
  const named = [...shares, "category" as const].map((name) => [name, toCostTable(costs[name], { currency })]);
  const names: Partial<Record<CostTableName, Map<string, string>>> = {
    line: new Map(lines.map(({ id, label }) => [id, label])),
    key: new Map(keys.map(({ id, label, apiKey }) => [id, label || apiKey])),
  };
  return {
    costs,
    card,
    currency,
    tables: {
      ...Object.fromEntries(named),
      country: toCostTable(costs.country, { currency }),
      time: toCostTable(everyBar(costs.time, scope), { currency, isInOrder: true }),
    },
    nameOf: (table, { kind, id }) => {
      if (kind === "total") return "Total";
      if (kind === "rest") return `${formatNumber(Number(id))} others`;
      if (id === "") return UNNAMED[table];
      return table === "country" ? countryName(id) : (names[table]?.get(id) ?? id);
    },
  };
}

const UNNAMED: Record<CostTableName, string> = {
  country: "Unknown country",
  category: "Unknown category",
  line: "Unknown line",
  template: "No template",
  key: "The dashboard",
  time: "",
};

/** The countries and categories that have no price, most messages first. An unknown country can have none. */
export function unpricedMarkets({ market }: Costs) {
  return market
    .filter(({ unpriced }) => unpriced > 0)
    .toSorted((one, other) => other.unpriced - one.unpriced || (one.id < other.id ? -1 : 1))
    .map(({ id, unpriced }) => {
      const { country, category } = marketOf(id);
      return { country, category, unpriced, words: `${countryName(country) || "unknown country"} ${category}` };
    });
}

/** The currency of the budget; without one, of the largest list of prices that is valid on a day. */
export function currencyOf({ budgetCurrency, lists }: RateCardFacts, day: string): string | undefined {
  const valid = lists.filter(({ from, until }) => from <= day && (until === null || until > day));
  const [largest] = valid.toSorted((one, other) => other.prices - one.prices);
  return budgetCurrency ?? (largest ?? lists[0])?.currency;
}

/** A bar for each day or month, newest first, also of those without messages. */
function everyBar(counts: readonly CostCounts[], scope: CostScope): CostCounts[] {
  const known = new Map(counts.map((one) => [one.id, one]));
  return costBucketsOf(scope)
    .toReversed()
    .map((id) => known.get(id) ?? { ...NOTHING, id });
}
