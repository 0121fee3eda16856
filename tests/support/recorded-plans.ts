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
  for (const [, pool = "", json = ""] of log.matchAll(/^switchboard-(\w+): .*plan:\n((?:\t.*\n)+)/gm)) {
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
