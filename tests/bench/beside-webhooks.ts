// `npm run bench:beside-webhooks [-- --pace 300 --rounds 7 --seconds 8 --servers 1]`: what sends take alone and
// beside signed webhooks, in alternation. Sends, webhooks, WhatsApp's stand-in, server and Postgres are processes of their
// own. Only the difference within a pair counts, as others' work on the machine is in both of its halves.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { migrateDatabase } from "@/db/migrate";
import { startPostgres } from "../../scripts/postgres.mjs";
import { spawnNode } from "../../scripts/processes.mjs";
import { quantile } from "../faults/fault";
import { APP_SECRET, startChild, startOurs, stopChildren } from "./bench-world";
import { webhookOf } from "./webhook-body";

const { values } = parseArgs({
  options: {
    pace: { type: "string", default: "300" },
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "8" },
    servers: { type: "string", default: "1" },
  },
});
const [pace, rounds, seconds] = [Number(values.pace), Number(values.rounds), Number(values.seconds)];
const GOAL_MS = 100;
const SENDERS = { clients: 4, pauseMs: 100 };
const WORDS = ["sent", "delivered", "read"];
const MAX_PENDING = 200;

type Sent = { times: number[]; refused: number };
type Pumped = { posted: number; refused: number; pace: number; times: number[] };

const directory = mkdtempSync(path.join(os.tmpdir(), "switchboard-beside-"));
const database = await startPostgres({ directory: path.join(directory, "postgres") });
try {
  await migrateDatabase(database.url);
  const { url: platformUrl } = await startChild("platform.mjs", {});
  const { urls, stop, key } = await startOurs({
    databaseUrl: database.url,
    platformUrl,
    logFolder: directory,
    count: Number(values.servers),
  });
  const send = (forSeconds = seconds): Promise<Sent> =>
    drive("send-driver.mjs", { urls, headers: key, ...SENDERS, seconds: forSeconds });
  await send(3);

  const bodies = await createNews(pace * seconds * (rounds + 1));
  const pump = (): Promise<Pumped> =>
    drive("../faults/webhook-pump.mjs", {
      baseUrls: urls,
      bodies: bodies.splice(0, pace * seconds),
      secret: APP_SECRET,
      pace,
      seconds,
      maxPending: MAX_PENDING,
    });
  await Promise.all([send(), pump()]);

  console.log(`${"".padEnd(8)}alone p50/p95/p99      beside p50/p95/p99     p95 +ms   webhooks/s  p95 ms   idle`);
  const rises: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const before = coreTimes();
    const alone = await send();
    const middle = coreTimes();
    const [beside, pumped] = await Promise.all([send(), pump()]);
    const rise = quantile(beside.times, 0.95) - quantile(alone.times, 0.95);
    rises.push(rise);
    const idle = `${idleBetween(before, middle)} % / ${idleBetween(middle, coreTimes())} %`;
    const refusals = alone.refused + beside.refused + pumped.refused;
    console.log(
      `${`round ${round}`.padEnd(8)}${shown(alone.times).padEnd(23)}${shown(beside.times).padEnd(23)}` +
        `${rise.toFixed(0).padStart(7)}${pumped.pace.toFixed(0).padStart(13)}${ms(pumped.times, 0.95).padStart(8)}   ${idle}` +
        `${refusals > 0 ? `   ${refusals} refused` : ""}`,
    );
  }
  const middle = quantile(rises, 0.5);
  console.log(
    `p95 of sends rises by ${middle.toFixed(0)} ms beside ${pace} webhooks/s, ${urls.length} server(s), in the median of ${rounds} pairs (goal: ${GOAL_MS}); ` +
      `load average ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} cores.`,
  );
  await stop();
} finally {
  stopChildren();
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function drive<T>(file: string, order: object): Promise<T> {
  const child = spawnNode([path.join(import.meta.dirname, file)], { stdin: "pipe", stderr: "inherit" });
  child.stdin?.end(JSON.stringify(order));
  return JSON.parse(child.stdout ? await text(child.stdout) : "");
}

/** Sent messages, and a webhook for each status of each: every one is news. */
async function createNews(count: number): Promise<string[]> {
  const sql = postgres(database.url, { max: 1 });
  const rows = await sql<{ id: string; whatsappMessageId: string }[]>`
    insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, request, fingerprint, phase,
      lease_expires_at, status, whatsapp_message_id)
    select workspace_id, id || '_' || n, mode, phone_number_id, contact_id, phone, type, request, fingerprint, phase,
      lease_expires_at, 'SENT', whatsapp_message_id || '_' || n
    from (select * from messages limit 1) one, generate_series(1, ${Math.ceil(count / WORDS.length)}) n
    returning id, whatsapp_message_id as "whatsappMessageId"`;
  await sql`vacuum analyze`;
  await sql`checkpoint`;
  await sql.end();
  return rows.flatMap(({ id, whatsappMessageId }) =>
    WORDS.map((status) => JSON.stringify(webhookOf([{ id: whatsappMessageId, status, biz_opaque_callback_data: id }]))),
  );
}

function ms(times: number[], part: number): string {
  return quantile(times, part).toFixed(0);
}

function shown(times: number[]): string {
  return [0.5, 0.95, 0.99].map((part) => ms(times, part)).join(" / ");
}

function coreTimes() {
  const all = os.cpus().flatMap(({ times }) => Object.values(times));
  return {
    idle: os.cpus().reduce((sum, { times }) => sum + times.idle, 0),
    all: all.reduce((sum, time) => sum + time, 0),
  };
}

function idleBetween(before: ReturnType<typeof coreTimes>, after: ReturnType<typeof coreTimes>): string {
  return (((after.idle - before.idle) / Math.max(1, after.all - before.all)) * 100).toFixed(0);
}
