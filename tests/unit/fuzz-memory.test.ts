import { describe, expect, test } from "vitest";
import { judgeMemory, type MemorySample } from "../fuzz/memory";

/** A sample every 5,000 requests, as `npm run test:fuzz` takes them; `at` says what is held after so many. */
const run = (runs: number, at: (runs: number) => Omit<MemorySample, "runs">): MemorySample[] =>
  Array.from({ length: runs / 5_000 + 1 }, (_, i) => ({ runs: i * 5_000, ...at(i * 5_000) }));
const warmed = (runs: number) => (runs === 0 ? 35 : 64);

describe("the memory of a fuzzed server is flat", () => {
  test("where it grew while it warmed up, and swings", () => {
    const samples = run(200_000, (runs) => ({
      heapMebibytes: warmed(runs) + (runs % 3),
      residentMebibytes: 3 * warmed(runs) + (runs % 7) * 5,
    }));
    expect(judgeMemory(samples)?.isFlat).toBe(true);
  });
});

describe("it is not flat", () => {
  test("where each request leaves 100 bytes of heap behind", () => {
    const samples = run(200_000, (runs) => ({
      heapMebibytes: warmed(runs) + (runs * 100) / 2 ** 20,
      residentMebibytes: 210,
    }));
    expect(judgeMemory(samples)?.isFlat).toBe(false);
  });

  test("where the heap stays and the process grows", () => {
    const samples = run(60_000, (runs) => ({ heapMebibytes: warmed(runs), residentMebibytes: 200 + runs / 500 }));
    expect(judgeMemory(samples)?.isFlat).toBe(false);
  });
});

test("a run that ends before a server is warm reveals nothing", () => {
  expect(judgeMemory(run(20_000, (runs) => ({ heapMebibytes: runs, residentMebibytes: runs })))).toBeUndefined();
});
