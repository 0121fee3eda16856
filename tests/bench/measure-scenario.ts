import type { Sql } from "postgres";
import { quantile } from "../faults/fault";
import { cpuMs, cpuMsWithEnded } from "../support/cpu-time";
import type { Length, Loads } from "./loads";
import { watchOthers } from "./machine";
import { REPLAYED_KEYS, type Scenario, SEND_TEXT, type Target } from "./scenarios";

/** The two servers, and their processes. */
export type Pair = {
  ours: Target;
  floor: Target;
  pids: { ours: number; floor: number; postgres: number };
};

export type Measured = {
  name: string;
  ours: Rounds;
  floor: Rounds;
  /** Of our throughput to the floor's, in the middle round. */
  ratio: number;
  /** Of our throughput to that of our sends in the same round, in the middle one. */
  timesSends?: number;
  statements: number;
  /** At half of our throughput, in milliseconds. */
  p50: number;
  p99: number;
  /** Cores that others used meanwhile. */
  others: number;
};

type Rounds = { perSecond: number; serverMs: number; postgresMs: number };
type Round = { calls: number; perSecond: number; serverMs: number; postgresMs: number };
type InTurn = { ours: Round; floor: Round; sends?: Round };
type Options = { loads: Loads; sql: Sql; rounds: number; seconds: number };

/** Calls are made ready for this many times what was reached before, so that a round does not run out of them. */
const SPARE = 1.5;
const FEWEST_CALLS = 2;
/** In a second, more than there ever are. */
const MAX_SENDS = 3_000;

/** One scenario on both servers in alternation, then ours at half load, then its statements one call after the other. */
export const measureScenario = async (pair: Pair, scenario: Scenario, options: Options): Promise<Measured> => {
  const { loads, sql } = options;
  const { ours, floor } = pair;
  const others = watchOthers();
  const expected = { ours: await warmUp(loads, scenario, ours), floor: await warmUp(loads, scenario, floor) };
  // A plan that was made while a table was empty may read every row of it; a database that has run for a minute has
  // counted its rows.
  await sql`analyze`;
  const rounds = await measureRounds(pair, scenario, { ...options, expected });
  const middle = middleBy(rounds, (round) => round.ours.perSecond / round.floor.perSecond);
  const times = await atHalfLoad(scenario, ours, { ...options, perSecond: middle.ours.perSecond });
  return {
    name: scenario.name,
    ours: { ...ofAll(rounds.map((round) => round.ours)), perSecond: middle.ours.perSecond },
    floor: { ...ofAll(rounds.map((round) => round.floor)), perSecond: middle.floor.perSecond },
    ratio: middle.ours.perSecond / middle.floor.perSecond,
    ...(scenario.isComparedWithSends ? { timesSends: timesSends(rounds) } : {}),
    statements: await countStatements(scenario, ours, options),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    others: others(),
  };
};

const measureRounds = async (
  pair: Pair,
  scenario: Scenario,
  { expected, ...options }: Options & { expected: { ours: number; floor: number } },
): Promise<InTurn[]> => {
  const rounds: InTurn[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const ours = await measureRound(pair, scenario, { ...options, target: pair.ours, expected: expected.ours });
    const floor = await measureRound(pair, scenario, { ...options, target: pair.floor, expected: expected.floor });
    if (!scenario.isComparedWithSends) rounds.push({ ours, floor });
    else {
      const sends = await measureRound(pair, SEND_TEXT, { ...options, target: pair.ours, expected: MAX_SENDS });
      rounds.push({ ours, floor, sends });
    }
  }
  return rounds;
};

/** Calls a second. The statuses and keys that are to be repeated exist afterwards. */
const warmUp = async (loads: Loads, scenario: Scenario, target: Target): Promise<number> => {
  if (scenario.firstStatus !== undefined)
    await loads.run(scenario, target, { calls: REPLAYED_KEYS, status: scenario.firstStatus });
  const { times, seconds } = await loads.run(scenario, target, { calls: scenario.warmUpCalls });
  return times.length / seconds;
};

const measureRound = async (
  { pids }: Pair,
  scenario: Scenario,
  { loads, target, expected, seconds }: Options & { target: Target; expected: number },
): Promise<Round> => {
  const calls = Math.ceil(expected * seconds * SPARE) + scenario.connections;
  const go = await loads.prepare(scenario, target, { calls, seconds });
  const usage = () => ({
    server: cpuMs(target.name === "ours" ? pids.ours : pids.floor),
    postgres: cpuMsWithEnded(pids.postgres),
  });
  const before = usage();
  const load = await go();
  const after = usage();
  const made = load.times.length;
  return {
    calls: made,
    perSecond: made / load.seconds,
    serverMs: after.server - before.server,
    postgresMs: after.postgres - before.postgres,
  };
};

const atHalfLoad = async (
  scenario: Scenario,
  target: Target,
  { loads, seconds, perSecond }: Options & { perSecond: number },
): Promise<number[]> => {
  const rate = perSecond / 2;
  const length: Length = { calls: Math.max(FEWEST_CALLS, Math.ceil(rate * seconds)), rate };
  return (await loads.run(scenario, target, length)).times;
};

const countStatements = async (scenario: Scenario, target: Target, { loads, sql }: Options): Promise<number> => {
  const { countedCalls: calls } = scenario;
  const go = await loads.prepare(scenario, target, { calls, connections: 1 });
  await sql`select pg_stat_statements_reset()`;
  await go();
  // What a sweep or the request log ran in the same moment, it ran a few times.
  const [row] = await sql<{ calls: string }[]>`
    select coalesce(sum(calls), 0) as calls from pg_stat_statements
    where query not like '%pg_stat_statements%' and calls * 2 >= ${calls}::int`;
  return Number(row?.calls) / calls;
};

const timesSends = (rounds: InTurn[]): number =>
  middleBy(
    rounds.map(({ ours, sends }) => ours.perSecond / (sends?.perSecond ?? Number.NaN)),
    (times) => times,
  );

/** CPU milliseconds per call, over all rounds. */
const ofAll = (rounds: Round[]) => {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
  const calls = sum((round) => round.calls);
  return { serverMs: sum((round) => round.serverMs) / calls, postgresMs: sum((round) => round.postgresMs) / calls };
};

/** The one in the middle, of an even number the lower. */
export const middleBy = <T>(items: T[], of: (item: T) => number): T => {
  const middle = items.toSorted((a, b) => of(a) - of(b))[Math.floor((items.length - 1) / 2)];
  if (middle === undefined) throw new Error("no rounds");
  return middle;
};
