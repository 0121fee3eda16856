import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadline } from "@/lib/core/deadline";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const late = () => new Error("late");

test("what is left shrinks to nothing, and the sooner of two counts", async () => {
  const ms = fc.integer({ min: 1, max: 10_000 });
  await fc.assert(
    fc.asyncProperty(ms, ms, ms, async (first, second, passed) => {
      const deadline = Deadline.in(first).within(second);
      await vi.advanceTimersByTimeAsync(passed);
      const leftMs = Math.max(0, Math.min(first, second) - passed);
      expect(deadline.leftMs).toBeCloseTo(leftMs, 3);
      expect(deadline.isOver).toBe(leftMs === 0);
    }),
  );
});

test("an answer in time is the answer, also one that is a failure; a later one is not waited for", async () => {
  const answers = fc.record({ afterMs: fc.integer({ min: 1, max: 200 }), isGood: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(answers, async ({ afterMs, isGood }) => {
      const answer = new Promise<string>((resolve, reject) => {
        setTimeout(() => (isGood ? resolve("answer") : reject(new Error("refused"))), afterMs);
      });
      const outcome = Deadline.in(100)
        .bound(answer, late)
        .catch((error: Error) => error.message);
      await vi.advanceTimersByTimeAsync(300);
      if (afterMs !== 100) expect(await outcome).toBe(afterMs > 100 ? "late" : isGood ? "answer" : "refused");
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});

test("an answer that has arrived while this process was busy is read before the time counts as over", async () => {
  vi.useRealTimers();
  const answer = new Promise<string>((resolve) => setImmediate(() => resolve("answer")));
  const bound = Deadline.in(5).bound(answer, late);
  const untilMs = performance.now() + 30;
  while (performance.now() < untilMs);
  expect(await bound).toBe("answer");
});

test("what is stopped does not happen", async () => {
  const act = vi.fn();
  Deadline.in(10).after(act)();
  Deadline.in(20).after(act);
  await vi.advanceTimersByTimeAsync(15);
  expect(act).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(15);
  expect(act).toHaveBeenCalledOnce();
});
