import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readContacts } from "@/lib/contacts/contact-file";
import { csvLine } from "@/lib/core/csv";

const people = (text: string) => readContacts(text).map((row) => ("phone" in row ? [row.phone, row.name] : row.reason));

describe("a file of contacts", () => {
  test.each<[string, string]>([
    ["without headings, number first", "447700900001,Ada\n447700900002,Bob\n"],
    ["with headings in any order", "Full name;Notes;Mobile\nAda;x;+44 7700 900001\nBob;;447700900002\n"],
    [
      "with tabs, Windows line ends and a byte order mark",
      "\uFEFFphone\tname\r\n447700900001\tAda\r\n447700900002\tBob",
    ],
    ["with quotes around everything", '"phone","name"\n"447700900001","Ada"\n"447700900002","Bob"'],
    ["with empty lines", "phone,name\n\n447700900001,Ada\n,\n447700900002,Bob\n\n"],
    ["as a spreadsheet guards numbers", "phone,name\n'+447700900001,Ada\n'447700900002,Bob"],
  ])("%s", (_name, text) => {
    expect(people(text)).toEqual([
      ["447700900001", "Ada"],
      ["447700900002", "Bob"],
    ]);
  });

  test("a name may hold separators, quotes and line breaks; none is no name", () => {
    expect(people('phone,name\n447700900001,"Love""lace, Ada\nCountess"\n447700900002,\n447700900003')).toEqual([
      ["447700900001", 'Love"lace, Ada\nCountess'],
      ["447700900002", null],
      ["447700900003", null],
    ]);
  });

  test("a row that cannot be taken has its number in a spreadsheet and the reason, and the others are taken", () => {
    const text = 'name,phone\n"Ada\nLovelace",447700900001\nBob,07700900002\n\nCid,\nDan,447700900004\n';
    const rows = readContacts(text);
    expect(rows.map(({ row }) => row)).toEqual([2, 3, 5, 6]);
    expect(rows.flatMap((row) => ("reason" in row ? [row.reason] : []))).toEqual([
      expect.stringContaining("national number"),
      "Phone is missing.",
    ]);
  });

  test("a name has 200 characters at most, whatever each of them is made of", () => {
    const [whole, tooLong] = ["🌺".repeat(200), "🌺".repeat(201)];
    expect(people(`phone,name\n447700900001,${whole}\n447700900002,${tooLong}`)).toEqual([
      ["447700900001", whole],
      "The name has more than 200 characters.",
    ]);
  });

  test("gives back what was written", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "B", " ", ",", ";", '"', "\n", "é", "🙂"), maxLength: 12 });
    const rows = fc.array(fc.tuple(fc.integer({ min: 10_000_000, max: 999_999_999 }), name), { maxLength: 8 });
    fc.assert(
      fc.property(rows, (given) => {
        const lines = given.map(([phone, name]) => csvLine([String(phone), name.trimStart()]));
        expect(people(["phone,name\r\n", ...lines].join(""))).toEqual(
          given.map(([phone, name]) => [String(phone), name.trim() || null]),
        );
      }),
    );
  });
});
