// `npm run bench -- observed [--rounds 6 --seconds 4]`: our CPU for a send without metrics and traces, with each, and with
// both. The servers take turns in every round; read the ratios.
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { cpuMs } from "../support/cpu-time";
import { listenOnLoopback } from "../support/loopback";
import { middleBy } from "./measure-scenario";
import { startMeasuredWorld } from "./measured-world";
import { SEND_TEXT, type Target } from "./scenarios";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "6" }, seconds: { type: "string", default: "4" } },
});
const seconds = Number(values.seconds);
const MAX_IN_A_SECOND = 2_000;

const world = await startMeasuredWorld();
let exported = 0;
const collector = await listenOnLoopback(
  createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      exported += chunk.byteLength;
    });
    request.on("end", () => response.end("{}"));
  }),
);
const METRICS = { METRICS_TOKEN: "a-token-of-the-benchmark" };
const TRACES = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const SETTINGS = { plain: {}, metrics: METRICS, traces: TRACES, both: { ...METRICS, ...TRACES } };
const stops: (() => Promise<unknown>)[] = [collector.close];
try {
  const servers: { name: string; target: Target; pid: number; rounds: { cpu: number; perSecond: number }[] }[] = [];
  for (const [name, settings] of Object.entries(SETTINGS)) {
    const { url, pid, stop } = await world.startBeside(settings);
    stops.unshift(stop);
    const target = { ...world.pair.ours, url };
    await world.loads.run(SEND_TEXT, target, { calls: 1_000 });
    servers.push({ name, target, pid, rounds: [] });
  }
  await world.sql`analyze`;
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { target, pid, rounds } of round % 2 === 0 ? servers : servers.toReversed()) {
      const go = await world.loads.prepare(SEND_TEXT, target, { calls: MAX_IN_A_SECOND * seconds, seconds });
      const before = cpuMs(pid);
      const load = await go();
      rounds.push({
        cpu: (cpuMs(pid) - before) / load.times.length,
        perSecond: load.times.length / load.seconds,
      });
    }
  }
  const middle = (numbers: number[]) => middleBy(numbers, (number) => number);
  console.table(
    servers.map(({ name, rounds }) => ({
      name,
      "CPU ms a send": middle(rounds.map(({ cpu }) => cpu)).toFixed(3),
      "times plain": middle(rounds.map(({ cpu }, i) => cpu / (servers[0]?.rounds[i]?.cpu ?? Number.NaN))).toFixed(3),
      "sends/s": Math.round(middle(rounds.map(({ perSecond }) => perSecond))),
      "CPU ms, by round": rounds.map(({ cpu }) => cpu.toFixed(2)).join(" "),
    })),
  );
  console.log(`${(exported / 1_048_576).toFixed(1)} MiB of traces were exported.`);
} finally {
  for (const stop of stops) await stop();
  await world.stop();
}
