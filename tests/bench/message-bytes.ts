// `npm run bench -- message-bytes [--messages N]`: what a delivered message takes on disk. The built server sends messages and receives
// sent, delivered and read for them, a thousand at a time, as in a campaign; then all tables and indexes are measured as they are.
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { withProgress } from "../../scripts/progress.mjs";
import { tableOf } from "../support/table";
import { startMeasuredWorld } from "./measured-world";
import { SEND_TEXT } from "./scenarios";
import { webhookOf } from "./webhook-body";

const AT_ONCE = 1_000;
const STATUSES = ["sent", "delivered", "read"];
/** The log of calls is written each second. */
const LOGGED_WITHIN_MS = 3_000;

/** In bytes, with its TOAST table. */
type Size = { table: string; name: string; bytes: number };

const { values } = parseArgs({ options: { messages: { type: "string", default: "20000" } } });
const world = await withProgress("Starting", startMeasuredWorld);
const { sql, loads, pair } = world;
try {
  const before = await sizes();
  await withProgress(`${values.messages} messages`, async () => {
    for (let sent = 0; sent < Number(values.messages); sent += AT_ONCE) {
      await loads.run(SEND_TEXT, pair.ours, { calls: AT_ONCE });
      for (const status of STATUSES) await report(status);
    }
    await sleep(LOGGED_WITHIN_MS);
  });
  const after = await sizes();
  const [row] = await sql<{ read: number }[]>`select count(*)::int as read from messages where status = 'READ'`;
  const messages = row?.read ?? 0;
  const sizeBefore = new Map(before.map(({ name, bytes }) => [name, bytes]));
  const grown = after
    .map((one) => ({ ...one, bytes: (one.bytes - (sizeBefore.get(one.name) ?? 0)) / messages }))
    .filter(({ bytes }) => bytes >= 1);
  const whole = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = grown.map(({ table, name, bytes }) => [table, name, bytes.toFixed(0)]);
  console.log(`\n${tableOf(["Table", "Table or index", "bytes"], [...rows, ["all", "", whole.toFixed(0)]])}\n`);
} finally {
  await world.stop();
}

/** Webhooks of 100 statuses of the messages that have none beyond it. */
async function report(status: string): Promise<void> {
  const messages: { id: string; wamid: string }[] = await sql`
    select id, whatsapp_message_id as wamid from messages where status <> 'READ' and whatsapp_message_id is not null`;
  for (let at = 0; at < messages.length; at += 100) {
    const statuses = messages
      .slice(at, at + 100)
      .map(({ id, wamid }) => ({ id: wamid, status, biz_opaque_callback_data: id }));
    const body = JSON.stringify(webhookOf(statuses));
    const signature = createHmac("sha256", pair.ours.appSecret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    const answer = await fetch(`${pair.ours.url}/api/webhooks/whatsapp`, { method: "POST", headers, body });
    if (answer.status !== 200) throw new Error(`a webhook was ${answer.status}`);
  }
}

/** Of every table and index of the product. */
async function sizes(): Promise<Size[]> {
  return sql<Size[]>`
    select coalesce(i.indrelid::regclass::text, c.relname) as table, c.relname as name,
      (pg_relation_size(c.oid) + coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0))::float8 as bytes
    from pg_class c left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')
    order by 1, i.indexrelid is not null, 3 desc`;
}
