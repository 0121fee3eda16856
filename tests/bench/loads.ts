import type { Sql } from "postgres";
import type { Load, LoadGenerator } from "./load";
import type { Scenario, Target } from "./scenarios";
import { seedFloor, seedOurs } from "./seed-messages";
import { messagesFor } from "./seeded-statuses";

/** At most so many calls, for so many seconds, at a rate. */
export type Length = { calls: number; seconds?: number; rate?: number; connections?: number; status?: number };

const CREATED = 201;

const keyOf = (scenario: Scenario, target: Target) => `${target.name} ${scenario.name}`;

/** Loads on targets, in which no call with news or a key of its own is made twice. */
export const createLoads = ({ generator, sql }: { generator: LoadGenerator; sql: Sql }) => {
  const next = new Map<string, number>();
  const seeded = new Map<string, number>();
  let sends = 0;
  const cores = { ours: 0, floor: 0, platform: 0 };

  const seed = async ({ statuses: size }: Scenario, target: Target, calls: number) => {
    if (!size) return;
    const key = `${target.name} ${size}`;
    const [from, to] = [seeded.get(key) ?? 0, messagesFor(size, calls * size)];
    if (to <= from) return;
    const put = target.name === "ours" ? seedOurs : seedFloor;
    await put(sql, { size, from, to, idPrefix: target.seededIdPrefix });
    seeded.set(key, to);
  };

  /** Makes calls ready; what it returns makes them. */
  const prepare = async (scenario: Scenario, target: Target, length: Length): Promise<() => Promise<Load>> => {
    const { calls, connections = scenario.connections, status = scenario.status, seconds, rate } = length;
    const key = keyOf(scenario, target);
    const first = next.get(key) ?? 0;
    await seed(scenario, target, first + calls);
    const limits = { ...(seconds === undefined ? {} : { seconds }), ...(rate === undefined ? {} : { rate }) };
    await generator.prepare({ scenario: scenario.name, target, first, count: calls, connections, status, ...limits });
    return async () => {
      const load = await generator.go();
      next.set(key, first + load.times.length);
      if (target.name === "ours" && status === CREATED) sends += load.times.length;
      cores[target.name] = Math.max(cores[target.name], load.cores);
      return load;
    };
  };

  return {
    prepare,
    run: async (scenario: Scenario, target: Target, length: Length): Promise<Load> =>
      (await prepare(scenario, target, length))(),
    /** Calls of a scenario so far. */
    made: (scenario: Scenario, target: Target): number => next.get(keyOf(scenario, target)) ?? 0,
    /** Messages that our server has sent so far. */
    sends: () => sends,
    /** The most that the generator used in one load of each target. */
    generatorCores: () => cores,
  };
};

export type Loads = ReturnType<typeof createLoads>;
