// The quiet tenant of the soak, in a process of its own. Reads one order from standard input, sends texts at its pace,
// and prints the durations and statuses as one line of JSON. A duration starts when the send was due, so that a server
// that stalls is not asked less often.
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Tenant } from "./tenant";

export type QuietOrder = { baseUrl: string; tenant: Tenant; seconds: number; perSecond: number };
export type QuietReport = { times: number[]; refusals: string[] };

const { baseUrl, tenant, seconds, perSecond }: QuietOrder = JSON.parse(await text(process.stdin));
const dispatcher = new Agent({ connections: 20 });
const report: QuietReport = { times: [], refusals: [] };

const send = async (serial: number, dueAtMs: number): Promise<void> => {
  const idempotencyKey = `${process.pid}-${serial}`;
  const answer = await request(`${baseUrl}/api/v1/public/messages/send`, {
    method: "POST",
    dispatcher,
    headers: {
      apiKey: tenant.apiKey,
      apiSecret: tenant.apiSecret,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
      // The limit of one address is 100 in 15 minutes.
      "x-forwarded-for": `198.18.${Math.floor(serial / 50) % 256}.${Math.floor(process.pid % 250)}`,
    },
    body: JSON.stringify({ type: "text", phone: "447700900123", content: "Your order is ready." }),
  });
  const body = await answer.body.text();
  report.times.push(performance.now() - dueAtMs);
  if (answer.statusCode !== 201) report.refusals.push(`${answer.statusCode} ${body.slice(0, 300)}`);
};

const startedAtMs = performance.now();
const running: Promise<void>[] = [];
for (let serial = 0; serial < seconds * perSecond; serial++) {
  const dueAtMs = startedAtMs + (serial * 1_000) / perSecond;
  await sleep(Math.max(0, dueAtMs - performance.now()));
  running.push(send(serial, dueAtMs).catch((error: unknown) => void report.refusals.push(String(error))));
}
await Promise.all(running);
await dispatcher.close();
console.log(JSON.stringify(report));
