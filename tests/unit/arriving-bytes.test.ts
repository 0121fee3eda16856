import fc from "fast-check";
import { expect, test } from "vitest";
import { ArrivingBytes } from "@/lib/core/arriving-bytes";

test("never holds more than its capacity, and the oldest that holds the average gives way", () => {
  const steps = fc.array(fc.record({ body: fc.nat(9), bytes: fc.integer({ min: 1, max: 40 }), ends: fc.boolean() }));
  fc.assert(
    fc.property(steps, (steps) => {
      const arriving = new ArrivingBytes(100);
      /** Those that are on their way, in the order of their first byte. */
      const held = new Map<number, number>();
      const arrivals = new Map<number, ReturnType<ArrivingBytes["begin"]>>();
      const over = new Set<number>();
      for (const { body, bytes, ends } of steps) {
        if (over.has(body)) continue;
        const arrival =
          arrivals.get(body) ??
          arriving.begin(() => {
            const sizes = [...held.values()];
            const average = sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
            expect([...held].find(([, size]) => size >= average)?.[0]).toBe(body);
            held.delete(body);
            over.add(body);
          });
        arrivals.set(body, arrival);
        held.set(body, (held.get(body) ?? 0) + bytes);
        arrival.take(bytes);
        expect([...held.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100);
        if (!ends) continue;
        arrival.end();
        held.delete(body);
        over.add(body);
      }
    }),
  );
});

test("what has ended, or given way, holds nothing and gives way no more", () => {
  const evicted: string[] = [];
  const arriving = new ArrivingBytes(10);
  const first = arriving.begin(() => evicted.push("first"));
  const second = arriving.begin(() => evicted.push("second"));
  first.take(10);
  first.end();
  first.take(10);
  second.take(10);
  expect(evicted).toEqual([]);
  second.take(1);
  second.take(10);
  expect(evicted).toEqual(["second"]);
  arriving.begin(() => evicted.push("third")).take(10);
  expect(evicted).toEqual(["second"]);
});

test("one that has sent nothing frees nothing, and stays", () => {
  const evicted: string[] = [];
  const arriving = new ArrivingBytes(10);
  const silent = arriving.begin(() => evicted.push("silent"));
  const slow = arriving.begin(() => evicted.push("slow"));
  slow.take(8);
  silent.take(1);
  arriving.begin(() => evicted.push("new")).take(8);
  expect(evicted).toEqual(["slow"]);
});

test("a small body stays where large ones arrive", () => {
  const evicted: string[] = [];
  const arriving = new ArrivingBytes(10);
  arriving.begin(() => evicted.push("small")).take(1);
  for (const name of ["first", "second", "third"]) arriving.begin(() => evicted.push(name)).take(6);
  expect(evicted).toEqual(["first", "second"]);
});
