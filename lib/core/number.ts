const NUMBER = new Intl.NumberFormat("en-GB");

/** A number as texts show it, with commas between thousands. */
export function formatNumber(value: number): string {
  return NUMBER.format(value);
}
