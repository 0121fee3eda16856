import { expect, test } from "vitest";
import { readCursor, writeCursor } from "@/lib/core/keyset-page";

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
