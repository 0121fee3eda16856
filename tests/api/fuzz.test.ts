import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultLines, fuzz, summary } from "../fuzz/fuzz";
import { startFuzzTarget } from "../fuzz/target";

const RUNS = 2_000;

let target: Awaited<ReturnType<typeof startFuzzTarget>>;

beforeAll(async () => {
  target = await startFuzzTarget();
});
afterAll(() => target.stop());

test(`${RUNS} generated requests: no 5xx, every error in our shape`, async () => {
  const report = await fuzz({ runs: RUNS, seed: randomInt(2 ** 30), width: 12, ...target });
  console.log(summary(report));
  expect(faultLines(report)).toEqual([]);
}, 60_000);
