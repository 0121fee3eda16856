import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TERRITORIES } from "@/lib/core/country";
import { ALL_COUNTRIES, countryName } from "@/lib/core/country-name";
import { csvLine } from "@/lib/core/csv";
import { decimalMarkOf, effectiveDaysIn, readPrice } from "@/lib/costs/card-values";
import { readMarket } from "@/lib/costs/markets";
import { MAX_CARD_CHARACTERS, readRateCard } from "@/lib/costs/rate-card";

const HEAD = "country,category,price,currency,valid from";
const ROW = "BR,utility,0.0068,USD,2026-10-01";
const read = (...rows: string[]) => readRateCard([HEAD, ...rows].join("\n"));
const PRICE = { isRegional: false, category: "utility", validFrom: "2026-10-01", price: "0.0068", currency: "USD" };

describe("a rate card", () => {
  test("has a price for each country and category, from a day on", () => {
    const ofGermany = { country: "DE", category: "authentication_international", price: "1", currency: "EUR" };
    expect(
      read(ROW, "de,Authentication-International,1,eur,2026-01-01", "Other,MARKETING,0.06,USD,2026-10-01"),
    ).toMatchObject({
      rates: [
        { ...PRICE, country: "BR" },
        { ...ofGermany, isRegional: false, validFrom: "2026-01-01" },
        { ...PRICE, country: "*", category: "marketing", price: "0.06" },
      ],
      faults: [],
    });
  });

  test.each([
    `\uFEFFValid From;Currency;Price;Pricing category;Market;Note\r\n\r\n"2026-10-01";USD;0.0068;utility;"Brazil";x\r\n`,
    `${HEAD}\r${ROW}\r`,
  ])("takes columns in any order, other separators and line ends, quotes, a mark and empty rows: %j", (text) => {
    expect(readRateCard(text)).toMatchObject({ rates: [{ ...PRICE, country: "BR" }], faults: [] });
  });

  test.each([
    [`${HEAD}\n${ROW}\nDE,utility,0.1,USD,"2026-10-01\nFR,utility,0.1,USD,2026-10-01`, 3, "must be a day"],
    [`${HEAD}\n${ROW}\n"`, 3, "is missing"],
    [`"${HEAD}\n${ROW}`, 1, 'Heading "country" is missing'],
  ])("with a quote that is never closed has no prices", (text, row, reason) => {
    const faults = [{ row, reason: expect.stringContaining(reason) }];
    expect(readRateCard(text)).toEqual({ rates: [], rows: [], faults });
  });

  test("a region's price is that of each of its countries, and gives way to a country's own", () => {
    const region = "Rest of Western Europe,utility,0.01,USD,2026-10-01";
    const { rates, faults } = read(region, "AT,utility,0.02,USD,2026-10-01");
    expect(faults).toEqual([]);
    const ofAustria = rates.filter(({ country }) => country === "AT");
    expect(ofAustria.map(({ isRegional, price }) => `${isRegional} ${price}`)).toEqual(["true 0.01", "false 0.02"]);
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

  test("says all that is wrong with a row", () => {
    const { faults } = read("Nowhere,utilities,free,BTC,01.10.2026", "BR,,1,,2026-10-01", ROW);
    const everything = /"Nowhere" .*"BTC" .*"01\.10\.2026" .*"utilities" .*"free" must be a number/;
    expect(faults).toEqual([
      { row: 2, reason: expect.stringMatching(everything) },
      { row: 3, reason: "The category is missing. The currency is missing." },
    ]);
    const published = readRateCard(
      "Market,Currency,Valid from,Marketing,Utility\nNowhere,XX,soon,free,none\nBrazil,,2026-10-01,0.1,n/a\nNote,,,,",
    );
    expect(published.faults).toEqual([
      { row: 2, reason: expect.stringMatching(/"Nowhere" .*"XX" .*"soon" .*"free" must be/) },
      { row: 3, reason: "The currency is missing." },
    ]);
  });

  test("names each row to fix, and the row that a repeated price stands in", () => {
    const repeated = "Brazil,Utility,2,EUR,2026-10-01";
    const { faults } = read(ROW, "x,utility,1,USD,2026-10-01", repeated, "BR,y,1,USD,2026-10-01");
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
        expect(readRateCard(`${HEAD}\r\n${rows.join("")}`)).toMatchObject({
          rates: rates.map((one) => ({ ...one, isRegional: false })),
          faults: [],
        });
      }),
    );
  });

  test("of any text never throws, and has prices or faults", () => {
    const words = ["BR", "utility", "0.1", "USD", "2026-10-01", "Other", '"', "=1+1"];
    const cell = fc.oneof(fc.string(), fc.constantFrom(...words));
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

/** Made-up prices in the layout of WhatsApp's list: market, then the prices of the five categories. */
const PUBLISHED: [market: string, ...prices: (string | null)[]][] = [
  ["Brazil", "0.0611", "0.0066", "0.0066", null, null],
  ["India", "0.0117", "0.0013", "0.0013", "0.027", null],
  ["Türkiye", "0.0108", "0.0089", "0.0089", null, null],
  ["North America", "0.0245", "0.0033", "0.0033", null, null],
  ["Rest of Africa", "0.0224", "0.0041", "0.0041", null, null],
  ["Rest of Asia Pacific", "0.0731", "0.0112", "0.0112", null, null],
  ["Rest of Central & Eastern Europe", "0.0859", "0.0211", "0.0211", null, null],
  ["Rest of Latin America", "0.0739", "0.0112", "0.0112", null, null],
  ["Rest of Middle East", "0.034", "0.009", "0.009", null, null],
  ["Rest of Western Europe", "0.0591", "0.017", "0.017", null, null],
  ["Other", "1234.5", "0.0076", "0.0076", null, null],
];
const COLUMNS = ["marketing", "utility", "authentication", "authentication_international", "service"];
const published = (currency: string) =>
  PUBLISHED.flatMap(([market, ...prices]) =>
    prices.flatMap((price, at) =>
      (readMarket(market)?.countries ?? []).flatMap((country) => {
        const isRegional = /^(Rest|North)/.test(market);
        const rate = { country, isRegional, category: COLUMNS[at], price, currency, validFrom: "2026-10-01" };
        return price === null ? [] : [rate];
      }),
    ),
  );

type Dialect = { separator: string; mark: "." | ","; isGrouped: boolean; currency: string; end: string; start: string };
const fileOf = ({ separator, mark, isGrouped, currency, end, start }: Dialect): string => {
  const number = (price: string) => {
    const [whole = "", rest] = price.split(".");
    const grouped = isGrouped ? whole.replace(/(?=(\d{3})+$)(?!^)/g, mark === "." ? "," : ".") : whole;
    return rest === undefined ? grouped : grouped + mark + rest;
  };
  const cell = (text: string) => (/["\n]/.test(text) || text.includes(separator) ? `"${text}"` : text);
  const row = (...cells: string[]) => cells.map(cell).join(separator);
  const note = (text: string) => row(text, ...Array(6).fill(""));
  return `${start}${[
    note(`Cost per message in ${currency === "$US" ? "USD" : currency}, effective October 1, 2026`),
    note("Note: Authentication-International applies in India. See the documentation for more."),
    row("Market", "Currency", "Marketing", "Utility", "Authentication", "Authentication-\nInternational", "Service"),
    ...PUBLISHED.map(([market, ...prices]) =>
      row(market, currency, ...prices.map((price) => (price ? number(price) : "n/a"))),
    ),
    "",
    note("* WhatsApp may change these prices."),
  ].join(end)}`;
};

describe("a card as WhatsApp publishes it", () => {
  const PLAIN: Dialect = { separator: ",", mark: ".", isGrouped: false, currency: "$US", end: "\n", start: "" };
  const GERMAN = { separator: ";", mark: "," } as const;
  test.each<[string, Partial<Dialect>]>([
    ["as it is", {}],
    ["with grouped thousands", { isGrouped: true }],
    ["as a spreadsheet saves it", { start: "\uFEFF", end: "\r\n", isGrouped: true }],
    ["with semicolons and decimal commas", { ...GERMAN, currency: "EUR", end: "\r\n" }],
    ["with semicolons, decimal commas and grouped thousands", { ...GERMAN, isGrouped: true, currency: "€" }],
    ["with tabs", { separator: "\t", currency: "INR" }],
    ["with tabs and decimal commas", { separator: "\t", mark: ",", currency: "₹", isGrouped: true }],
    ["with commas and decimal commas in quotes", { mark: ",", currency: "BRL" }],
    ["with a line that names the separator", { ...GERMAN, currency: "R$", start: "sep=;\r\n", end: "\r\n" }],
  ])("is read %s", (_, dialect) => {
    const given = { ...PLAIN, ...dialect };
    const { rates, rows, faults } = readRateCard(fileOf(given));
    expect(faults).toEqual([]);
    const codes: Record<string, string> = { $US: "USD", "€": "EUR", "₹": "INR", R$: "BRL" };
    expect(rates).toEqual(published(codes[given.currency] ?? given.currency));
    expect(rows.filter(({ isRead }) => isRead).map(({ given }) => given)).toEqual(PUBLISHED.map(([market]) => market));
    expect(rows.filter(({ isRead }) => !isRead).map(({ outcome }) => outcome)).toEqual([
      "A note above the table.",
      "A note above the table.",
      "A note.",
    ]);
  });

  test("says what each row was read as", () => {
    const { rows } = readRateCard(
      "Market,Currency,Marketing,Utility\nNorth America,USD,0.02,0.003\nOther,USD,1,n/a\nChile,USD,n/a,-\nSee below,,,",
    );
    const outcome = "Canada, United States: marketing 0.02, utility 0.003 USD";
    expect(rows).toEqual([
      { row: 2, given: "North America", isRead: true, outcome },
      { row: 3, given: "Other", isRead: true, outcome: "All other countries: marketing 1 USD" },
      { row: 4, given: "Chile", isRead: false, outcome: "It has no price." },
      { row: 5, given: "See below", isRead: false, outcome: "A note." },
    ]);
  });

  test.each([
    ["Gültig ab 01.10.2026", "two ways"],
    ["Effective 01/10/2026", "two ways"],
    ["effective from 1.10.2026", "two ways"],
    ["Rates as of: 01-10-26", "two ways"],
    ["Effective 10/1/26", "two ways"],
    ["Effective February 30, 2026", "cannot be read"],
    ["valid until September 30, 2026", "cannot be read"],
    ["October 1, 2026", "cannot be read"],
    ["Effective October 1", "cannot be read"],
    ["Effective 1st of Oct", "cannot be read"],
    ["Válido desde el 1 de octubre de 2026", "cannot be read"],
    ["Prices of Q4 2026", "cannot be read"],
    ["effective 20261001", "cannot be read"],
    ["2026年10月1日", "cannot be read"],
    ["سارية من ٠١/١٠/٢٠٢٦", "cannot be read"],
  ])("whose day is not read is refused, never taken for a card of any day: %s", (note, why) => {
    for (const lines of [
      [`"${note}",,`, "Market,Currency,Marketing", "Brazil,USD,0.06"],
      [",,", note.replace(",", "").replace(" ", ","), "Market,Currency,Marketing", "Brazil,USD,0.06"],
    ]) {
      const reason = expect.stringMatching(`^The day above the table .*${why}.* as 2026-10-01\\.$`);
      const faults = [{ row: expect.any(Number), reason }];
      expect(readRateCard(lines.join("\n"))).toEqual({ rates: [], rows: [], faults });
    }
  });

  test.each([
    "Market,Currency,Marketing\nBrazil,USD,0.06\nEffective 2026-10-01,,",
    'Market,Currency,Marketing\nBrazil,USD,0.06\n"* as of October 1, 2026",,',
    "Market,Currency,Start,Marketing\nBrazil,USD,2026-10-01,0.06",
    "Market,Currency,Marketing,Since 2026-10-01\nBrazil,USD,0.06,x",
  ])("with a day below its headings, but in no column of days, is refused: %j", (text) => {
    expect(readRateCard(text)).toMatchObject({
      rates: [],
      faults: [{ reason: expect.stringContaining("Write Effective 2026-10-01 above the table") }],
    });
  });

  test("with days in a column has one in each row, and notes name one day", () => {
    const column = "Market,Currency,Valid from,Marketing\nBrazil,USD,2026-10-01,0.06\nIndia,USD,,0.01";
    expect(readRateCard(column).faults).toEqual([{ row: 3, reason: "The valid from is missing." }]);
    const notes = "Effective July 1 2026\nEffective October 1 2026\nMarket,Currency,Marketing\nBrazil,USD,0.06";
    expect(readRateCard(notes).faults).toEqual([{ row: 1, reason: expect.stringContaining("several days") }]);
  });

  test("shows of any cell what can be stored: no control character, and 200 characters at most", () => {
    const cell = fc.string({ unit: "binary", minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(cell, (text) => {
        const note = csvLine([`x\0\ud800${text.replace(/\p{Nd}/gu, "")}`, "", ""]);
        const { rows } = readRateCard(`${note}Market,Currency,Marketing\nBrazil,USD,0.06\n${note}`);
        expect(rows).toHaveLength(3);
        for (const { given } of rows) expect(given).toMatch(/^[^\p{Cc}\p{Cs}]{1,201}$/u);
      }),
    );
  });

  test.each([
    ...["Marketing 24 hours", "Prices may be rounded to 4 digits", "Prices per 1,000 messages, 2 decimals"],
    ...["n. 12/34", ""],
  ])("whose notes name no day is valid for any day: %j", (note) => {
    const card = `"${note}",,\nMarket,Currency,Marketing\nBrazil,USD,0.06`;
    for (const text of [card, ...(note ? [] : [card.slice(card.indexOf("Market"))])])
      expect(readRateCard(text).rates).toMatchObject([{ validFrom: "2000-01-01" }]);
  });

  test.each([
    ["Atlantis,USD,0.1,0.1", "no country and no region"],
    ["Brazil,USD,0.1,0.2.3", "must be a number"],
    ["Brazil,points,0.1,0.1", "is no currency"],
    [",USD,0.1,0.1", "The country is missing."],
    ["India,USD,0.3,0.1", "Row 2 has a price"],
  ])("with a row %s saves nothing and says why", (row, reason) => {
    const { rates, faults } = readRateCard(`Market,Currency,Marketing,Utility\nIndia,USD,0.1,0.2\n${row}`);
    expect(rates).toEqual([]);
    expect(faults).toEqual([{ row: 3, reason: expect.stringContaining(reason) }]);
  });
});

test.each([
  ["effective October 1, 2026", "2026-10-01"],
  ["Rates (Effective 1 July 2026)", "2026-07-01"],
  ["effective: Jan. 1st, 2027", "2027-01-01"],
  ["valid from 2026-10-01", "2026-10-01"],
  ["effective as of September 30 2026.", "2026-09-30"],
  ["Effective date: October 1, 2026", "2026-10-01"],
  ["Effective on October 1, 2026", "2026-10-01"],
  ["Effective since 2026-10-01", "2026-10-01"],
  ["Effective date 2026-10-01", "2026-10-01"],
  ["Effective 1-Oct-2026", "2026-10-01"],
  ["Effective Oct-1-2026", "2026-10-01"],
  ["valid 2026/10/01", "2026-10-01"],
  ["valid from 2026.10.1", "2026-10-01"],
  ["Rates starting October 1, 2026", "2026-10-01"],
  ["Gültig ab 2026-10-01", "2026-10-01"],
  ["Rates as of 2026-10-01", "2026-10-01"],
  ["Effective prices, valid from October 1, 2026", "2026-10-01"],
  ["valid until September 30, 2026", undefined],
  ["invalid 2026-10-01", undefined],
  ["effective February 30, 2026", undefined],
  ["effective soon", undefined],
  ["October 1, 2026", undefined],
])("a note %j names the day %j", (note, day) => {
  expect(effectiveDaysIn(note)).toEqual(day === undefined ? [] : [day]);
});

test.each([
  ["0,0625 | 1.234", "0.0625 | 1234"],
  ["0.0625 | 1,234", "0.0625 | 1234"],
  ["1,234", "1234"],
  ["1.234", "1.234"],
  ["1,234,567 | 5", "1234567 | 5"],
  ["1.234.567", "1234567"],
  ["12 345,5 | 0,1", "12345.5 | 0.1"],
  ["1’234.50", "1234.50"],
  ["0.1 | 0,1", "0.1 | none"],
  ["1,23,456 | 0.1", "none | 0.1"],
  ["-1 | 1e3 |  | .", "none | none | none | none"],
])("the prices %s of one card are %s", (given, expected) => {
  const prices = given.split(" | ");
  const mark = decimalMarkOf(prices);
  expect(prices.map((price) => readPrice(price, mark) ?? "none").join(" | ")).toBe(expected);
});

test.each([
  ["GG", "GB"],
  ["JE", "GB"],
  ["IM", "GB"],
  ["VA", "IT"],
  ["YT", "RE"],
  ["AX", "FI"],
  ["SJ", "NO"],
  ["CX", "AU"],
  ["EH", "MA"],
  ["GB", undefined],
  ["CA", undefined],
  ["BS", undefined],
  ["DO", undefined],
  ["KZ", undefined],
])("the territory %s takes the row of %s", (territory, country) => {
  expect(TERRITORIES.get(territory)).toBe(country);
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
