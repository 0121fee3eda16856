import fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf, toPriceRows, type ValidRate } from "@/lib/costs/card-prices";
import { readRateCard } from "@/lib/costs/rate-card";

const rate = (country: string, price: string, more: Partial<ValidRate> = {}): ValidRate => ({
  country,
  category: "utility",
  isRegional: false,
  validFrom: "2026-01-01",
  validUntil: null,
  price,
  currency: "USD",
  ...more,
});
const usd = (amount: string) => ({ currency: "USD", amount });

test("what a card changed is said for each market: other prices and currencies, new ones, and those that end with its first day", () => {
  const before = [
    rate("BR", "0.0100"),
    rate("DE", "0.05"),
    rate("IN", "0.02", { validUntil: "2026-10-01" }),
    rate("IN", "0.03", { validFrom: "2026-10-01" }),
    rate("CL", "0.04"),
    ...["AT", "BE"].map((country) => rate(country, "0.07", { isRegional: true })),
  ];
  const day = { validFrom: "2026-10-01" };
  const after = [
    rate("BR", "0.01", day),
    rate("DE", "0.06", day),
    rate("IN", "0.03", { ...day, currency: "INR" }),
    rate("FR", "0.1", day),
    ...["AT", "BE"].map((country) => rate(country, "0.08", { ...day, isRegional: true })),
  ];
  const row = (market: string, from: unknown, to: unknown) => ({
    market,
    category: "utility",
    from: "2026-10-01",
    before: from,
    after: to,
  });
  expect(changesOf(before, after)).toEqual({
    shown: [
      row("Chile", usd("0.04"), null),
      row("France", null, usd("0.1")),
      row("Germany", usd("0.05"), usd("0.06")),
      row("India", usd("0.03"), { currency: "INR", amount: "0.03" }),
      row("Rest of Western Europe", usd("0.07"), usd("0.08")),
    ],
    changed: 5,
    same: 1,
  });
});

test("a card changes nothing of itself, and each market has one row of prices as WhatsApp's own list has it", () => {
  const names = ["Brazil", "Germany", "Rest of Africa", "North America", "Other"];
  const price = fc.nat(10 ** 6).map((units) => `0.${String(units).padStart(6, "0")}`);
  const lines = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), price, price), {
    selector: ([name]) => name,
    minLength: 1,
  });
  fc.assert(
    fc.property(lines, (given) => {
      const text = [
        "Effective 2026-10-01",
        "Market,Currency,Marketing,Utility",
        ...given.map(([name, ...of]) => [name, "$US", ...of].join(",")),
      ];
      const { rates } = readRateCard(text.join("\n"));
      const valid = rates.map((one) => ({ ...one, validUntil: null }));
      expect(changesOf(valid, rates)).toEqual({ shown: [], changed: 0, same: 2 * given.length });
      const shown = new Map(
        given.map(([name, marketing, utility]) => [
          name === "Other" ? "All other countries" : name,
          { marketing, utility },
        ]),
      );
      expect(new Map(toPriceRows(valid).map(({ market, prices }) => [market, prices]))).toEqual(shown);
    }),
  );
});
