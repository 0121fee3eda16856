// `npm run bench`: the built server against the floor in bare Node, in alternation in one run on one durable Postgres. The
// machine's noise hits both, so ratios are what to read. `-- --only calls,latency,workspaces,pages` leaves parts out, and
// smaller `--sends` and `--messages` make a shorter run; it says so.
import { parseArgs } from "node:util";
import { withProgress } from "../../scripts/progress.mjs";
import { cpuMs, ownCpuMs } from "../support/cpu-time";
import { measureAddedLatency } from "./added-latency";
import { measureBesidePages, signInOwner } from "./beside-pages";
import { fillHistory } from "./fill-history";
import { callGoals, type Goal, goalTable, latencyGoals, memoryGoals, pageGoals } from "./goals";
import { describeMachine, watchOthers } from "./machine";
import { type Measured, measureScenario } from "./measure-scenario";
import { startMeasuredWorld } from "./measured-world";
import { type Memory, readMemory } from "./memory";
import { measureOneAndSixteen } from "./one-and-sixteen";
import { besidePagesTable, callTables, latencyTable, memoryTable, oneAndSixteenTable, othersText } from "./results";
import { MEASURED } from "./scenarios";
import { expectNewStatuses } from "./seed-messages";

const WHOLE = {
  only: "calls,latency,workspaces,pages",
  sends: "100000",
  messages: "1000000",
  rounds: "3",
  seconds: "1",
};
const LIMIT_SECONDS = 360;

const option = (value: string) => ({ type: "string" as const, default: value });
const { values } = parseArgs({
  options: {
    only: option(WHOLE.only),
    sends: option(WHOLE.sends),
    messages: option(WHOLE.messages),
    rounds: option(WHOLE.rounds),
    seconds: option(WHOLE.seconds),
  },
});
const parts = values.only.split(",");
const startedAtMs = performance.now();
const goals: Goal[] = [];
const failures: string[] = [];

const world = await withProgress("Starting", startMeasuredWorld);
const { sql, loads, pair, platform, sixteen } = world;
try {
  console.log(`\n${await describeMachine(sql)}\n`);
  const pagesCpuMs = () => cpuMs(pair.pids.ours) - ownCpuMs(pair.pids.ours);
  const pagesCpuBefore = pagesCpuMs();
  const memory: Memory[] = [readMemory(pair.pids.ours, loads)];

  if (parts.includes("calls")) {
    const measured = await measureCalls();
    goals.push(...callGoals(measured));
    print(callTables(measured));
  }

  if (parts.includes("latency")) {
    const others = watchOthers();
    const latency = await withProgress("Added latency", () =>
      measureAddedLatency(loads, { ours: pair.ours, platform }),
    );
    goals.push(...latencyGoals(latency));
    print(latencyTable(latency), othersText(others()));
  }

  if (parts.includes("workspaces")) {
    const others = watchOthers();
    const onHalf = () => memory.push(readMemory(pair.pids.ours, loads));
    const order = { loads, sql, one: pair.ours, sixteen, sends: Number(values.sends), onHalf };
    const seen = await withProgress("One workspace and sixteen", () => measureOneAndSixteen(order));
    goals.push(...memoryGoals(memory));
    print(oneAndSixteenTable(seen), othersText(others()));
    print(memoryTable(memory));
  }
  const pagesCpuSeconds = (pagesCpuMs() - pagesCpuBefore) / 1_000;

  if (parts.includes("pages")) {
    const { databaseUrl, full, owner } = world;
    await withProgress(`${values.messages} messages`, () => fillHistory(databaseUrl, full, Number(values.messages)));
    const baseUrl = pair.ours.url.replace("127.0.0.1", "localhost");
    const visitor = { baseUrl, workspaceId: full.id, cookie: await signInOwner(baseUrl, owner) };
    const others = watchOthers();
    const beside = await withProgress("Sends beside pages", () => measureBesidePages(loads, pair.ours, visitor));
    goals.push(...pageGoals(beside));
    print(besidePagesTable(beside), othersText(others()));
  }

  print(goalTable(goals));
  print(notes(pagesCpuSeconds));
} finally {
  await world.stop();
}
const totalSeconds = Math.round((performance.now() - startedAtMs) / 1_000);
console.log(`${Math.floor(totalSeconds / 60)} min ${totalSeconds % 60} s in all${overTime(totalSeconds)}.`);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

/** A call that fails ends its own row; the others are worth having, and the run ends with the error. */
async function measureCalls(): Promise<Measured[]> {
  const measured: Measured[] = [];
  const options = { loads, sql, rounds: Number(values.rounds), seconds: Number(values.seconds) };
  for (const scenario of MEASURED)
    await withProgress(scenario.name, () => measureScenario(pair, scenario, options)).then(
      (row) => measured.push(row),
      (error: unknown) => failures.push(String(error)),
    );
  const statuses = sum(MEASURED, (one) => (one.statuses ?? 0) * loads.made(one, pair.ours));
  if (failures.length === 0) await expectNewStatuses(sql, statuses);
  return measured;
}

function sum<T>(items: T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function print(...texts: string[]): void {
  console.log(`\n${texts.join("\n")}\n`);
}

function notes(pagesCpuSeconds: number): string {
  const given: Record<string, string> = values;
  const cuts = Object.entries(WHOLE).filter(([name, whole]) => given[name] !== whole);
  const { ours, floor } = loads.generatorCores();
  return [
    `${values.rounds} rounds of ${values.seconds} s in alternation; the middle round by ratio, CPU of all rounds. 10 connections, webhooks`,
    "of 1: 32, of 1,000: 1. The 429 is a key's over its limit: the first from Postgres, the others from memory.",
    `The load generator used ${ours.toFixed(2)} cores at most on ours, ${floor.toFixed(2)} on the floor; the page process ${pagesCpuSeconds.toFixed(1)} s of CPU`,
    "before its own part.",
    ...cuts.map(([name, whole]) => `Other than the whole: --${name} ${given[name]} (whole: ${whole}).`),
  ].join("\n");
}

function overTime(seconds: number): string {
  return seconds > LIMIT_SECONDS ? `, ${seconds - LIMIT_SECONDS} s more than they should be` : "";
}
