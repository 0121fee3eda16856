import { expect, test } from "vitest";
import { faultLines, fuzz, summary } from "../../fuzz/fuzz";
import { startFuzzTarget } from "../../fuzz/target";
import { forSuite } from "../../support/for-suite";

const RUNS = 2_000;
const WITHIN_MS = 8_000;
const LEAST = 100;
/** Always the same requests here; `npm run test:fuzz` tries new ones. */
const SEED = 20_261_120;

/**
 * A page or an action whose connection or statement took too long while five other test files had the machine: the log
 * names the time-out, the visitor reads 503. `npm run test:fuzz` has the machine alone and allows neither.
 */
const isOfBusyMachine = (line: string) =>
  /"DatabaseUnavailable","message":"no answer in time"|"57014"|"CONNECT_TIMEOUT"|^(page|action): status 503,/.test(
    line,
  );

const target = forSuite(() => startFuzzTarget());

test(`${RUNS} generated requests, or 8 s of them: no 5xx, every error in our shape, no fault in the log, no connection left`, async () => {
  const report = await fuzz({ runs: RUNS, seed: SEED, width: 12, withinMs: WITHIN_MS, least: LEAST, ...target });
  console.log(summary(report));
  expect(report.runs).toBeGreaterThanOrEqual(LEAST);
  expect(faultLines(report).filter((line) => !isOfBusyMachine(line))).toEqual([]);
});
