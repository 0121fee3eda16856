import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addUp, comparedWith, decimalsOf, formatAmount, formatMoney, unitsOf, writeAmount } from "@/lib/costs/money";

const amounts = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 8 }))
  .map(([units, digits]) => {
    const text = units.toString().padStart(digits + 1, "0");
    return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0*$/, "");
  });

describe("amounts", () => {
  test("are added up to the last digit, in any order and grouping", () => {
    expect(addUp(["0.1", "0.2"])).toBe("0.3");
    expect(addUp([])).toBe("0");
    expect(addUp(["99.99", "0.01"])).toBe("100");
    fc.assert(
      fc.property(fc.array(amounts), fc.nat(20), (given, at) => {
        const sum = addUp(given);
        expect(unitsOf(sum)).toBe(given.reduce((all, amount) => all + unitsOf(amount), 0n));
        expect(addUp([addUp(given.slice(at)), ...given.slice(0, at).toReversed()])).toBe(sum);
      }),
    );
  });

  test("of a column are shown and written whole, with as many decimals, of which a comma makes no thousands", () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1 }), (given) => {
        const column = [...given, addUp(given)];
        const decimals = decimalsOf(column);
        for (const amount of column)
          for (const text of [formatAmount(amount, decimals).replaceAll(",", ""), writeAmount(amount, decimals)]) {
            expect(unitsOf(text)).toBe(unitsOf(amount));
            expect(text).not.toMatch(/[.]\d{3}$/);
            expect(text.split(".")[1]).toHaveLength(decimals);
          }
      }),
    );
    expect([writeAmount("12.345"), writeAmount("7"), formatAmount("1234.5", 2)]).toEqual([
      "12.3450",
      "7.00",
      "1,234.50",
    ]);
  });

  test.each([
    ["0", "0.00 USD"],
    ["0.00420", "0.0042 USD"],
    ["0.5", "0.50 USD"],
    ["0.00001", "0.00001 USD"],
    ["0.000000014", "0.00000001 USD"],
    ["1234.567", "1,234.57 USD"],
    ["0.999999999999999999", "1.00 USD"],
    ["1.005", "1.01 USD"],
    ["12345678901234567.89", "12,345,678,901,234,567.89 USD"],
  ])("an amount %s is shown as %s", (amount, shown) => {
    expect(formatMoney({ currency: "USD", amount })).toBe(shown);
  });

  test.each([
    ["112", "100", "12 % more than"],
    ["88.004", "100", "12 % less than"],
    ["100.1", "100", "under 1 % more than"],
    ["0.3", "0.30", "as much as"],
    ["30", "0.01", "299,900 % more than"],
    ["0", "5", "100 % less than"],
    ["5", "0", undefined],
  ])("%s is compared with %s as %s", (amount, before, words) => {
    expect(comparedWith(amount, before)).toBe(words);
  });

  test("are shown as 0 only where they are 0", () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(10 ** 5), fc.nat(10 ** 9)), fc.integer({ min: 8, max: 12 }), (units, digits) => {
        const text = String(units).padStart(digits + 1, "0");
        const amount = `${text.slice(0, -digits)}.${text.slice(-digits)}`;
        const shown = Number.parseFloat(formatMoney({ currency: "USD", amount }).replaceAll(",", ""));
        expect(shown === 0).toBe(units === 0);
      }),
    );
  });
});
