import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultLines, fuzz, summary } from "../fuzz/fuzz";
import { startFuzzTarget } from "../fuzz/target";

const RUNS = 2_000;
const WITHIN_MS = 20_000;

let target: Awaited<ReturnType<typeof startFuzzTarget>>;

beforeAll(async () => {
  target = await startFuzzTarget();
});
afterAll(() => target.stop());

test(`${RUNS} generated requests, or 20 s of them: no 5xx, every error in our shape`, async () => {
  const report = await fuzz({ runs: RUNS, seed: randomInt(2 ** 30), width: 12, withinMs: WITHIN_MS, ...target });
  console.log(summary(report));
  expect(report.runs).toBeGreaterThan(RUNS / 10);
  expect(faultLines(report)).toEqual([]);
}, 60_000);
