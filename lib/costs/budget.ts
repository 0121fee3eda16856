import { unitsOf } from "./money";

/** The shares of a budget that are announced, in percent. */
const MARKS = [100, 80] as const;

/** Amounts in decimal digits. */
type Use = { spent: string; limit: string };

/** Returns the highest mark that the cost has reached; undefined below the first. */
export function budgetMark({ spent, limit }: Use): (typeof MARKS)[number] | undefined {
  return MARKS.find((mark) => unitsOf(spent) * 100n >= unitsOf(limit) * BigInt(mark));
}

/** Returns the used share of a budget in percent, rounded down. */
export function usedPercent({ spent, limit }: Use): number {
  const whole = unitsOf(limit);
  return whole === 0n ? 100 : Number((unitsOf(spent) * 100n) / whole);
}
