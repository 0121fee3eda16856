import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type PageCursor,
  type PagePlace,
  type PageStep,
  readCursor,
  readKeysetPage,
  writeCursor,
} from "@/lib/core/keyset-page";

const PER_PAGE = 3;
const row = (n: number): PageCursor => ({ createdAt: new Date(n * 1_000), id: `msg_${n}` });

/** A list of `count` rows, of which the newest has the highest number. */
const listOf = (count: number) => {
  const rows = Array.from({ length: count }, (_, n) => row(n));
  const read = async ({ direction, cursor, limit }: PageStep) => {
    const at = cursor?.createdAt.getTime();
    const beyond = rows.filter(({ createdAt }) =>
      at === undefined ? true : direction === "older" ? createdAt.getTime() < at : createdAt.getTime() > at,
    );
    return (direction === "older" ? beyond.reverse() : beyond).slice(0, limit);
  };
  return (place: PagePlace) => readKeysetPage(place, { perPage: PER_PAGE, read, cursorOf: (it) => it });
};

const idsOf = (rows: PageCursor[]) => rows.map(({ id }) => id);
const newestFirst = (count: number) => idsOf(Array.from({ length: count }, (_, n) => row(count - 1 - n)));

test("the way to older pages meets every row once, newest first, and ends; the way back shows the same pages", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 20 }), async (count) => {
      const pageAt = listOf(count);
      const pages = [await pageAt({})];
      for (let older = pages[0]?.older; older; older = pages.at(-1)?.older) pages.push(await pageAt({ older }));
      expect(idsOf(pages.flatMap(({ rows }) => rows))).toEqual(newestFirst(count));
      expect(pages.map(({ isFirst }) => isFirst)).toEqual(pages.map((_, i) => i === 0));
      for (const [i, page] of pages.entries()) {
        expect(page.newer === undefined).toBe(i === 0);
        if (page.newer)
          expect(idsOf((await pageAt({ newer: page.newer })).rows)).toEqual(idsOf(pages[i - 1]?.rows ?? []));
      }
    }),
  );
});

test("where less than a page is newer, the first page is shown whole", async () => {
  const page = await listOf(10)({ newer: row(8) });
  expect([idsOf(page.rows), page.isFirst, page.newer]).toEqual([["msg_9", "msg_8", "msg_7"], true, undefined]);
});

test("a place that nothing is beyond is an empty page, and not the first", async () => {
  expect(await listOf(2)({ older: row(0) })).toEqual({ rows: [], isFirst: false, newer: undefined, older: undefined });
});

test("a cursor survives the way through an address", () => {
  const cursor = { createdAt: new Date("2026-01-05T12:09:11.020Z"), id: "msg_01kd7x2m9q" };
  expect(readCursor(writeCursor(cursor))).toEqual(cursor);
});

test.each([
  undefined,
  "",
  "x",
  ["1", "2"],
  "1767614951020",
  "1767614951020-",
  "1767614951020-a b",
  `1-${"a".repeat(200)}`,
])("%s is no cursor", (text) => expect(readCursor(text)).toBeUndefined());
