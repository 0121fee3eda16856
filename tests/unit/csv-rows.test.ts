import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine } from "@/lib/core/csv";
import { readCsv, SEPARATORS } from "@/lib/core/csv-rows";

const cellsOf = (text: string) => readCsv(text).rows.map(({ cells }) => cells);
const PEOPLE = [
  ["phone", "name"],
  ["447700900001", "Ada"],
  ["447700900002", "Bob"],
];

describe("a CSV file", () => {
  test.each(SEPARATORS)("separated by %j, with any line ending, quotes and a byte order mark", (separator) => {
    for (const quote of ["", '"'])
      for (const end of ["\n", "\r\n", "\r"]) {
        const lines = PEOPLE.map((cells) => cells.map((cell) => quote + cell + quote).join(separator) + end);
        expect(readCsv(`\uFEFF${lines.join("")}`)).toMatchObject({
          separator,
          rows: PEOPLE.map((cells, at) => ({ row: at + 1, cells })),
        });
      }
  });

  test.each(["sep=|\r\n", "SEP=|\n", '"sep=|"\n'])("the line %j names the separator, and is no row", (line) => {
    expect(readCsv(`${line}a,b|c;d\n1,5|2;5`).rows).toEqual([
      { row: 1, cells: ["a,b", "c;d"] },
      { row: 2, cells: ["1,5", "2;5"] },
    ]);
  });

  test.each([
    ["decimal commas", "Name;Phone;Sum\nAda;447700900001;1,50\nBob;447700900002;2,50", ";"],
    ["names with commas", "Lovelace, Ada;447700900001\nKing, Bob;447700900002", ";"],
    ["a list of tags in one column", "447700900001,Ada,a;b\n447700900002,Bob,c;d", ","],
    ["notes above the headings", "Prices, of October; see below\n\nMarket,Price,Day\nDE,1,2\nFR,1,2", ","],
    ["rows of several lengths", "phone,name,note\n447700900001\n447700900002,Bob\n447700900003,Cid,a;b\n1,2,3", ","],
  ])("the separator is found beside %s", (_name, text, separator) => {
    expect(readCsv(text).separator).toBe(separator);
  });

  test("mixed line endings end a row each, and those in a cell do not", () => {
    expect(readCsv('a,b\r\n1,"x\r\ny"\n\n2,z\r3,w').rows).toEqual([
      { row: 1, cells: ["a", "b"] },
      { row: 2, cells: ["1", "x\ny"] },
      { row: 4, cells: ["2", "z"] },
      { row: 5, cells: ["3", "w"] },
    ]);
  });

  test("an address of several lines is one cell, whatever separators it has", () => {
    const text = 'phone,address\n447700900001,"12 High Street\nLondon, W1"\n447700900002,"1, Low Street\nLeeds, LS1"';
    expect(cellsOf(text).slice(1)).toEqual([
      ["447700900001", "12 High Street\nLondon, W1"],
      ["447700900002", "1, Low Street\nLeeds, LS1"],
    ]);
  });

  test.each([
    ['447700900001,"Ada', ["447700900001", '"Ada']],
    ['447700900001,Ada"', ["447700900001", 'Ada"']],
    ['447700900001,Ada "The Countess" King', ["447700900001", 'Ada "The Countess" King']],
    ['447700900001,"Ada "The Countess" King"', ["447700900001", 'Ada "The Countess" King']],
    ['447700900001,"', ["447700900001", '"']],
    ['"447700900001,Ada', ['"447700900001', "Ada"]],
    ['447700900001,""Ada"', ["447700900001", '"Ada']],
  ])("the quote of %s takes in no other row", (line, cells) => {
    for (const after of ["", '447700900003,"King, Cid"', '447700900003,"Cid\nKing"', '447700900003,"Cid'])
      expect(cellsOf(`phone,name\n${line}\n447700900002,Bob\n${after}`).slice(1, 3)).toEqual([
        cells,
        ["447700900002", "Bob"],
      ]);
  });

  test("has a row for each that was written, whatever quote is then put anywhere", () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", " ", ",", '"', "é") }).map((text) => `x${text.trim()}x`),
      fc.constantFrom("", "x\ny", '"', "447700900001"),
    );
    const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.nat(), (written, at) => {
        const filled = written.filter((cells) => cells.some((text) => text !== ""));
        const given = [["phone", "name", "note"], ...filled];
        const text = given.map((cells) => csvLine(cells).replace("\r\n", "\n")).join("");
        expect(readCsv(text, ",").rows.map(({ cells }) => cells)).toEqual(given);
        // After the last line it would be a line of its own.
        const place = at % text.length;
        const broken = `${text.slice(0, place)}"${text.slice(place)}`;
        // A line break that lost its quotes ends a row, as it does in every other line.
        const breaks = given.flat().filter((one) => one.includes("\n")).length;
        const { length } = readCsv(broken, ",").rows;
        expect(length).toBeGreaterThanOrEqual(given.length);
        expect(length).toBeLessThanOrEqual(given.length + breaks);
      }),
      { numRuns: 1_000 },
    );
  });

  test("without line breaks in cells has as many rows as lines, whatever quotes stand alone", () => {
    const cell = fc.constantFrom("", "44 7700 900001", '"', '"Ada', 'Ada"', 'A"da', '""Ada', '"A"da', "Ada", '"Ada"');
    const lines = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, (given) => {
        const full = given.map((cells) => [...cells, "447700900001"].join(","));
        expect(cellsOf(full.join("\n"))).toHaveLength(full.length);
      }),
      { numRuns: 1_000 },
    );
  });

  test("of millions of quotes is read in time that grows with its length", () => {
    const texts = ['1,"a\n', '1,""a\n', '1,"""\n', '"",""\n', '"""a\n'];
    for (const line of texts) readCsv(line.repeat(50_000));
    expect(readCsv(`1,"${"a".repeat(2_000_000)}\n2,b`).rows).toHaveLength(2);
    expect(readCsv(`1,"${'""'.repeat(500_000)}\n2,b`).rows).toHaveLength(2);
  });
});
