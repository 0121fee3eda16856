// `npm run bench -- partner-neighbours [--only waiting,slow,many,rate] [--waiting 1000000]`: what other partners cost one
// whose endpoint answers at once: slow endpoints, events that wait; and how fast one endpoint alone is served.
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { provenWorkspaceId } from "@/lib/core/principal";
import { createEndpoint } from "@/lib/outgoing/create-endpoint";
import { command } from "@/lib/workspaces/record-audit";
import { quantile } from "../faults/fault";
import { startMeasuredWorld } from "./measured-world";
import { SEND_TEXT } from "./scenarios";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "slow,many,waiting,rate" },
    waiting: { type: "string", default: "1000000" },
    endpoints: { type: "string", default: "4000" },
  },
});
const LENGTH = { calls: 200, seconds: 10, rate: 20, connections: 8 };
const SLOW_WORKSPACES = 13;
const ENDPOINTS_OF_EACH = 2;
const MANY_OF_EACH = 5;
/** From the longest answer to the last outcome. */
const EMPTIED_AFTER_MS = 17_000;

const world = await startMeasuredWorld();
try {
  const { sql, pair, loads, partnerUrl, measuredId } = world;

  const endpointOf = (workspaceId: string, path: string, events: "message.sent"[] = []) =>
    createEndpoint(
      provenWorkspaceId(workspaceId),
      { mode: "live", url: `${partnerUrl}${path}`, label: "Bench", events },
      command("bench"),
    );
  const addEvents = (
    workspaceId: string,
    endpointId: string,
    { count, prefix }: { count: number; prefix: string },
  ) => sql`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
    select ${workspaceId}, ${prefix} || n, ${endpointId}, 'webhook.test', ${prefix} || n, 1, '{}', now()
    from generate_series(1, ${count}::int) n`;
  const addWorkspaces = async (count: number, prefix: string): Promise<string[]> => {
    await sql`
      insert into workspaces (id, ref, name, plan) select ${prefix} || n, ${prefix} || n, 'Slow', 'free' from generate_series(1, ${count}::int) n`;
    return Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
  };
  const arrivals = async (): Promise<Record<string, number>> => (await fetch(partnerUrl)).json();

  const { id: healthy } = await endpointOf(measuredId, "/hook", ["message.sent"]);
  /** Of sends and of their events, milliseconds. */
  const measure = async (name: string) => {
    const sends = await loads.run(SEND_TEXT, pair.ours, LENGTH);
    for (let i = 0; i < 200; i++) {
      const [left] = await sql`
        select from webhook_deliveries where endpoint_id = ${healthy} and workspace_id = ${measuredId} and state = 'PENDING' limit 1`;
      if (!left) break;
      await sleep(100);
    }
    const arrived = await arrivals();
    const rows = await sql<{ id: string; at: number }[]>`
      select id, extract(epoch from created_at)::float8 * 1000 as at from webhook_deliveries
      where workspace_id = ${measuredId} and endpoint_id = ${healthy}`;
    await sql`delete from webhook_deliveries where workspace_id = ${measuredId} and endpoint_id = ${healthy}`;
    const lags = rows.map(({ id, at }) => (arrived[id] ?? Date.now()) - at);
    console.log(
      `${name.padEnd(44)}event ${shown(lags).padEnd(20)} send ${shown(sends.times)}   (p50 / p99 / most, ms)`,
    );
    return quantile(lags, 0.5);
  };
  const claims = async () => {
    const rows = await sql<{ ms: number; calls: number }[]>`
      select mean_exec_time as ms, calls from pg_stat_statements
      where query like '%has_endpoints%' order by total_exec_time desc limit 1`;
    await sql`select pg_stat_statements_reset()`;
    return rows.map(({ ms, calls }) => `${calls} claims of ${ms.toFixed(2)} ms`).join();
  };

  await sleep(2_500);
  await loads.run(SEND_TEXT, pair.ours, LENGTH);
  await claims();
  const alone = await measure("alone");
  console.log(`  ${await claims()}`);
  await measure("alone, again");
  const ratio = (p50: number) => console.log(`  ${(p50 / alone).toFixed(2)} times alone`);

  if (values.only.includes("slow")) {
    const workspaces = await addWorkspaces(SLOW_WORKSPACES, "ws_slow");
    const slow: { workspaceId: string; id: string }[] = [];
    for (const workspaceId of workspaces) {
      for (let i = 0; i < ENDPOINTS_OF_EACH; i++) {
        const { id } = await endpointOf(workspaceId, i % 2 === 0 ? "/after/13000" : "/hang");
        slow.push({ workspaceId, id });
      }
    }
    for (const count of [400, 4_000]) {
      for (const [i, { workspaceId, id }] of slow.entries()) {
        await addEvents(workspaceId, id, { count: Math.ceil(count / slow.length), prefix: `whd_${count}_${i}_` });
      }
      ratio(await measure(`beside ${count} slow deliveries, from their start`));
      ratio(await measure(`beside ${count} slow deliveries`));
      console.log(`  ${await claims()}`);
      await sql`delete from webhook_deliveries where workspace_id like 'ws_slow%'`;
      await sql`update webhook_endpoints set failures = 0, held_until = null, failing_since = null`;
      await sleep(EMPTIED_AFTER_MS);
    }
    await sql`update webhook_endpoints set deleted_at = now() where workspace_id like 'ws_slow%'`;
  }

  if (values.only.includes("many")) {
    const count = Number(values.endpoints);
    const workspaces = await addWorkspaces(count / MANY_OF_EACH, "ws_many");
    for (const workspaceId of workspaces) {
      const made = await Promise.all(
        Array.from({ length: MANY_OF_EACH }, () => endpointOf(workspaceId, "/after/13000")),
      );
      for (const { id } of made) await addEvents(workspaceId, id, { count: 3, prefix: `${id}_` });
    }
    console.log(`${count} endpoints have three events each`);
    ratio(await measure(`beside ${count} slow endpoints, from their start`));
    ratio(await measure(`beside ${count} slow endpoints`));
    console.log(`  ${await claims()}`);
    await sql`update webhook_endpoints set deleted_at = now() where workspace_id like 'ws_many%'`;
    await sql`delete from webhook_deliveries where workspace_id like 'ws_many%'`;
    await sleep(EMPTIED_AFTER_MS);
  }

  if (values.only.includes("waiting")) {
    const [workspaceId = ""] = await addWorkspaces(1, "ws_waits");
    const { id } = await endpointOf(workspaceId, "/hook");
    const count = Number(values.waiting);
    // 1,000 heads that wait for their retry, and what comes after them.
    await sql`
      insert into webhook_deliveries (
        workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, next_attempt_at, attempts)
      select ${workspaceId}, 'whd_head' || n, ${id}, 'webhook.test', 'head' || n, 1, '{}', now(), now() + interval '8 hours', 5
      from generate_series(1, 1000) n`;
    const startedAtMs = performance.now();
    await sql`
      insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
      select ${workspaceId}, 'whd_wait' || n, ${id}, 'webhook.test', 'head' || (1 + n % 1000), 2, '{}', now()
      from generate_series(1, ${count}::int) n`;
    console.log(
      `${count} rows behind 1,000 heads, stored in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`,
    );
    await claims();
    ratio(await measure(`beside ${count} that wait`));
    console.log(`  ${await claims()}`);
    ratio(await measure(`beside ${count} that wait, again`));
    console.log(`  ${await claims()}`);
    await sql`delete from webhook_deliveries where workspace_id = ${workspaceId}`;
  }

  if (values.only.includes("rate")) {
    const [workspaceId = ""] = await addWorkspaces(1, "ws_rate");
    for (const ms of [0, 100, 200, 500]) {
      const { id } = await endpointOf(workspaceId, `/after/${ms}`);
      await sleep(1_000);
      const prefix = `whd_rate${ms}_`;
      await addEvents(workspaceId, id, { count: 3_000, prefix });
      await sleep(8_000);
      const times = Object.entries(await arrivals()).flatMap(([key, at]) => (key.startsWith(prefix) ? [at] : []));
      const first = Math.min(...times);
      const rated = times.filter((at) => at < first + 6_000);
      const seconds = (Math.max(...rated) - first) / 1_000;
      console.log(`answers after ${ms} ms: ${(rated.length / seconds).toFixed(0)} events/s`);
      await sql`update webhook_endpoints set deleted_at = now() where id = ${id}`;
      await sql`delete from webhook_deliveries where workspace_id = ${workspaceId}`;
      await sleep(1_000);
    }
  }
  console.log(`Load average ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} cores.`);
} finally {
  await world.stop();
}

function shown(times: number[]): string {
  return [0.5, 0.99, 1].map((part) => quantile(times, part).toFixed(0)).join(" / ");
}
