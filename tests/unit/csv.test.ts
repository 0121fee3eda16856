import fc from "fast-check";
import { expect, test } from "vitest";
import { csvDownload, csvLine } from "@/lib/csv";

test("quotes what would end a cell or a line, and nothing else", () => {
  expect(csvLine(["a", 'say "hi"', "1,5", "two\nlines", 7, null, new Date(0)])).toBe(
    'a,"say ""hi""","1,5","two\nlines",7,,1970-01-01T00:00:00.000Z\r\n',
  );
});

test("no text is a formula to a spreadsheet", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(csvLine([text])).not.toMatch(/^"?[=+\-@\t]/);
    }),
  );
});

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
