import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { startEnvironment } from "../support/environment";
import { faultLines, fuzz, summary } from "./fuzz";
import { memoryWords } from "./memory";
import { startFuzzTarget } from "./target";

/** `npm run test:fuzz -- --runs N [--seed S] [--width W]`: exit code 1 for a 5xx, a wrong shape, or memory that grows. */
const { values } = parseArgs({
  options: { runs: { type: "string" }, seed: { type: "string" }, width: { type: "string" } },
});
const [runs, seed, width] = [
  Number(values.runs ?? 20_000),
  Number(values.seed ?? randomInt(2 ** 30)),
  Number(values.width ?? 24),
];

const stop = await startEnvironment();
const target = await startFuzzTarget();
const report = await fuzz({
  runs,
  seed,
  width,
  ...target,
  onRound: ({ perSecond, memory }) =>
    console.log(`${memory.runs} … ${Math.round(perSecond)}/s, ${memoryWords(memory)}`),
});
console.log(summary(report));
const faults = faultLines(report);
for (const fault of faults) console.error(`✗ ${fault}`);
await target.stop();
await stop();
process.exit(faults.length > 0 ? 1 : 0);
