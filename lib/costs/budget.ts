/** The shares of a budget that are announced, in percent. */
const MARKS = [100, 80] as const;

/** Returns the highest mark that the cost has reached; undefined below the first. */
export function budgetMark({ spent, limit }: { spent: number; limit: number }): (typeof MARKS)[number] | undefined {
  return MARKS.find((mark) => spent * 100 >= limit * mark);
}
