/** An amount in decimal digits, such as `0.0042`: a double has no 0.1. */
export type Money = { currency: string; amount: string };

/** More than the digits of a price times messages. */
const DECIMALS = 20;

/** An amount as a whole number of its smallest part, exactly. */
export function unitsOf(amount: string): bigint {
  const [whole = "", rest = ""] = amount.split(".");
  return BigInt(`${whole}${rest.slice(0, DECIMALS).padEnd(DECIMALS, "0")}`);
}

/** The amount of so many of them: `0.3`. */
export function amountOf(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0*$/, "");
}

/** Adds amounts up to the last digit: `0.1` and `0.2` are `0.3`. */
export function addUp(amounts: readonly string[]): string {
  return amountOf(amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n));
}

/** Compares an amount with one before it: `12 % more than`; undefined if that was nothing. */
export function comparedWith(amount: string, before: string): string | undefined {
  const [now, then] = [unitsOf(amount), unitsOf(before)];
  if (then === 0n) return undefined;
  if (now === then) return "as much as";
  const [difference, word] = now > then ? [now - then, "more"] : [then - now, "less"];
  const percent = (difference * 200n + then) / (2n * then);
  return `${percent === 0n ? "under 1" : new Intl.NumberFormat("en").format(percent)} % ${word} than`;
}

/** Formats an amount: `12.50 USD`, below one with the rest of a cent, and never as 0: `0.0042 USD`, `0.00001 USD`. */
export function formatMoney({ currency, amount }: Money): string {
  const isBelowOne = /^-?0*(\.|$)/.test(amount) && /[1-9]/.test(amount);
  const digits = isBelowOne ? BELOW_ONE : FROM_ONE;
  return `${digits.format(amount as Intl.StringNumericLiteral)} ${currency}`;
}

const FROM_ONE = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const BELOW_ONE = new Intl.NumberFormat("en", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
  maximumSignificantDigits: 1,
  roundingPriority: "morePrecision",
});

/**
 * The decimals that show all amounts of a column whole: two at least, and never three, because a spreadsheet with a decimal
 * comma reads `12.345` as twelve thousand.
 */
export function decimalsOf(amounts: readonly string[]): number {
  const most = Math.max(2, ...amounts.map((amount) => amount.split(".")[1]?.length ?? 0));
  return most === 3 ? 4 : most;
}

/** Writes an amount for a file, with as many decimals at least: `1234.5000`. */
export function writeAmount(amount: string, decimals = decimalsOf([amount])): string {
  const [whole = "", rest = ""] = amount.split(".");
  return `${whole}.${rest.padEnd(decimals, "0")}`;
}

/** Formats an amount for a column, of which every number has as many decimals: `1,234.5000`. */
export function formatAmount(amount: string, decimals: number): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat("en", digits).format(amount as Intl.StringNumericLiteral);
}
