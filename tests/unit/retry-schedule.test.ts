import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outcomeOf, RETRY_AFTER_SECONDS, readRetryAfter, secondsOfHold, secondsToRetry } from "@/lib/outgoing/outcome";

const random = fc.double({ min: 0, max: 1, noNaN: true });

describe("the pauses between attempts", () => {
  test("are about 75 hours in all, and never more than 20 % off", () => {
    const hours = RETRY_AFTER_SECONDS.reduce((sum, seconds) => sum + seconds, 0) / 3_600;
    expect(hours).toBeCloseTo(75.71, 2);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: RETRY_AFTER_SECONDS.length }), random, (attempts, chance) => {
        const pause = RETRY_AFTER_SECONDS[attempts - 1] ?? 0;
        const seconds = secondsToRetry({ attempts, random: chance }) ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(pause * 0.8 - 1e-6);
        expect(seconds).toBeLessThanOrEqual(pause * 1.2 + 1e-6);
      }),
    );
  });

  test("end after the last one, whatever Retry-After asks", () => {
    const attempts = RETRY_AFTER_SECONDS.length + 1;
    expect(secondsToRetry({ attempts, random: 0.5 })).toBeUndefined();
    expect(secondsToRetry({ attempts, retryAfter: 60, random: 0.5 })).toBeUndefined();
  });

  test("are at least what Retry-After asks, up to a day", () => {
    expect(secondsToRetry({ attempts: 1, retryAfter: 120, random: 0.5 })).toBe(120);
    expect(secondsToRetry({ attempts: 1, retryAfter: 10 ** 9, random: 0.5 })).toBe(86_400);
    expect(secondsToRetry({ attempts: 8, retryAfter: 1, random: 0.5 })).toBe(4 * 3_600);
  });

  test("an endpoint is held only after several failures in a row, and for a minute at most", () => {
    expect([0, 1, 2, 3, 4, 9, 100].map(secondsOfHold)).toEqual([0, 0, 0, 1, 2, 60, 60]);
  });
});

describe("Retry-After", () => {
  const now = new Date("2026-01-05T12:00:00Z");

  test.each([
    ["120", 120],
    [" 0 ", 0],
    ["Mon, 05 Jan 2026 12:00:30 GMT", 30],
    ["Mon, 05 Jan 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-5", undefined],
    ["1e9", undefined],
    [undefined, undefined],
  ])("%j is %j seconds", (value, seconds) => {
    expect(readRetryAfter(value, now)).toBe(seconds);
  });
});

describe("an attempt", () => {
  const first = { number: 1, replayedAfter: 0 };
  const answer = (statusCode: number | null, retryAfter?: number) => ({ statusCode, retryAfter });

  test("succeeds with any 2xx, and with nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), random, (statusCode, chance) => {
        const isGood = statusCode >= 200 && statusCode < 300;
        expect(outcomeOf(first, answer(statusCode), chance).state === "DELIVERED").toBe(isGood);
      }),
    );
    expect(outcomeOf(first, answer(null), 0.5).state).toBe("PENDING");
  });

  test("is a refusal of its event alone with any other answer than those that mean later, gone or a fault", () => {
    const refusals = [301, 307, 400, 401, 403, 404, 409, 413, 422, 451, 499];
    const others = [null, 200, 204, 408, 410, 425, 429, 500, 502, 503, 504, 599];
    const isRefused = (code: number | null) => outcomeOf(first, answer(code), 0.5).isRefused;
    expect(refusals.filter((code) => !isRefused(code))).toEqual([]);
    expect(others.filter(isRefused)).toEqual([]);
  });

  test("is the last after the whole schedule, counted from a replay where there was one", () => {
    const last = RETRY_AFTER_SECONDS.length + 1;
    expect(outcomeOf({ number: last, replayedAfter: 0 }, answer(500), 0.5).state).toBe("FAILED");
    expect(outcomeOf({ number: last, replayedAfter: 1 }, answer(500), 0.5).state).toBe("PENDING");
  });

  test("holds the endpoint where a 429 or 503 asks for it; 410 is for good", () => {
    expect(outcomeOf(first, answer(429, 90), 0.5)).toMatchObject({ holdSeconds: 90, waitSeconds: 90 });
    expect(outcomeOf(first, answer(503, 90), 0.5)).toMatchObject({ holdSeconds: 90 });
    expect(outcomeOf(first, answer(500, 90), 0.5)).toMatchObject({ holdSeconds: 0 });
    expect(outcomeOf(first, answer(410), 0.5)).toMatchObject({ state: "PENDING", isGone: true });
  });
});
