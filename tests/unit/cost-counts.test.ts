import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetMark } from "@/lib/costs/budget";
import { type CostLine, type CostRow, mainCurrency, spentUntil, toCosts, toCostTable } from "@/lib/costs/cost-counts";
import { addUp } from "@/lib/costs/money";

const SHARED = { messages: 3, billable: 2, free: 1 };

/** The rows of one statement: messages of a day, a line, a country and a category, once by each. */
const rowsOf = (messages: readonly (Omit<CostRow, "subject" | "id"> & { of: Record<string, string> })[]): CostRow[] =>
  messages.flatMap(({ of: { market = "", ...others }, ...counts }) =>
    Object.entries({ market, ...others }).map(([subject, id]) => ({
      ...counts,
      subject: subject as CostRow["subject"],
      id,
    })),
  );

describe("counts", () => {
  test("of a market are those of its country and its category, and currencies are not added up", () => {
    const rows: CostRow[] = [
      { ...SHARED, subject: "market", id: "BR utility", currency: "USD", cost: "0.5" },
      { ...SHARED, subject: "market", id: "BR marketing", currency: "USD", cost: "0.25" },
      { ...SHARED, subject: "market", id: "BR service", currency: null, cost: null },
      { ...SHARED, subject: "market", id: " utility", currency: "EUR", cost: "0.1" },
      { ...SHARED, subject: "line", id: "pn_1", currency: "USD", cost: "9" },
    ];
    const { total, country, category, line } = toCosts(rows);
    expect(country).toMatchObject([
      { id: "BR", messages: 9, billable: 6, free: 3, costs: [{ currency: "USD", amount: "0.75" }], unpriced: 2 },
      { id: "", messages: 3, costs: [{ currency: "EUR", amount: "0.1" }], unpriced: 0 },
    ]);
    expect(category.map(({ id }) => id)).toEqual(["utility", "marketing", "service"]);
    expect(line).toMatchObject([{ id: "pn_1", costs: [{ amount: "9" }] }]);
    expect([mainCurrency(total, "USD"), mainCurrency(total, "GBP"), mainCurrency(toCosts([]).total, "GBP")]).toEqual([
      "USD",
      "EUR",
      "GBP",
    ]);
  });

  const amount = fc
    .nat(10 ** 9)
    .map((units) => `${Math.floor(units / 10 ** 8)}.${String(units % 10 ** 8).padStart(8, "0")}`);
  const counts = fc.record({ undelivered: fc.nat(99), billable: fc.nat(99), free: fc.nat(99) });
  const message = fc
    .tuple(
      counts,
      fc.option(fc.tuple(fc.constantFrom("USD", "EUR"), amount), { nil: undefined }),
      fc.nat(200),
      fc.nat(3),
    )
    .map(([{ undelivered, billable, free }, price, serial, day]) => ({
      of: { market: `C${serial % 9} utility`, line: `pn_${serial}`, time: `2026-10-0${day + 1}` },
      messages: undelivered + billable + free,
      billable,
      free,
      currency: price?.[0] ?? null,
      cost: price?.[1] ?? null,
    }));

  test("sum to the same totals to the last digit, by whatever they are, with or without prices", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 300 }), fc.boolean(), (given, hasCard) => {
        const rows = given.map((row) => (hasCard ? row : { ...row, currency: null, cost: null }));
        const costs = toCosts(rowsOf(rows));
        for (const subject of ["country", "category", "line", "time", "market"] as const) {
          const { lines, currencies } = toCostTable(costs[subject], { currency: "EUR" });
          const [total, parts] = [lines.at(-1) as CostLine, lines.slice(0, -1)];
          for (const column of ["messages", "billable", "unpriced", "free", "undelivered"] as const)
            expect(parts.reduce((sum, line) => sum + line[column], 0)).toBe(total[column]);
          for (const currency of currencies)
            expect(addUp(parts.map(({ amounts }) => amounts[currency] ?? "0"))).toBe(total.amounts[currency]);
          expect([total.messages, total.unpriced]).toEqual([costs.total.messages, costs.total.unpriced]);
          // Under its own name each has all of its messages, with or without a price.
          for (const { kind, id, ...line } of parts)
            if (kind === "named") expect(costs[subject].find((one) => one.id === id)).toMatchObject(countsOf(line));
          expect(Object.entries(total.amounts).toSorted()).toEqual(
            costs.total.costs.map((one) => [one.currency, one.amount]),
          );
          expect(parts.length).toBeLessThanOrEqual(101);
        }
        expect(spentUntil(costs, "2026-10-31", "USD")).toBe(
          costs.total.costs.find(({ currency }) => currency === "USD")?.amount ?? "0",
        );
      }),
      { numRuns: 60 },
    );
  });

  test("of a table stand by what they cost, in the currency of the large figure, then by messages", () => {
    const row = (id: string, currency: string | null, cost: string | null, messages = 3): CostRow => ({
      ...SHARED,
      subject: "template",
      id,
      currency,
      cost,
      messages,
    });
    const { template } = toCosts([
      row("a", "USD", "9"),
      row("b", "EUR", "10"),
      row("c", "EUR", "9.5"),
      row("d", "USD", "9", 4),
    ]);
    const { lines, currencies } = toCostTable(template, { currency: "EUR" });
    expect([lines.map(({ id }) => id), currencies]).toEqual([
      ["b", "c", "d", "a", ""],
      ["EUR", "USD"],
    ]);
  });
});

const countsOf = ({ messages, billable, unpriced, free }: Omit<CostLine, "kind" | "id">) => ({
  messages,
  billable,
  unpriced,
  free,
});

describe("a budget", () => {
  test.each([
    ["0.176", "0.22", 80],
    ["0.175999999999999999", "0.22", undefined],
    ["0.3", "0.30", 100],
    ["0", "0.01", undefined],
    ["99999999999999999999.99", "100000000000000000000.00", 80],
  ])("of which %s of %s is spent has reached %s", (spent, limit, mark) => {
    expect(budgetMark({ spent, limit })).toBe(mark);
  });

  test("has reached a mark exactly from that share on, whatever the amounts", () => {
    const share = fc.record({ cents: fc.integer({ min: 1, max: 10 ** 12 }), percent: fc.constantFrom(80, 100) });
    fc.assert(
      fc.property(share, ({ cents, percent }) => {
        const limit = decimal(BigInt(cents), 2);
        const exact = BigInt(cents) * BigInt(percent);
        expect(budgetMark({ spent: decimal(exact, 4), limit })).toBe(percent);
        expect(budgetMark({ spent: decimal(exact * 10n ** 6n - 1n, 10), limit })).toBe(
          percent === 100 ? 80 : undefined,
        );
      }),
    );
  });
});

/** The number of `digits` decimals that is so many units, as text. */
const decimal = (units: bigint, digits: number): string => {
  const text = units.toString().padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};
