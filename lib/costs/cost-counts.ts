import { addUp, decimalsOf, type Money, unitsOf } from "./money";

/** Counts of messages with WhatsApp's pricing, and their estimated cost. */
export type CostCounts = {
  id: string;
  messages: number;
  /** Billable and delivered: WhatsApp charges for no other. */
  billable: number;
  free: number;
  /** Estimated cost by currency, in decimal digits; currencies are never added up. */
  costs: Money[];
  /** How many of the billable ones have no price. */
  unpriced: number;
};

/** What messages are counted by: the market is a country and a category, such as `BR utility`. */
export type CostSubject = "market" | "time" | "line" | "template" | "key";

/** As the database counts them: one row for each currency, and one for messages without a price. */
export type CostRow = {
  subject: CostSubject;
  id: string;
  currency: string | null;
  messages: number;
  billable: number;
  free: number;
  cost: string | null;
};

export const NOTHING: CostCounts = { id: "", messages: 0, billable: 0, free: 0, costs: [], unpriced: 0 };

export type Costs = Record<CostSubject | "country" | "category", CostCounts[]> & { total: CostCounts };

/** Counts the rows of one statement by all that they are counted by. An empty id means none. */
export function toCosts(rows: readonly CostRow[]): Costs {
  const of = (subject: CostSubject) => rows.filter((row) => row.subject === subject);
  const markets = of("market");
  const [total = NOTHING] = merge(markets, () => "");
  return {
    total,
    market: merge(markets),
    country: merge(markets, ({ id }) => marketOf(id).country),
    category: merge(markets, ({ id }) => marketOf(id).category),
    time: merge(of("time")),
    line: merge(of("line")),
    template: merge(of("template")),
    key: merge(of("key")),
  };
}

/** The country, which may be unknown, and the category of a market. */
export function marketOf(id: string): { country: string; category: string } {
  const at = id.indexOf(" ");
  return { country: id.slice(0, at), category: id.slice(at + 1) };
}

function merge(rows: readonly CostRow[], idOf: (row: CostRow) => string = ({ id }) => id): CostCounts[] {
  const groups = new Map<string, CostRow[]>();
  for (const row of rows) {
    const group = groups.get(idOf(row));
    if (group) group.push(row);
    else groups.set(idOf(row), [row]);
  }
  return [...groups].map(([id, group]) => {
    const sum = (of: (row: CostRow) => number) => group.reduce((all, row) => all + of(row), 0);
    const currencies = [...new Set(group.flatMap(({ currency }) => currency ?? []))].toSorted();
    return {
      id,
      messages: sum(({ messages }) => messages),
      billable: sum(({ billable }) => billable),
      free: sum(({ free }) => free),
      costs: currencies.map((currency) => ({
        currency,
        amount: addUp(group.flatMap((row) => (row.currency === currency ? (row.cost ?? []) : []))),
      })),
      unpriced: sum(({ currency, billable }) => (currency === null ? billable : 0)),
    };
  });
}

/**
 * A row of a table of costs: an amount for each currency that it has, and counts: `messages` are all of them, and `unpriced` those
 * of the billable ones whose price is missing in the amounts.
 */
export type CostLine = {
  /** Named rows have an id; the others are the rest of many, and the sum of all. */
  kind: "named" | "rest" | "total";
  id: string;
  amounts: Record<string, string>;
  billable: number;
  unpriced: number;
  free: number;
  undelivered: number;
  messages: number;
};

/** `decimals` are those of each currency's column, so that its numbers stand below each other and are whole. */
export type CostTable = { currencies: string[]; decimals: Record<string, number>; lines: CostLine[] };

const MOST_LINES = 100;

/**
 * Returns the lines of a table, the most expensive first, what costs nothing last, or in the order given. Each currency has a
 * column. Every column of the lines sums to its total, to the last digit.
 */
export function toCostTable(
  counts: readonly CostCounts[],
  { currency, isInOrder = false }: { currency: string | undefined; isInOrder?: boolean },
): CostTable {
  const named = counts.map(toLine);
  const shown = isInOrder
    ? named
    : named.filter(({ messages }) => messages > 0).toSorted((one, other) => byMost(one, other, currency));
  const most = isInOrder ? shown.length : MOST_LINES;
  const rest = shown.slice(most);
  const lines = [...shown.slice(0, most), ...(rest.length > 0 ? [sumOf(rest, "rest")] : [])];
  const total = sumOf(lines, "total");
  const currencies = Object.keys(total.amounts).toSorted(
    (one, other) => Number(other === currency) - Number(one === currency) || (one < other ? -1 : 1),
  );
  const all = [...lines, total];
  const amountsOf = (name: string) => all.flatMap(({ amounts }) => amounts[name] ?? []);
  const decimals = Object.fromEntries(currencies.map((name) => [name, decimalsOf(amountsOf(name))]));
  return { currencies, decimals, lines: all };
}

function toLine({ id, messages, billable, free, costs, unpriced }: CostCounts): CostLine {
  const amounts = Object.fromEntries(costs.map(({ currency, amount }) => [currency, amount]));
  return { kind: "named", id, amounts, billable, unpriced, free, undelivered: messages - billable - free, messages };
}

function sumOf(lines: readonly CostLine[], kind: "rest" | "total"): CostLine {
  const sum = (of: (line: CostLine) => number) => lines.reduce((all, line) => all + of(line), 0);
  const currencies = new Set(lines.flatMap(({ amounts }) => Object.keys(amounts)));
  const amounts = [...currencies].map((name) => [name, addUp(lines.flatMap(({ amounts }) => amounts[name] ?? []))]);
  return {
    kind,
    id: kind === "rest" ? String(lines.length) : "",
    amounts: Object.fromEntries(amounts),
    billable: sum(({ billable }) => billable),
    unpriced: sum(({ unpriced }) => unpriced),
    free: sum(({ free }) => free),
    undelivered: sum(({ undelivered }) => undelivered),
    messages: sum(({ messages }) => messages),
  };
}

function byMost(one: CostLine, other: CostLine, currency = ""): number {
  const [mine, theirs] = [unitsOf(one.amounts[currency] ?? "0"), unitsOf(other.amounts[currency] ?? "0")];
  const currencies = Object.keys(other.amounts).length - Object.keys(one.amounts).length;
  return Number(theirs - mine) || currencies || other.messages - one.messages || (one.id < other.id ? -1 : 1);
}

/** The currency of the one large figure: the workspace's, if anything costs in it; else the first that has costs. */
export function mainCurrency({ costs }: CostCounts, preferred: string | undefined): string | undefined {
  return costs.some(({ currency }) => currency === preferred) ? preferred : (costs[0]?.currency ?? preferred);
}

/** What the bars until a day cost in a currency. */
export function spentUntil({ time }: Costs, day: string, currency: string): string {
  const amounts = time.filter(({ id }) => id <= day).map(({ costs }) => amountIn(costs, currency));
  return addUp(amounts);
}

export function amountIn(costs: readonly Money[], currency: string): string {
  return costs.find((cost) => cost.currency === currency)?.amount ?? "0";
}
