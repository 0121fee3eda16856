import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ByteBudget } from "@/lib/media/byte-budget";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WAIT = { waitMs: 1_000 };

describe("a budget of 100 bytes", () => {
  test("gives what is free, and gives again what was released", async () => {
    const budget = new ByteBudget(100);
    const [one, other] = [budget.hold(), budget.hold()];
    expect(await one.take(60, WAIT)).toBe(true);
    expect(await other.take(40, WAIT)).toBe(true);
    one.release();
    expect(await other.take(60, WAIT)).toBe(true);
  });

  test("refuses what is not free within the wait, and keeps nothing of it", async () => {
    const budget = new ByteBudget(100);
    const [one, other, third] = [budget.hold(), budget.hold(), budget.hold()];
    await one.take(90, WAIT);
    const refused = other.take(20, WAIT);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await refused).toBe(false);
    expect(await third.take(10, WAIT)).toBe(true);
  });

  test("serves those who wait in the order of coming, also where a later one would fit", async () => {
    const budget = new ByteBudget(100);
    const [one, large, small] = [budget.hold(), budget.hold(), budget.hold()];
    await one.take(90, WAIT);
    const order: string[] = [];
    const waiting = [
      large.take(50, WAIT).then(() => order.push("large")),
      small.take(5, WAIT).then(() => order.push("small")),
    ];
    await vi.advanceTimersByTimeAsync(10);
    expect(order).toEqual([]);
    one.release();
    await Promise.all(waiting);
    expect(order).toEqual(["large", "small"]);
  });

  test("lets the next one in when the first in the queue gives up", async () => {
    const budget = new ByteBudget(100);
    const [one, large, small] = [budget.hold(), budget.hold(), budget.hold()];
    await one.take(90, WAIT);
    const refused = large.take(50, { waitMs: 100 });
    const granted = small.take(5, WAIT);
    await vi.advanceTimersByTimeAsync(100);
    expect([await refused, await granted]).toEqual([false, true]);
  });

  test("takes back what is granted to a holder that is gone", async () => {
    const budget = new ByteBudget(100);
    const [one, gone, third] = [budget.hold(), budget.hold(), budget.hold()];
    await one.take(100, WAIT);
    const late = gone.take(100, WAIT);
    gone.release();
    one.release();
    expect(await late).toBe(false);
    expect(await third.take(100, WAIT)).toBe(true);
    expect(await gone.take(1, WAIT)).toBe(false);
  });
});
