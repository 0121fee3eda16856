import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGate } from "@/db/gate";

const LONG_MS = 60_000;

describe("a gate", () => {
  test("never has more inside than places, and admits everyone in the order of coming", async () => {
    const visits = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), visits, async (places, turns) => {
        const gate = createGate(places);
        const admitted: number[] = [];
        let inside = 0;
        let most = 0;
        await Promise.all(
          turns.map(async (count, visitor) => {
            const leave = await gate.enter(LONG_MS);
            admitted.push(visitor);
            inside += 1;
            most = Math.max(most, inside);
            for (let turn = 0; turn < count; turn++) await Promise.resolve();
            inside -= 1;
            leave?.();
          }),
        );
        expect(most).toBeLessThanOrEqual(places);
        expect(admitted).toEqual(turns.map((_, visitor) => visitor));
        expect(await gate.enter(0)).toBeDefined();
      }),
    );
  });

  test("turns away a request that waited too long, and does not admit them later", async () => {
    const gate = createGate(1);
    const leave = await gate.enter(LONG_MS);
    expect(await gate.enter(5)).toBeUndefined();
    const next = gate.enter(LONG_MS);
    leave?.();
    expect(await next).toBeDefined();
  });

  test("a place that is given back twice is one place", async () => {
    const gate = createGate(1);
    const leave = await gate.enter(LONG_MS);
    const [second, third] = [gate.enter(LONG_MS), gate.enter(LONG_MS)];
    leave?.();
    leave?.();
    expect(await second).toBeDefined();
    expect(await Promise.race([third, sleep(20, "waits")])).toBe("waits");
    (await second)?.();
    expect(await third).toBeDefined();
    (await third)?.();
  });
});
