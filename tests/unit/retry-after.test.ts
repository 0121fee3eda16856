import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryAfterSeconds } from "@/lib/whatsapp/errors";

const NOW = Date.parse("2026-11-22T12:00:00Z");
/** The headers of an answer that is to be retried at one time, by a clock of its own. */
const dated = (afterMs: number, clockMs?: number) => ({
  "retry-after": http(NOW + afterMs),
  ...(clockMs === undefined ? {} : { date: http(NOW + clockMs) }),
});
const http = (ms: number) => new Date(ms).toUTCString();
const usage = (...minutes: unknown[]) => ({
  "x-business-use-case-usage": JSON.stringify({
    "102": minutes.map((estimated_time_to_regain_access) => ({ type: "messages", estimated_time_to_regain_access })),
  }),
});

describe("Retry-After", () => {
  test.each([
    ["seconds", { "retry-after": "17" }, 17],
    ["zero seconds, which is at once", { "retry-after": "0" }, 1],
    ["a date", dated(90_000), 90],
    ["a date in the past", dated(-90_000), 1],
    ["a date by the answer's own clock, an hour ahead", dated(3_660_000, 3_600_000), 60],
    ["a date by the answer's own clock, an hour behind", dated(-3_540_000, -3_600_000), 60],
    ["a date beside a Date that is none", { ...dated(5_000), date: "yesterday" }, 5],
    ["minutes of the usage header", usage(5, 2), 300],
    ["a minute and a half", usage(1.5), 90],
    ["seconds before the usage header", { ...usage(5), "retry-after": "3" }, 3],
    ["a word beside the usage header", { ...usage(5), "retry-after": "soon" }, 300],
  ] as const)("%s", (_, headers, seconds) => {
    expect(retryAfterSeconds(headers, NOW)).toBe(seconds);
  });

  test.each([
    ["nothing", {}],
    ["a word", { "retry-after": "soon" }],
    ["a number with a sign", { "retry-after": "-5" }],
    ["a fraction", { "retry-after": "1.5" }],
    ["a date of another form", { "retry-after": "2026-11-22T12:01:00Z" }],
    ["a date that does not exist", { "retry-after": "Mon, 99 Foo 2026 12:00:00 GMT" }],
    ["usage without a wait", usage(0, null, "soon")],
    ["usage that is no JSON", { "x-business-use-case-usage": "{" }],
  ])("%s asks for no wait", (_, headers) => {
    expect(retryAfterSeconds(headers, NOW)).toBeNull();
  });

  test("whatever the headers say, it is null or a whole number from 1 on", () => {
    const value = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(value, value, value, (after, date, used) => {
        const seconds = retryAfterSeconds({ "retry-after": after, date, "x-business-use-case-usage": used }, NOW);
        expect(seconds === null || (Number.isInteger(seconds) && seconds >= 1)).toBe(true);
      }),
    );
  });
});
