import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FullWindows } from "@/lib/limits/limiter";
import { WINDOW_MS } from "@/lib/limits/rate-limit";

/** Clocks are off by less than this share: 0.9 s in a window. */
const DRIFT = 0.001;
const LAST_SECOND_MS = 1_000;

const arrangement = fc.record({
  leftMs: fc.integer({ min: 1, max: WINDOW_MS }),
  onTheWayMs: fc.integer({ min: 0, max: 2_500 }),
  onTheWayBackMs: fc.integer({ min: 0, max: 2_500 }),
  drift: fc.double({ min: -DRIFT, max: DRIFT, noNaN: true }),
  /** When this process looks, after the answer. */
  laterMs: fc.integer({ min: 0, max: WINDOW_MS }),
});

describe("a limit that the store has found used up", () => {
  const at = (ms: number, wallMs = ms) => ({ monotonicMs: ms, wallMs });

  test("is said to be so at no moment after its window, whatever the way, the clock's pace, and one clock that fails", () => {
    const failure = fc.oneof(
      fc.constant({ sleptMs: 0, setBackMs: 0 }),
      fc.record({ sleptMs: fc.integer({ min: 0, max: WINDOW_MS }), setBackMs: fc.constant(0) }),
      fc.record({ sleptMs: fc.constant(0), setBackMs: fc.integer({ min: -WINDOW_MS, max: WINDOW_MS }) }),
    );
    fc.assert(
      fc.property(arrangement, failure, (given, { sleptMs, setBackMs }) => {
        const { leftMs, onTheWayMs, onTheWayBackMs, drift, laterMs } = given;
        const pace = 1 + drift;
        const overAtMs = onTheWayMs + leftMs;
        const answeredAtMs = onTheWayMs + onTheWayBackMs;
        const windows = new FullWindows();
        windows.remember("a", { resetInMs: leftMs, asked: at(0), answered: at(answeredAtMs * pace) });
        const nowMs = answeredAtMs + laterMs;
        const seen = windows.resetInMs("a", {
          monotonicMs: (nowMs - Math.min(sleptMs, laterMs)) * pace,
          wallMs: nowMs * pace - setBackMs,
        });
        if (seen !== undefined) expect(nowMs).toBeLessThan(overAtMs);
      }),
    );
  });

  test("is known until the last second of its window, with a wait that lasts at least until its end", () => {
    fc.assert(
      fc.property(arrangement, ({ leftMs, onTheWayMs, onTheWayBackMs, laterMs }) => {
        const answeredAtMs = onTheWayMs + onTheWayBackMs;
        const windows = new FullWindows();
        windows.remember("a", { resetInMs: leftMs, asked: at(0), answered: at(answeredAtMs) });
        const nowMs = answeredAtMs + laterMs;
        const seen = windows.resetInMs("a", at(nowMs));
        expect(seen !== undefined).toBe(nowMs < leftMs - LAST_SECOND_MS);
        if (seen !== undefined) {
          expect(nowMs + seen).toBeGreaterThanOrEqual(onTheWayMs + leftMs);
          expect(nowMs + seen).toBe(answeredAtMs + leftMs);
        }
      }),
    );
  });

  test("is not that of another id, and makes room in a bounded memory, the one asked for last of all", () => {
    const windows = new FullWindows(2);
    const full = { resetInMs: WINDOW_MS, asked: at(0), answered: at(0) };
    for (let i = 0; i < 100; i++) {
      windows.remember("busy", full);
      windows.remember(`other ${i}`, full);
      expect(windows.resetInMs("busy", at(i))).toBe(WINDOW_MS - i);
    }
    expect(windows.resetInMs("other 98", at(0))).toBeUndefined();
    expect(windows.resetInMs("other 99", at(0))).toBe(WINDOW_MS);
    expect(windows.resetInMs("never", at(0))).toBeUndefined();
  });
});
