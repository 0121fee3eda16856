import type { CardChange, CardChanges } from "@/db/schema";
import { marketName } from "./markets";
import { unitsOf } from "./money";

/** A price and the days on which it is valid: until the day before `validUntil`, null if no other follows. */
export type ValidRate = {
  country: string;
  category: string;
  isRegional: boolean;
  validFrom: string;
  validUntil: string | null;
  price: string;
  currency: string;
};

/** A row of the price list: a market's prices by category, in one currency and on the same days. */
export type PriceRow = {
  market: string;
  currency: string;
  validFrom: string;
  validUntil: string | null;
  prices: Record<string, string>;
};

/** Returns the prices as WhatsApp's own list has them: a row for each market, with a column for each category. */
export function toPriceRows(rates: readonly ValidRate[]): PriceRow[] {
  const rows = new Map<string, PriceRow>();
  for (const rate of rates) {
    const { category, currency, validFrom, validUntil, price } = rate;
    const market = marketName(rate);
    const key = [market, rate.isRegional, currency, validFrom, validUntil].join(" ");
    const row = rows.get(key) ?? { market, currency, validFrom, validUntil, prices: {} };
    rows.set(key, row);
    row.prices[category] ??= price;
  }
  return [...rows.values()].toSorted(
    (one, other) => compare(one.market, other.market) || compare(one.validFrom, other.validFrom),
  );
}

const MOST_SHOWN = 300;

/**
 * Compares the prices of a new card with those that were valid on its days before: a market and category at a time, because the
 * countries of a region share theirs. Those that the card does not name end with its first day.
 */
export function changesOf(before: readonly ValidRate[], after: readonly Omit<ValidRate, "validUntil">[]): CardChanges {
  const firstDay = after.map(({ validFrom }) => validFrom).toSorted()[0] ?? "";
  const [former, given] = [byMarket(before), byMarket(after)];
  const changes = [...given].flatMap(([key, rates]): CardChange[] =>
    rates.map(({ market, category, validFrom: from, price, currency }) => ({
      market,
      category,
      from,
      before: pricedOn(from, former.get(key)),
      after: { amount: price, currency },
    })),
  );
  const ended = [...former].flatMap(([key, rates]): CardChange[] => {
    const last = given.has(key) ? null : pricedOn(firstDay, rates);
    const [{ market, category } = { market: "", category: "" }] = rates;
    return last ? [{ market, category, from: firstDay, before: last, after: null }] : [];
  });
  const changed = [...changes.filter(isChange), ...ended].toSorted(
    (one, other) =>
      compare(one.market, other.market) || compare(one.category, other.category) || compare(one.from, other.from),
  );
  return {
    shown: changed.slice(0, MOST_SHOWN),
    changed: changed.length,
    same: changes.length - changes.filter(isChange).length,
  };
}

function byMarket<Rate extends Pick<ValidRate, "country" | "isRegional" | "category" | "validFrom">>(
  rates: readonly Rate[],
) {
  const found = new Map<string, Map<string, Rate & { market: string }>>();
  for (const rate of rates) {
    const market = marketName(rate);
    const key = `${market} ${rate.isRegional} ${rate.category}`;
    const days = found.get(key) ?? new Map<string, Rate & { market: string }>();
    found.set(key, days);
    if (!days.has(rate.validFrom)) days.set(rate.validFrom, { ...rate, market });
  }
  return new Map([...found].map(([key, days]) => [key, [...days.values()]]));
}

function pricedOn(day: string, rates: readonly ValidRate[] = []): CardChange["before"] {
  const rate = rates.find(({ validFrom, validUntil }) => validFrom <= day && (validUntil === null || day < validUntil));
  return rate ? { amount: rate.price, currency: rate.currency } : null;
}

function isChange({ before, after }: CardChange): boolean {
  return before?.currency !== after?.currency || unitsOf(before?.amount ?? "0") !== unitsOf(after?.amount ?? "0");
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
