import postgres from "postgres";
import { expect } from "vitest";
import { forSuite } from "./for-suite";
import { startOwnPostgres } from "./own-database";
import { sweep } from "./sweep";

/** Settings of a Postgres that logs the plan of every statement, with its values, also of those in triggers. */
export const RECORDING = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_format": "json",
  "auto_explain.log_verbose": "on",
  "auto_explain.log_nested_statements": "on",
  // A plan for these values: one for all values names every partition.
  plan_cache_mode: "force_custom_plan",
  log_line_prefix: "%a: ",
};

/** Settings of a Postgres that logs what each step of a plan did, and that has no statistics: after a burst none has any. */
const MEASURING = {
  ...RECORDING,
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_verbose": "off",
  "auto_explain.log_parameter_max_length": "0",
  autovacuum: "off",
  fsync: "off",
};

/**
 * A server with a Postgres that logs what each step of a plan did, for all tests of a file; `filling` is a connection
 * that leaves no plans in its log, and whose inserts start no trigger.
 */
export function measuredPostgres(settings: Record<string, string> = {}, more: Record<string, string> = {}) {
  return forSuite(async () => {
    const own = await startOwnPostgres(more, "API", { settings: { ...MEASURING, ...settings } });
    const connection = { "auto_explain.log_min_duration": -1, session_replication_role: "replica" };
    const filling = postgres(own.databaseUrl, { max: 1, connection, onnotice: () => {} });
    const workOf = async (run: () => Promise<unknown>): Promise<Work[]> => {
      const before = own.databaseLogBytes();
      await run();
      return recordedWork(own.databaseLog(before));
    };
    return {
      filling,
      /** What each statement of the product did meanwhile, those in triggers included. */
      workOf,
      /** Of these the beginnings of those that touched more rows than `most`. */
      workAbove: async (most: number, run: () => Promise<unknown>) =>
        (await workOf(run)).flatMap(({ text, touched }) => (touched > most ? [[text.slice(0, 1_000), touched]] : [])),
      stop: async () => {
        await filling.end();
        await own.stop();
      },
    };
  });
}

/** Sweeps until a pass was whole and `isDone`: where others keep the machine busy, a pass may meet its time limits. */
export const sweepUntil = (isDone: () => Promise<boolean>): Promise<void> =>
  expect.poll(async () => (await sweep()).status === 200 && (await isDone()), { timeout: 120_000 }).toBe(true);

type Plan = {
  "Node Type": string;
  "Parent Relationship"?: string;
  Operation?: string;
  "Relation Name"?: string;
  Output?: string[];
  Plans?: Plan[];
  "Target Tables"?: Plan[];
};

/** A statement, the pool that ran it, and whether it names its workspace: then one partition has all that it needs. */
export type Recorded = { pool: string; text: string; namesWorkspace: boolean };

/** The statements of the product in Postgres' log, each text once. */
export const recordedStatements = (log: string, tables: readonly string[]): Recorded[] => {
  const recorded = new Map<string, Recorded>();
  for (const [, pool = "", json = ""] of log.matchAll(/^switchboard-(\w+): .*plan:\n((?:\t.*\n)*?\t\}\n)/gm)) {
    const { "Query Text": words, Plan: plan } = JSON.parse(json) as { "Query Text": string; Plan: Plan };
    const text = words.replace(/\s+/g, " ").trim();
    const id = `${pool} ${text}`;
    const namesWorkspace = isOfOnePartition(plan, tables) && recorded.get(id)?.namesWorkspace !== false;
    recorded.set(id, { pool, text, namesWorkspace });
  }
  return [...recorded.values()];
};

const isOfOnePartition = (plan: Plan, tables: readonly string[]): boolean => {
  const nodes = flatten(plan);
  const parts = nodes.flatMap(({ "Relation Name": name = "" }) => {
    const [, table = "", part] = /^(.*)_(\d+)$/.exec(name) ?? [];
    return part !== undefined && tables.includes(table) ? [part] : [];
  });
  const inserts = nodes.filter((node) => node.Operation === "Insert" && tables.includes(node["Relation Name"] ?? ""));
  return new Set(parts).size <= 1 && inserts.every((insert) => rowsOf(insert).every(startsWithValue));
};

/** Whether the first column, which is the workspace in every table, is a value of the statement. */
const startsWithValue = (rows: Plan): boolean =>
  rows["Node Type"] === "Subquery Scan" ? rowsOf(rows).every(startsWithValue) : /^'/.test(rows.Output?.[0] ?? "");

const rowsOf = ({ Plans = [] }: Plan): Plan[] =>
  Plans.filter(({ "Parent Relationship": relation }) => relation === "Outer" || relation === "Subquery");

const flatten = (plan: Plan): Plan[] => [
  plan,
  ...[...(plan.Plans ?? []), ...(plan["Target Tables"] ?? [])].flatMap(flatten),
];

type Counted = {
  "Actual Rows"?: number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Counted[];
};

/** What a statement did: the rows that it touched in every step of its plan, with those that it compared and left. */
type Work = { pool: string; text: string; touched: number; isCompiled: boolean };

/** What each statement of the product did, as Postgres logs it with MEASURING, those in triggers included. */
const recordedWork = (log: string): Work[] =>
  [...log.matchAll(/^switchboard-(\w+): .*plan:\n((?:\t.*\n)*?\t\}\n)/gm)].map(([, pool = "", json = ""]) => {
    const {
      "Query Text": text,
      Plan: plan,
      JIT,
    } = JSON.parse(json) as { "Query Text": string; Plan: Counted; JIT?: unknown };
    return {
      pool,
      text: text.replace(/\s+/g, " ").trim(),
      touched: touchedBy(plan),
      isCompiled: JIT !== undefined,
    };
  });

const touchedBy = (node: Counted): number =>
  ((node["Actual Rows"] ?? 0) +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Join Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0)) *
    node["Actual Loops"] +
  (node.Plans ?? []).reduce((sum, plan) => sum + touchedBy(plan), 0);
