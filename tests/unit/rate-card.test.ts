import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALL_COUNTRIES, countryName } from "@/lib/core/country-name";
import { csvLine } from "@/lib/core/csv";
import { readMarket } from "@/lib/costs/markets";
import { MAX_CARD_CHARACTERS, readRateCard } from "@/lib/costs/rate-card";

const HEAD = "country,category,price,currency,valid from";
const ROW = "BR,utility,0.0068,USD,2026-10-01";
const read = (...rows: string[]) => readRateCard([HEAD, ...rows].join("\n"));
const PRICE = { isRegional: false, category: "utility", validFrom: "2026-10-01", price: "0.0068", currency: "USD" };

describe("a rate card", () => {
  test("has a price for each country and category, from a day on", () => {
    expect(
      read(ROW, "de,Authentication-International,1,eur,2026-01-01", "Other,MARKETING,0.06,USD,2026-10-01"),
    ).toEqual({
      rates: [
        { ...PRICE, country: "BR" },
        {
          country: "DE",
          isRegional: false,
          category: "authentication_international",
          price: "1",
          currency: "EUR",
          validFrom: "2026-01-01",
        },
        { ...PRICE, country: "*", category: "marketing", price: "0.06" },
      ],
      faults: [],
    });
  });

  test("takes its columns in any order, with other separators, quotes, a mark and empty rows", () => {
    const text =
      '\uFEFFValid From;Currency;Price;Pricing category;Market;Note\r\n\r\n"2026-10-01";USD;0.0068;utility;"Brazil";x\r\n';
    expect(readRateCard(text)).toEqual({ rates: [{ ...PRICE, country: "BR" }], faults: [] });
  });

  test("takes line endings of one carriage return", () => {
    expect(readRateCard(`${HEAD}\r${ROW}\r`)).toEqual({ rates: [{ ...PRICE, country: "BR" }], faults: [] });
  });

  test.each([
    [`${HEAD}\n${ROW}\nDE,utility,0.1,USD,"2026-10-01\nFR,utility,0.1,USD,2026-10-01`, 3, "must be a day"],
    [`${HEAD}\n${ROW}\n"`, 3, "is missing"],
    [`"${HEAD}\n${ROW}`, 1, 'Heading "country" is missing'],
  ])("with a quote that is never closed has no prices", (text, row, reason) => {
    expect(readRateCard(text)).toEqual({ rates: [], faults: [{ row, reason: expect.stringContaining(reason) }] });
  });

  test("a region's price is that of each of its countries, and gives way to a country's own", () => {
    const { rates, faults } = read(
      "Rest of Western Europe,utility,0.01,USD,2026-10-01",
      "AT,utility,0.02,USD,2026-10-01",
    );
    expect(faults).toEqual([]);
    expect(rates.filter(({ country }) => country === "AT").map(({ isRegional, price }) => [isRegional, price])).toEqual(
      [
        [true, "0.01"],
        [false, "0.02"],
      ],
    );
    expect(rates.map(({ country }) => country)).toEqual(["AT", "BE", "DK", "FI", "IE", "NO", "PT", "SE", "CH", "AT"]);
  });

  test.each([
    ["", "The file is empty."],
    ["  \n ;\n", "The file is empty."],
    [HEAD, "No prices below the headings."],
    ["country,price\nBR,1", 'Heading "category", "currency", "valid from" is missing. The first row must name'],
    [`${HEAD}\n${"x".repeat(MAX_CARD_CHARACTERS)}`, "The file has more than 250,000 characters."],
    [`${HEAD}\n${`${ROW}\n`.repeat(5_001)}`, "The file has more than 5,000 rows."],
  ])("without what it needs has one fault: %#", (text, reason) => {
    const { rates, faults } = readRateCard(text);
    expect(rates).toEqual([]);
    expect(faults).toEqual([{ row: expect.any(Number), reason: expect.stringContaining(reason) }]);
  });

  test.each([
    ["Atlantis,utility,0.01,USD,2026-10-01", '"Atlantis" is no country'],
    ["ZZ,utility,0.01,USD,2026-10-01", '"ZZ" is no country'],
    ["BR,utilities,0.01,USD,2026-10-01", '"utilities" is no category. Use marketing,'],
    ["BR,utility,$0.01,USD,2026-10-01", 'The price "$0.01" must be a number with a point'],
    ["BR,utility,-1,USD,2026-10-01", 'The price "-1" must'],
    ['BR,utility,"0,01",USD,2026-10-01', 'The price "0,01" must'],
    ["BR,utility,1e3,USD,2026-10-01", 'The price "1e3" must'],
    ["BR,utility,0.123456789,USD,2026-10-01", "must be a number"],
    ["BR,utility,0.01,BTC,2026-10-01", '"BTC" is no currency'],
    ["BR,utility,0.01,USD,01.10.2026", 'The date "01.10.2026" must be a day'],
    ["BR,utility,0.01,USD,2026-02-30", 'The date "2026-02-30" must be a day'],
    ["BR,utility,0.01,USD", "The valid from is missing."],
    [",utility,0.01,USD,2026-10-01", "The country is missing."],
  ])("with a row %s says why, and has no price at all", (row, reason) => {
    const { rates, faults } = read(ROW, row);
    expect(rates).toEqual([]);
    expect(faults).toEqual([{ row: 3, reason: expect.stringContaining(reason) }]);
  });

  test("names each row to fix, and the row that a repeated price stands in", () => {
    const { faults } = read(
      ROW,
      "x,utility,1,USD,2026-10-01",
      "Brazil,Utility,2,EUR,2026-10-01",
      "BR,y,1,USD,2026-10-01",
    );
    expect(faults.map(({ row }) => row)).toEqual([3, 4, 5]);
    expect(faults[1]?.reason).toContain("Row 2 has a price");
  });

  test("reads back what it is written from, whatever the order of its rows", () => {
    const rate = fc.record({
      country: fc.constantFrom(...ALL_COUNTRIES),
      category: fc.constantFrom("utility", "marketing", "service"),
      price: fc.integer({ min: 0, max: 10 ** 9 }).map((millionths) => (millionths / 10 ** 6).toFixed(6)),
      currency: fc.constantFrom("USD", "EUR", "INR"),
      validFrom: fc.constantFrom("2026-10-01", "2026-07-01"),
    });
    const card = fc.uniqueArray(rate, {
      minLength: 1,
      selector: ({ country, category, validFrom }) => `${country}${category}${validFrom}`,
    });
    fc.assert(
      fc.property(card, fc.boolean(), (rates, byName) => {
        const rows = rates.map(({ country, category, price, currency, validFrom }) =>
          csvLine([byName ? countryName(country) : country, category, price, currency, validFrom]),
        );
        expect(readRateCard(`${HEAD}\r\n${rows.join("")}`)).toEqual({
          rates: rates.map((one) => ({ ...one, isRegional: false })),
          faults: [],
        });
      }),
    );
  });

  test("of any text never throws, and has prices or faults", () => {
    const cell = fc.oneof(
      fc.string(),
      fc.constantFrom("BR", "utility", "0.1", "USD", "2026-10-01", "Other", '"', "=1+1"),
    );
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc
        .array(fc.array(cell, { maxLength: 6 }).map((cells) => cells.join(",")))
        .map((rows) => [HEAD, ...rows].join("\n")),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { rates, faults } = readRateCard(given);
        expect(rates.length > 0).toBe(faults.length === 0);
        for (const { reason } of faults) expect(reason.length).toBeLessThan(400);
      }),
    );
  });
});

test.each([
  ["br", ["BR"]],
  ["UK", ["GB"]],
  ["Côte d’Ivoire", ["CI"]],
  ["Ivory Coast", ["CI"]],
  ["Turkey", ["TR"]],
  ["Türkiye", ["TR"]],
  ["United Arab Emirates", ["AE"]],
  ["Hong Kong", ["HK"]],
  ["Czech Republic", ["CZ"]],
  ["other", ["*"]],
  ["*", ["*"]],
  ["North America", ["CA", "US"]],
  ["constructor", undefined],
  ["", undefined],
])("the market %s is %j", (given, countries) => {
  expect(readMarket(given)?.countries).toEqual(countries);
});

test("both spellings of a region are the same, and no country is in two", () => {
  const names = [
    "Africa",
    "Asia Pacific",
    "Central & Eastern Europe",
    "Western Europe",
    "Latin America",
    "Middle East",
  ];
  const regions = [...names.map((name) => `Rest of ${name}`), "North America"].map(readMarket);
  expect(readMarket("Rest of Central and Eastern Europe")).toEqual(regions[2]);
  const countries = regions.flatMap((region) => region?.countries ?? []);
  expect(new Set(countries).size).toBe(countries.length);
  expect(countries.filter((code) => !ALL_COUNTRIES.has(code))).toEqual([]);
});
