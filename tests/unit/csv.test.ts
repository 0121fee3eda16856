import fc from "fast-check";
import { expect, test } from "vitest";
import { csvDownload, csvLine } from "@/lib/core/csv";

test("quotes what would end a cell or a line, and nothing else", () => {
  expect(csvLine(["a", 'say "hi"', "1,5", "two\nlines", 7, null, new Date(0)])).toBe(
    'a,"say ""hi""","1,5","two\nlines",7,,1970-01-01T00:00:00.000Z\r\n',
  );
});

test.each([
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "＝1+1",
  "＋1",
  "－1",
  "＠SUM(A1)",
  "﹦1",
  "﹢1",
  "﹣1",
  "﹫x",
  "\t=1",
  "\r=1",
  "\n=1",
  "\r\n＝1",
  " =1",
  "\u00a0=1",
  "\u3000＝1",
  "\u200b=1",
  "\ufeff=1",
  "\0=1",
  "\tx",
  "\nx",
  "\rx",
])("the text %j begins with an apostrophe, in quotes where it needs them", (text) => {
  expect(csvLine([text])).toMatch(/^"?'/);
  expect(csvLine([text]).replaceAll('""', '"')).toContain(text);
});

test.each(["a=1", "1-2", "me@example.test", "a\n=1", "’=1", "", " ", "×1", "Ａ=1"])(
  "the text %j stays as it is",
  (text) => {
    expect(csvLine([text]).replace(/^"([\s\S]*)"\r\n$/, "$1\r\n")).toBe(`${text}\r\n`);
  },
);

test("no text is a formula to a spreadsheet, whatever its separator is, and each is read back as it was", () => {
  const sign = fc.constantFrom(..."=+-@＝＋－＠﹢﹣﹦﹫");
  const blank = fc.constantFrom(..."\t\r\n\v\f \0\u00a0\u200b\u2028\u3000\ufeff");
  const signed = fc
    .tuple(fc.array(blank), sign, fc.string({ unit: "binary" }))
    .map(([front, one, rest]) => [...front, one, rest].join(""));
  const separated = fc
    .tuple(fc.string(), fc.constantFrom(",", ";", "\t", "\n", '"'), signed)
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), signed, separated), (text) => {
      const line = csvLine([text]);
      for (const separator of [",", ";", "\t"]) {
        const cells = readCells(line, separator);
        expect(cells).toHaveLength(1);
        expect((cells[0] ?? "").normalize("NFKC")).not.toMatch(/^([\s\p{C}]*[=+\-@]|[\t\r\n])/u);
        expect([text, `'${text}`]).toContain(cells[0]);
      }
    }),
    { numRuns: 400 },
  );
});

/** As a spreadsheet reads one line of a file. */
const readCells = (line: string, separator: string): string[] => {
  const cells: string[] = [];
  for (let rest = line.replace(/\r\n$/, ""), isMore = true; isMore; ) {
    const [whole = "", quoted] = /^"((?:[^"]|"")*)"/.exec(rest) ?? [rest.split(separator, 1)[0]];
    cells.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    isMore = rest.length > whole.length;
    rest = rest.slice(whole.length + 1);
  }
  return cells;
};

test("a download asks for a page only when the one before was taken", async () => {
  let asked = 0;
  const pages = async function* () {
    for (; asked < 1_000; ) {
      asked += 1;
      yield [[asked]];
    }
  };
  const reader = csvDownload("numbers.csv", ["number"], pages()).body?.getReader();
  await reader?.read();
  await reader?.read();
  expect(asked).toBeLessThan(4);
  await reader?.cancel();
});

test("a download rests between its pages for as long as they took", async () => {
  let readingMs = 0;
  async function* pages() {
    for (let page = 0; page < 4; page++) {
      const beganAtMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 30));
      readingMs += performance.now() - beganAtMs;
      yield [[page]];
    }
  }
  const beganAtMs = performance.now();
  expect(await csvDownload("numbers.csv", ["number"], pages()).text()).toBe("number\r\n0\r\n1\r\n2\r\n3\r\n");
  // Timers count whole milliseconds.
  expect(performance.now() - beganAtMs).toBeGreaterThan(2 * readingMs - 5);
});
