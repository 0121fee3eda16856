import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetMark } from "@/lib/costs/budget";
import { type CostRow, toCostCounts } from "@/lib/costs/cost-counts";
import { costBucketsOf, costScopeOf, formatCostBucket, readCostFilters } from "@/lib/costs/cost-range";

const NOW = new Date("2026-03-01T02:30:00Z");

describe("counts", () => {
  test("of one id are merged, and currencies are not added up", () => {
    const row = { id: "BR", messages: 3, billable: 2, free: 1 };
    const rows: CostRow[] = [
      { ...row, currency: "USD", cost: "0.5" },
      { ...row, currency: null, cost: null },
      { ...row, currency: "EUR", cost: "0.1" },
      { id: "", messages: 10, billable: 0, free: 10, currency: null, cost: null },
    ];
    expect(toCostCounts(rows)).toEqual([
      { id: "", messages: 10, billable: 0, free: 10, costs: [], unpriced: 0 },
      {
        id: "BR",
        messages: 9,
        billable: 6,
        free: 3,
        costs: [
          { currency: "EUR", amount: "0.1" },
          { currency: "USD", amount: "0.5" },
        ],
        unpriced: 2,
      },
    ]);
  });

  test("are the same in any order", () => {
    const row = fc.record<CostRow>({
      id: fc.constantFrom("a", "b"),
      messages: fc.nat(9),
      billable: fc.nat(9),
      free: fc.nat(9),
      currency: fc.constantFrom("USD", "EUR"),
      cost: fc.constant("1"),
    });
    const rows = fc.uniqueArray(row, { selector: ({ id, currency }) => `${id}${currency}` });
    fc.assert(
      fc.property(rows, (given) => {
        expect(toCostCounts(given.toReversed())).toEqual(toCostCounts(given));
      }),
    );
  });
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

describe("a range", () => {
  test("has the days or months of the workspace's clock, until today", () => {
    expect(costBucketsOf("7d", NOW, "UTC")).toEqual([
      ...["23", "24", "25", "26", "27", "28"].map((day) => `2026-02-${day}`),
      "2026-03-01",
    ]);
    expect(costBucketsOf("7d", NOW, "America/New_York").at(-1)).toBe("2026-02-28");
    const months = costBucketsOf("12m", NOW, "UTC");
    expect([months.length, months[0], months.at(-1)]).toEqual([12, "2025-04", "2026-03"]);
    expect(["2026-03-01", "2026-03"].map(formatCostBucket)).toEqual(["1 Mar", "Mar 2026"]);
  });

  test("of months begins with the first of them", () => {
    const scope = costScopeOf({}, { mode: "live", timeZone: "UTC", now: NOW, buckets: ["2025-04", "2025-05"] });
    expect([scope.days[0]?.name, scope.days.at(-1)?.name]).toEqual(["2025-04-01", "2026-03-01"]);
  });

  test("is 30 days where the address says nothing, or nothing that is known", () => {
    expect(readCostFilters({}, "owner")).toMatchObject({ range: "30d", view: "chart" });
    expect(readCostFilters({ range: "24h", line: "pn_1", view: "x" }, "owner")).toMatchObject({
      range: "30d",
      line: "pn_1",
    });
    expect(readCostFilters({ range: "12m", view: "table" }, "owner")).toMatchObject({ range: "12m", view: "table" });
  });
});
