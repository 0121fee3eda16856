/** Counts of messages with WhatsApp's pricing, and their estimated cost. */
export type CostCounts = {
  id: string;
  messages: number;
  /** Billable and delivered: WhatsApp charges for no other. */
  billable: number;
  free: number;
  /** Estimated cost by currency, in decimal digits; currencies are never added up. */
  costs: { currency: string; amount: string }[];
  /** How many of the billable ones have no price. */
  unpriced: number;
};

/** As the database counts them: one row for each currency, and one for messages without a price. */
export type CostRow = {
  id: string;
  currency: string | null;
  messages: number;
  billable: number;
  free: number;
  cost: string | null;
};

/** Merges the rows of each id, most messages first. */
export function toCostCounts(rows: readonly CostRow[]): CostCounts[] {
  const merged = new Map<string, CostCounts>();
  for (const { id, currency, messages, billable, free, cost } of rows) {
    const counts = merged.get(id) ?? { id, messages: 0, billable: 0, free: 0, costs: [], unpriced: 0 };
    merged.set(id, counts);
    counts.messages += messages;
    counts.billable += billable;
    counts.free += free;
    if (currency === null || cost === null) counts.unpriced += billable;
    else counts.costs.push({ currency, amount: cost });
  }
  for (const { costs } of merged.values()) costs.sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return [...merged.values()].toSorted((a, b) => b.messages - a.messages || (a.id < b.id ? -1 : 1));
}
