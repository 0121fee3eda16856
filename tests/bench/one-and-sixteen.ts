import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import type { Length, Loads } from "./loads";
import { SEND_TEXT, type Target } from "./scenarios";

export const CONNECTIONS = 64;
const COMMIT_DELAY_MICROSECONDS = 3_000;
const RELOADED_WITHIN_MS = 300;
const FEWEST_SENDS = 1_000;
const SECONDS_OF_ONE = 2;
const MAX_IN_A_SECOND = 5_000;

/** Sends a second of one workspace and of sixteen, commits as they come and delayed; one number for each half. */
export type OneAndSixteen = { one: number[]; sixteen: number[]; oneDelayed: number[]; sixteenDelayed: number[] };

type Options = {
  loads: Loads;
  sql: Sql;
  one: Target;
  sixteen: Target;
  /** How many our server is to have sent at the end, in all. */
  sends: number;
  /** When half of them are sent, and when all are. */
  onHalf: () => void;
};

/** The same number of connections, all on one workspace or spread over sixteen, which make the sends that are left. */
export const measureOneAndSixteen = async (options: Options): Promise<OneAndSixteen> => {
  const { loads, sql, sends, onHalf } = options;
  const seen: OneAndSixteen = { one: [], sixteen: [], oneDelayed: [], sixteenDelayed: [] };
  await sql`analyze`;
  for (const share of [0.5, 1]) {
    seen.one.push(await ofOne(options));
    await delayCommits(sql, COMMIT_DELAY_MICROSECONDS);
    seen.oneDelayed.push(await ofOne(options));
    const left = Math.ceil((sends * share - loads.sends()) / 2);
    seen.sixteenDelayed.push(await ofSixteen(options, left));
    await delayCommits(sql, 0);
    seen.sixteen.push(await ofSixteen(options, left));
    onHalf();
  }
  return seen;
};

const ofOne = ({ loads, one }: Options) =>
  perSecond(loads, one, { calls: MAX_IN_A_SECOND * SECONDS_OF_ONE, seconds: SECONDS_OF_ONE });

const ofSixteen = ({ loads, sixteen }: Options, calls: number) =>
  perSecond(loads, sixteen, { calls: Math.max(FEWEST_SENDS, calls) });

const perSecond = async (loads: Loads, target: Target, length: Length): Promise<number> => {
  const { times, seconds } = await loads.run(SEND_TEXT, target, { ...length, connections: CONNECTIONS });
  return times.length / seconds;
};

/** A commit waits so long for others, whether or not any are under way, and they share one write to the disk. */
const delayCommits = async (sql: Sql, microseconds: number): Promise<void> => {
  await sql.unsafe(`alter system set commit_delay = ${microseconds}`);
  await sql.unsafe("alter system set commit_siblings = 0");
  await sql`select pg_reload_conf()`;
  await sleep(RELOADED_WITHIN_MS);
};
