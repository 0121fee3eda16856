// `npm run bench`: send, status and a webhook of 10 statuses against the built server and against the floor in bare
// Node, in alternation in one run. The machine's noise hits both, so the ratio is what to read.
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import autocannon from "autocannon";
import postgres from "postgres";
import { migrateDatabase } from "@/db/migrate";
import { startPostgres } from "../../scripts/postgres.mjs";
import { APP_SECRET, startChild, startOurs, stopChildren, webhookOf } from "./bench-world";

const ROUNDS = 3;
const SECONDS = 4;
const CONNECTIONS = 10;
const COUNTED_REQUESTS = 200;

type Target = { url: string; headers: Record<string, string>; messageId: string; whatsappMessageIds: string[] };
type Scenario = { name: string; options: (target: Target) => Partial<autocannon.Options> };

const SCENARIOS: Scenario[] = [
  {
    name: "send a text",
    options: ({ headers }) => ({
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ type: "text", phone: "447700900123", content: "Your order 8812 is ready. Thank you." }),
    }),
  },
  { name: "status", options: ({ headers }) => ({ method: "GET", headers }) },
  {
    name: "webhook of 10 statuses",
    options: ({ whatsappMessageIds }) => {
      const body = JSON.stringify(webhookOf(whatsappMessageIds.map((id) => ({ id, status: "delivered" }))));
      const signature = createHmac("sha256", APP_SECRET).update(body).digest("hex");
      return { method: "POST", headers: { "x-hub-signature-256": `sha256=${signature}` }, body };
    },
  },
];

const PATHS: Record<string, (target: Target) => string> = {
  "send a text": () => "/api/v1/public/messages/send",
  status: ({ messageId }) => `/api/v1/public/messages/${messageId}`,
  "webhook of 10 statuses": () => "/api/webhooks/whatsapp",
};

const directory = mkdtempSync(path.join(os.tmpdir(), "switchboard-bench-"));
const database = await startPostgres({
  directory: path.join(directory, "postgres"),
  durable: false,
  settings: { shared_preload_libraries: "pg_stat_statements" },
});
try {
  await migrateDatabase(database.url);
  const sql = postgres(database.url, { max: 1 });
  await sql`create extension pg_stat_statements`;
  const platformUrl = await startChild("platform.mjs", {});
  const floorUrl = await startChild("floor.mjs", {
    DATABASE_URL: database.url,
    WHATSAPP_GRAPH_URL: platformUrl,
    APP_SECRET,
  });
  const { urls, stop, key } = await startOurs({ databaseUrl: database.url, platformUrl, logFolder: directory });
  const ours = await prepare({ url: urls[0] ?? "", headers: { apiKey: key.apiKey, apiSecret: key.apiSecret } });
  const floor = await prepare({ url: floorUrl, headers: { apiKey: "pk_floor", apiSecret: "sk_floor" } });

  console.log(
    `${"".padEnd(24)}${"ours/s".padStart(10)}${"p99 ms".padStart(8)}${"floor/s".padStart(10)}${"p99 ms".padStart(8)}${"ratio".padStart(8)}${"statements".padStart(12)}`,
  );
  for (const scenario of SCENARIOS) {
    // A plan that was made while a table was empty may read every row of it; a database that has run for a minute has
    // counted its rows.
    await Promise.all([load(scenario, ours), load(scenario, floor)]);
    await sql`vacuum analyze`;
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ ours: await load(scenario, ours), floor: await load(scenario, floor) });
    const middle = median(rounds, (round) => round.ours.requests.average / round.floor.requests.average);
    const statements = await countStatements(sql, scenario, ours);
    console.log(
      scenario.name.padEnd(24) +
        middle.ours.requests.average.toFixed(0).padStart(10) +
        String(middle.ours.latency.p99).padStart(8) +
        middle.floor.requests.average.toFixed(0).padStart(10) +
        String(middle.floor.latency.p99).padStart(8) +
        (middle.ours.requests.average / middle.floor.requests.average).toFixed(3).padStart(8) +
        statements.toFixed(1).padStart(12),
    );
  }
  console.log(
    `${ROUNDS} rounds of ${SECONDS} s each, ${CONNECTIONS} connections, in alternation; the middle round by ratio.`,
  );
  await sql.end();
  await stop();
} finally {
  stopChildren();
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Sends ten messages, whose ids the status and webhook calls use, and warms the server up. */
async function prepare(target: Pick<Target, "url" | "headers">): Promise<Target> {
  const whatsappMessageIds: string[] = [];
  let messageId = "";
  for (let i = 0; i < 10; i++) {
    const response = await fetch(`${target.url}/api/v1/public/messages/send`, {
      method: "POST",
      headers: { ...target.headers, "content-type": "application/json" },
      body: JSON.stringify({ type: "text", phone: "447700900123", content: "warm" }),
    });
    const { data } = await response.json();
    messageId = data.id;
    whatsappMessageIds.push(data.chatMessageId);
  }
  const ready = { ...target, messageId, whatsappMessageIds };
  for (const scenario of SCENARIOS) await load(scenario, ready, 1);
  return ready;
}

async function load(scenario: Scenario, target: Target, duration = SECONDS) {
  const result = await autocannon({
    url: `${target.url}${PATHS[scenario.name]?.(target)}`,
    connections: CONNECTIONS,
    duration,
    ...scenario.options(target),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${scenario.name}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result;
}

async function countStatements(sql: postgres.Sql, scenario: Scenario, target: Target): Promise<number> {
  await sql`select pg_stat_statements_reset()`;
  await autocannon({
    url: `${target.url}${PATHS[scenario.name]?.(target)}`,
    connections: 1,
    amount: COUNTED_REQUESTS,
    ...scenario.options(target),
  });
  const [row] = await sql<{ calls: string }[]>`
    select coalesce(sum(calls), 0) as calls from pg_stat_statements where query not like '%pg_stat_statements%'`;
  return Number(row?.calls) / COUNTED_REQUESTS;
}

function median<T>(items: T[], of: (item: T) => number): T {
  const sorted = [...items].sort((a, b) => of(a) - of(b));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error("no rounds");
  return middle;
}
