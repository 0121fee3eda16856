// `npm run bench -- growth [--messages N]`: the same calls and pages for a small workspace and for one of ten million messages, in
// turn, in one database of both; and for the small one before the other came. Asserts that no statement reads a growing table whole.
import { randomUUID } from "node:crypto";
import { readFileSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { closePools } from "@/db/client";
import { purgeContents } from "@/lib/messages/list/purge-contents";
import { withProgress } from "../../scripts/progress.mjs";
import { quantile } from "../faults/fault";
import { startEnvironment, startInstance, testServers } from "../support/environment";
import { dashboardPages } from "../support/pages";
import { addEndpoint, startReceiver } from "../support/receiver";
import { PHONE } from "../support/sends";
import { signInByForm } from "../support/session";
import { tableOf } from "../support/table";
import { postWebhook, request, statusWebhook } from "../support/workspace";
import { fillWorkspace, type Sample } from "./full-workspace";
import { messageLists, type NarrowedList, requestLists } from "./list-filters";
import { describeMachine } from "./machine";

const MAX_TIMES = 1.3;
/** Below this a ratio says more of the clock than of the table. */
const MIN_MS = 2;
const REPETITIONS = 30;
const SMALL = 100_000;
const WARM_UP = 3;
const PARTITION_ROWS = 100_000;
const NO_LIMIT = "1000000";
const PAGES = ["overview", "usage", "contacts", "contact", "message", "whatsapp-feed", "audit-log", "webhooks"];
/** Those that the generator fills. */
const GROWING = ["messages", "status_events", "contacts", "api_requests", "webhook_deliveries"];

const { values } = parseArgs({ options: { messages: { type: "string", default: "10000000" } } });
const many = Number(values.messages);
if (!Number.isInteger(many) || many < SMALL) throw new Error(`--messages takes a whole number from ${SMALL} on.`);

/** A workspace, and the same kinds of work in each, by their place in the list. */
type World = { sample: Sample; work: Work[] };
type Work = { name: string; run: () => Promise<unknown> };

const partner = await startReceiver();
const stop = await startEnvironment({ WEBHOOK_ALLOW: new URL(partner.url).host });
const servers = testServers();
const sql = postgres(servers.environment.DATABASE_URL ?? "", { max: 1, onnotice: () => undefined });
const log = await explainReads();
const instance = await startInstance({ PUBLIC_API_KEY_RATE_LIMIT: NO_LIMIT, PUBLIC_API_IP_RATE_LIMIT: NO_LIMIT });
process.env.TEST_SERVERS = JSON.stringify({ ...servers, baseUrl: instance.baseUrl });
try {
  console.log(await describeMachine(sql));
  const small = await fill(SMALL);
  const alone = await measure([small]);
  const large = await fill(many);
  const logged = readFileSync(log).length;
  const together = await measure([small, large]);
  const read = wholeReads(readFileSync(log).subarray(logged).toString());
  // Plans hold recipients' numbers, which no log of a run may keep.
  await explainFrom("-1");
  truncateSync(log);
  report(small.work, alone, together);
  await reportSizes();
  await reportPurge([small, large]);
  await reportPartitions();
  console.log(`Statements that read a growing table whole: ${read.length === 0 ? "none" : `\n${read.join("\n")}`}`);
  if (read.length > 0) process.exitCode = 1;
} finally {
  await sql.end();
  await closePools();
  await instance.stop();
  await partner.stop();
  await stop();
}

async function fill(messages: number): Promise<World> {
  console.log(`\nA workspace with ${messages.toLocaleString("en")} messages`);
  const sample = await fillWorkspace(messages);
  await sql`checkpoint`;
  await addEndpoint(sample.workspace, { url: partner.url, mode: "live", events: ["message.sent"] });
  const cookie = await signInByForm(sample.workspace.owner);
  return { sample, work: [...callsOf(sample), ...pagesOf(sample, cookie)] };
}

async function expectStatus(status: number, answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status: found, text } = await answer;
  if (found !== status) throw new Error(`answered ${found} instead of ${status}: ${text.slice(0, 200)}`);
}

function callsOf({ workspace, messageId, whatsappMessageId }: Sample): Work[] {
  const text = { type: "text", phone: PHONE, content: "Your order is ready.", phoneNumberId: workspace.phoneNumberId };
  const replayed = { "Idempotency-Key": "replayed" };
  const named = [...Array(REPETITIONS + WARM_UP).keys()].map((i) => ({
    "Idempotency-Key": `new-${randomUUID()}-${i}`,
  }));
  const sendWithEvent = async () => {
    const { body } = await workspace.send(text);
    while (partner.eventsOf(body.data.id).length === 0) await sleep(1);
  };
  const webhook = (status: string) => postWebhook(statusWebhook(workspace, [{ id: whatsappMessageId, status }]));
  return [
    { name: "send", run: () => expectStatus(201, workspace.send(text)) },
    { name: "send with a key", run: () => expectStatus(201, workspace.send(text, named.pop())) },
    { name: "send until its event arrives", run: sendWithEvent },
    { name: "replay", run: () => workspace.send(text, replayed) },
    { name: "status", run: () => expectStatus(200, workspace.status(messageId)) },
    { name: "templates", run: () => expectStatus(200, workspace.call("GET", "/api/v1/public/templates")) },
    { name: "webhook of a status", run: () => expectStatus(200, webhook("delivered")) },
  ];
}

function pagesOf(sample: Sample, cookie: string): Work[] {
  const page = ({ name, path }: { name: string; path: string }): Work => ({
    name,
    run: () => expectStatus(200, request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie } })),
  });
  const titled = (title: string, lists: NarrowedList[]) =>
    lists.map(({ name, path }) => page({ name: `${title}: ${name}`, path }));
  return [
    ...dashboardPages(sample)
      .filter(({ name }) => PAGES.includes(name))
      .map(page),
    ...titled("Messages", messageLists(sample)),
    ...titled("Requests", requestLists(sample)),
  ];
}

/** Each kind of work for each world in turn; `[work][world]` is a median. */
async function measure(worlds: World[]): Promise<number[][]> {
  const medians: number[][] = [];
  await withProgress("Measuring", async () => {
    for (const place of worlds[0]?.work.keys() ?? []) {
      const times = worlds.map((): number[] => []);
      for (let i = 0; i < REPETITIONS + WARM_UP; i++) {
        for (const [index, { work }] of worlds.entries()) {
          const startedAtMs = performance.now();
          await work[place]?.run();
          if (i >= WARM_UP) times[index]?.push(performance.now() - startedAtMs);
        }
      }
      medians.push(times.map((of) => quantile(of, 0.5)));
    }
  });
  return medians;
}

function report(work: Work[], alone: number[][], together: number[][]): void {
  const rows = work.map(({ name }, index) => {
    const [first = 0] = alone[index] ?? [];
    const [one = 0, other = 0] = together[index] ?? [];
    return [name, ms(first), ms(one), ms(other), times(one, first), times(other, one)];
  });
  const header = ["p50 ms", "small, alone", "small, beside", "large", "beside / alone", "large / small"];
  console.log(
    `\n${tableOf(header, rows)}\nAt most ${MAX_TIMES} times; times below ${MIN_MS} ms say more of the clock.\n`,
  );
}

function times(value: number, than: number): string {
  const ratio = value / than;
  return `${ratio.toFixed(2)} ${ratio <= MAX_TIMES || value < MIN_MS ? "ok" : "MISSED"}`;
}

async function reportSizes(): Promise<void> {
  const [row] = await sql<{ messages: number; events: number; calls: number }[]>`
    select (pg_total_relation_size('messages')::float8 / (select count(*) from messages)) as messages,
      (pg_total_relation_size('status_events')::float8 / (select count(*) from status_events)) as events,
      (pg_total_relation_size('api_requests')::float8 / (select count(*) from api_requests)) as calls`;
  if (!row) throw new Error("there are tables");
  const kb = (bytes: number) => (bytes / 1_024).toFixed(2);
  console.log(
    `KB with indexes: a message ${kb(row.messages)}, a status event ${kb(row.events)}, a logged call ${kb(row.calls)}`,
  );
  const indexes = await sql<{ name: string; bytes: number }[]>`
    select indexrelname as name, pg_relation_size(indexrelid)::float8 / (select count(*) from messages) as bytes
    from pg_stat_user_indexes where relname = 'messages' order by 2 desc`;
  console.log(`Of a message: ${indexes.map(({ name, bytes }) => `${name} ${Math.round(bytes)} B`).join(", ")}`);
}

/** What is older than 29 of the 30 days becomes due, and passes of the purge empty it, a few thousand at a time. */
async function reportPurge(worlds: World[]): Promise<void> {
  for (const { sample } of worlds) {
    await sql`update workspaces set retention_days = 29 where id = ${sample.workspace.workspaceId}`;
    const startedAtMs = performance.now();
    const purged = await purgeContents({ defaultDays: 365 });
    const seconds = (performance.now() - startedAtMs) / 1_000;
    console.log(
      `Purge by keys: ${purged} messages in ${seconds.toFixed(1)} s, ${Math.round(purged / seconds)} a second`,
    );
  }
}

/** The other way: contents in a table of their own, whose partition of a day is dropped. It costs each send a second row. */
async function reportPartitions(): Promise<void> {
  await sql`
    create table bench_contents (workspace_id text, message_id text, at timestamptz, request text,
      primary key (workspace_id, message_id, at)) partition by range (at)`;
  await sql`create table bench_day partition of bench_contents for values from ('2026-01-01') to ('2026-01-02')`;
  const timed = async (work: PromiseLike<unknown>) => {
    const startedAtMs = performance.now();
    await work;
    return performance.now() - startedAtMs;
  };
  const filledMs = await timed(sql`
    insert into bench_contents select 'ws_' || repeat('0', 26), 'msg_' || lpad(n::text, 26, '0'),
      '2026-01-01'::timestamptz + interval '1 hour' + n * interval '1 ms', repeat('x', 200)
    from generate_series(1, ${PARTITION_ROWS}::int) n`);
  const [size] = await sql<{ bytes: number }[]>`select pg_total_relation_size('bench_day')::float8 as bytes`;
  const droppedMs = await timed(sql`drop table bench_contents`);
  console.log(
    `Purge by partitions: a second row takes ${((1_000 * filledMs) / PARTITION_ROWS).toFixed(1)} µs and ${Math.round((size?.bytes ?? 0) / PARTITION_ROWS)} B a message; ${PARTITION_ROWS} are dropped in ${ms(droppedMs)} ms`,
  );
}

/** From here on Postgres logs the plan of each statement that takes 20 ms or more. Returns the path of its log. */
async function explainReads(): Promise<string> {
  await sql`alter system set session_preload_libraries = 'auto_explain'`;
  await explainFrom("20ms");
  // Only new sessions load it.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`;
  const [place] = await sql`show data_directory`;
  return `${place?.data_directory}.log`;
}

async function explainFrom(duration: string): Promise<void> {
  await sql.unsafe(`alter system set auto_explain.log_min_duration = '${duration}'`);
  await sql`select pg_reload_conf()`;
}

/** The statements whose logged plans read a growing table from its beginning, each once. */
function wholeReads(logged: string): string[] {
  const scan = new RegExp(`Seq Scan on (${GROWING.join("|")})\\b`);
  const plans = logged.split(/^(?=\S.*LOG: {2}duration: .* plan:$)/m).filter((plan) => scan.test(plan));
  return [
    ...new Set(plans.map((plan) => `${scan.exec(plan)?.[1]}: ${/Query Text: (.*)/.exec(plan)?.[1]?.slice(0, 300)}`)),
  ];
}

function ms(value: number): string {
  return value.toFixed(1);
}
