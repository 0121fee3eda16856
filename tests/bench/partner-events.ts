// `npm run bench -- partner-events [--rate 300 --seconds 8 --rounds 5]`: what events to a partner's endpoint cost the sends
// that make them, in pairs with and without; and how long an event takes from its status to the endpoint.
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Sql } from "postgres";
import { provenWorkspaceId } from "@/lib/core/principal";
import { createEndpoint } from "@/lib/outgoing/create-endpoint";
import { command } from "@/lib/workspaces/record-audit";
import { quantile } from "../faults/fault";
import { startMeasuredWorld } from "./measured-world";
import { SEND_TEXT, WEBHOOK_OF_ONE } from "./scenarios";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "300" },
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "5" },
  },
});
const [rate, seconds, rounds] = [Number(values.rate), Number(values.seconds), Number(values.rounds)];
const LENGTH = { calls: rate * seconds, seconds, rate, connections: 64 };
const GOAL_RISE = 1.25;
const EMPTY_WITHIN_MS = 60_000;

const world = await startMeasuredWorld();
try {
  const { sql, pair, loads, partnerUrl, measuredId } = world;
  const endpoint = { mode: "live" as const, url: `${partnerUrl}/hook`, label: "Bench", events: [] };
  const { id } = await createEndpoint(provenWorkspaceId(measuredId), endpoint, command("bench"));
  const subscribe = async (events: string[]) => {
    await sql`update webhook_endpoints set events = ${JSON.stringify(events)}::text::jsonb where id = ${id}`;
    await sleep(2_500);
  };
  await loads.run(SEND_TEXT, pair.ours, LENGTH);

  console.log(`${"".padEnd(10)}alone p50/p99 ms   with events p50/p99 ms   p99 ratio   events/s   lag p50/p99 ms`);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await subscribe([]);
    const alone = await loads.run(SEND_TEXT, pair.ours, LENGTH);
    await subscribe(["message.sent"]);
    const beside = await loads.run(SEND_TEXT, pair.ours, LENGTH);
    const { perSecond, lags } = await delivered(sql, partnerUrl);
    const ratio = quantile(beside.times, 0.99) / quantile(alone.times, 0.99);
    ratios.push(ratio);
    console.log(
      `${`round ${round}`.padEnd(10)}${shown(alone.times).padEnd(19)}${shown(beside.times).padEnd(25)}${ratio.toFixed(2).padEnd(12)}${perSecond.toFixed(0).padEnd(11)}${shown(lags)}`,
    );
  }
  await subscribe(["message.sent", "message.delivered", "message.read"]);
  const webhooks = await loads.run(WEBHOOK_OF_ONE, pair.ours, LENGTH);
  const { perSecond, lags } = await delivered(sql, partnerUrl);
  console.log(
    `p99 of sends with their events: ${quantile(ratios, 0.5).toFixed(2)} times that without, in the median of ${rounds} pairs (goal: ${GOAL_RISE}).\n` +
      `From a webhook of WhatsApp to the partner, ${rate}/s: p50 ${quantile(lags, 0.5).toFixed(0)} ms, p99 ${quantile(lags, 0.99).toFixed(0)} ms, ${perSecond.toFixed(0)} events/s; the webhooks themselves p50/p99 ${shown(webhooks.times)} ms.\n` +
      `Load average ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} cores.`,
  );
} finally {
  await world.stop();
}

/** What was delivered since the last look: from the transaction that stored an event to its arrival. */
async function delivered(sql: Sql, partnerUrl: string): Promise<{ perSecond: number; lags: number[] }> {
  const untilMs = Date.now() + EMPTY_WITHIN_MS;
  for (;;) {
    const [left] = await sql`select from webhook_deliveries where state = 'PENDING' limit 1`;
    if (!left) break;
    if (Date.now() > untilMs) throw new Error("events are waiting still");
    await sleep(50);
  }
  const arrivals: Record<string, number> = await (await fetch(partnerUrl)).json();
  const rows = await sql<{ id: string; at: number }[]>`
    select id, extract(epoch from created_at)::float8 * 1000 as at from webhook_deliveries order by position`;
  await sql`truncate webhook_deliveries, webhook_attempts`;
  const times = rows.map(({ id, at }) => ({ at, arrived: arrivals[id] ?? Number.NaN }));
  const arrived = times.map(({ arrived }) => arrived);
  const perSecond = (1_000 * times.length) / (Math.max(...arrived) - Math.min(...arrived));
  return { perSecond, lags: times.map(({ at, arrived }) => arrived - at) };
}

function shown(times: number[]): string {
  return [0.5, 0.99].map((part) => quantile(times, part).toFixed(1)).join(" / ");
}
