/** How many claims of one workspace can take a unit at the same time without waiting for each other. */
export const SHARES = 16;

/** The share from which a claim takes its unit; null where it takes it from the month's own row. */
export type Slot = number | null;

const MOST_UNITS = 256;
/** Fewer are not worth a share: dealing them out again would cost more than claims that wait for each other. */
const LEAST_UNITS = 8;

/**
 * The units that each share gets of those that are `left` of the month (`Infinity` without a limit); 0 near the limit.
 * At least half of what is left stays with the month, so that a claim finds some there, too.
 */
export function unitsPerShare(left: number): number {
  const units = Math.min(MOST_UNITS, Math.floor(left / (2 * SHARES)));
  return units < LEAST_UNITS ? 0 : units;
}

/** A share by chance; null under a limit of which there are no shares. */
export function anySlot(monthlyLimit: number | null): Slot {
  return unitsPerShare(monthlyLimit ?? Number.POSITIVE_INFINITY) === 0 ? null : Math.floor(Math.random() * SHARES);
}
