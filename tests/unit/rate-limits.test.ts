import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bindingLimit,
  type RateLimitState,
  rateLimitHeaders,
  retryAfterSeconds,
  WINDOW_MS,
} from "@/lib/limits/rate-limit";
import { ProcessWindow } from "@/lib/limits/upstash-limit";

const state = (given: Partial<RateLimitState>): RateLimitState => ({
  scope: "ip",
  isAllowed: true,
  limit: 100,
  remaining: 50,
  resetAtMs: 900_000,
  ...given,
});

describe("headers", () => {
  test("are of the limit that refuses, else of the one with the least left", () => {
    const ip = state({ remaining: 99 });
    const key = state({ scope: "key", limit: 300, remaining: 7 });
    expect(bindingLimit([ip, key])).toBe(key);
    const refusing = state({ isAllowed: false, remaining: 0 });
    expect(bindingLimit([state({ scope: "key", remaining: 0 }), refusing])).toBe(refusing);
    expect(rateLimitHeaders([ip, key], 0)).toEqual({
      "RateLimit-Limit": "300",
      "RateLimit-Remaining": "7",
      "RateLimit-Reset": "900",
      "RateLimit-Policy": '"ip";q=100;w=900, "key";q=300;w=900',
    });
    expect(rateLimitHeaders([], 0)).toEqual({});
  });

  test("after Retry-After the window is over, and a second before it was not", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: 900_000 }), (nowMs, leftMs) => {
        const seconds = retryAfterSeconds(state({ resetAtMs: nowMs + leftMs }), nowMs);
        expect(seconds * 1_000 >= leftMs && (seconds - 1) * 1_000 < leftMs).toBe(true);
      }),
    );
    expect(retryAfterSeconds(state({ resetAtMs: 0 }), 5_000)).toBe(1);
  });

  test("never name a span longer than a window, even where the clock was set back in mid-request", () => {
    expect(retryAfterSeconds(state({ resetAtMs: 3_600_000 + WINDOW_MS }), 0)).toBe(WINDOW_MS / 1_000);
  });
});

describe("ProcessWindow", () => {
  test("lets exactly the limit pass in each window, whatever the order of ids", () => {
    const calls = fc.array(
      fc.record({ id: fc.constantFrom("a", "b", "c"), nowMs: fc.integer({ min: 0, max: 3_999 }) }),
    );
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 5 }), (calls, limit) => {
        const window = new ProcessWindow(limit, 1_000);
        const passed = new Map<string, number>();
        for (const { id, nowMs } of calls.sort((a, b) => a.nowMs - b.nowMs)) {
          const taken = window.take(id, nowMs);
          const name = `${id} ${Math.floor(nowMs / 1_000)}`;
          const before = passed.get(name) ?? 0;
          expect(taken.isAllowed).toBe(before < limit);
          expect(taken.remaining).toBe(Math.max(0, limit - before - 1));
          expect(taken.resetAtMs - nowMs).toBeGreaterThan(0);
          passed.set(name, before + 1);
        }
      }),
    );
  });

  test("goes on from what the store has counted, and forgets it with the window", () => {
    const window = new ProcessWindow(10, 1_000);
    window.observe("a", 8, 0);
    window.observe("a", 3, 0);
    expect(window.take("a", 0)).toMatchObject({ isAllowed: true, remaining: 1 });
    expect(window.take("a", 1_000)).toMatchObject({ isAllowed: true, remaining: 9 });
  });

  test("holds a bounded number of ids and never drops the one that is busy", () => {
    const window = new ProcessWindow(3, 1_000, 2);
    for (let i = 0; i < 100; i++) {
      window.take("busy", 0);
      window.take(`other ${i}`, 0);
    }
    expect(window.take("busy", 0).isAllowed).toBe(false);
  });
});
