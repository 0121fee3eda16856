import { expect, test } from "vitest";
import { timeAgo } from "@/lib/core/date-format";

const now = new Date("2026-03-29T12:00:00Z");
const before = (ms: number) => timeAgo(new Date(now.getTime() - ms), now);

test.each([
  [0, "just now"],
  [59_999, "just now"],
  [60_000, "1 minute ago"],
  [3_599_999, "59 minutes ago"],
  [3_600_000, "1 hour ago"],
  [86_400_000 * 40, "40 days ago"],
  [-5_000, "just now"],
])("%i ms ago", (ms, words) => {
  expect(before(ms)).toBe(words);
});
