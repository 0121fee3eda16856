import { tableOf } from "../support/table";
import type { AddedLatency } from "./added-latency";
import type { BesidePages } from "./beside-pages";
import type { Measured } from "./measure-scenario";
import type { Memory } from "./memory";
import * as scenarios from "./scenarios";

/** A figure beside what it must reach and what it should. */
export type Goal = { name: string; seen: number; must: number; goal: number; isAtMost?: boolean; digits?: number };

/** What was seen, beside must and goal, and by how much it missed them. */
export const goalTable = (goals: Goal[]): string =>
  tableOf(
    ["Goals", "seen", "must", "goal", "verdict"],
    goals.map(({ name, digits = 2, ...goal }) => {
      const sign = goal.isAtMost ? "≤" : "≥";
      const shown = (value: number) => value.toFixed(digits);
      return [name, shown(goal.seen), `${sign} ${shown(goal.must)}`, `${sign} ${shown(goal.goal)}`, verdictOf(goal)];
    }),
  );

const verdictOf = ({ seen, must, goal, isAtMost = false }: Omit<Goal, "name">): string => {
  if (Number.isNaN(seen)) return "not measured";
  const missedBy = (bound: number) => ((isAtMost ? seen - bound : bound - seen) / bound) * 100;
  if (missedBy(goal) <= 0) return "ok";
  if (missedBy(must) <= 0) return `goal missed by ${missedBy(goal).toFixed(0)} %`;
  return `MUST missed by ${missedBy(must).toFixed(0)} %`;
};

export const callGoals = (measured: Measured[]): Goal[] => {
  const of = ({ name }: scenarios.Scenario) => measured.find((one) => one.name === name);
  const ratio = (scenario: scenarios.Scenario, must: number, goal: number): Goal => ({
    name: `${scenario.name}: ratio`,
    seen: of(scenario)?.ratio ?? Number.NaN,
    must,
    goal,
  });
  const send = of(scenarios.SEND_TEXT)?.ours;
  const sends = (scenario: scenarios.Scenario): Goal => ({
    name: `${scenario.name}: times the send's`,
    must: 3,
    goal: 5,
    seen: of(scenario)?.timesSends ?? Number.NaN,
  });
  const cpu = { must: 1, goal: 0.7, isAtMost: true };
  return [
    ...[scenarios.SEND_TEXT, scenarios.SEND_TEMPLATE, scenarios.SEND_WITH_KEY].map((one) => ratio(one, 0.45, 0.6)),
    ratio(scenarios.REPLAY, 0.45, 0.6),
    { name: "send a text: our CPU, ms", seen: send?.serverMs ?? Number.NaN, ...cpu },
    { name: "send a text: Postgres's CPU, ms", seen: send?.postgresMs ?? Number.NaN, ...cpu },
    ratio(scenarios.STATUS, 0.4, 0.5),
    ratio(scenarios.WEBHOOK_OF_ONE, 0.25, 0.4),
    {
      name: "webhook of 1 new status: a second",
      must: 600,
      goal: 1_000,
      digits: 0,
      seen: of(scenarios.WEBHOOK_OF_ONE)?.ours.perSecond ?? Number.NaN,
    },
    ratio(scenarios.WEBHOOK_OF_TEN, 0.25, 0.4),
    ...[scenarios.UNAUTHORIZED, scenarios.OVER_LIMIT].map(sends),
  ];
};

export const latencyGoals = ({ added }: AddedLatency): Goal[] => [
  { name: "added latency, p50 ms", seen: added, must: 6, goal: 4, isAtMost: true, digits: 1 },
];

export const pageGoals = ({ ratio }: BesidePages): Goal[] => [
  { name: "p99 of sends beside pages, times alone", seen: ratio, must: 2, goal: 1.3, isAtMost: true },
];

/** The growth that counts as flat is ours to choose. */
export const memoryGoals = (readings: Memory[]): Goal[] => {
  const [half, end] = readings.slice(-2);
  if (!half || !end) return [];
  const growth = (end.both / half.both - 1) * 100;
  return [
    { name: `memory after ${end.sends} sends, MiB`, seen: end.both, must: 280, goal: 220, isAtMost: true, digits: 0 },
    { name: "its growth in the second half, %", seen: growth, must: 10, goal: 5, isAtMost: true, digits: 1 },
  ];
};
