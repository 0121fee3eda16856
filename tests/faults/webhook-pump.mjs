// WhatsApp's side of a flood, in a process of its own, so that its work is not taken for the servers' slowness. Reads
// one order from standard input, posts at its pace over kept connections, and prints what it saw as one line of JSON.
import { createHmac } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

const CONNECTIONS = 50;
const TICK_MS = 4;
const MAX_PAUSE_MS = 2_000;

/** @type {{ baseUrls: string[], bodies: string[], secret: string, pace: number, seconds: number, maxPending: number }} */
const { baseUrls, bodies, secret, pace, seconds, maxPending } = JSON.parse(await text(process.stdin));
const dispatcher = new Agent({ connections: CONNECTIONS });
const times = [];
let posted = 0;
let refused = 0;

/** Repeated until it is taken, as WhatsApp does. */
const post = async (body, baseUrl) => {
  const startedAtMs = performance.now();
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
  for (let pauseMs = 100; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const status = await request(`${baseUrl}/api/webhooks/whatsapp`, {
      method: "POST",
      dispatcher,
      headers,
      body,
    }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode;
      },
      () => 0,
    );
    if (status === 200) break;
    refused += 1;
    await sleep(pauseMs);
  }
  times.push(performance.now() - startedAtMs);
};

const startedAtMs = performance.now();
const elapsedSeconds = () => (performance.now() - startedAtMs) / 1_000;
while (posted < bodies.length && elapsedSeconds() < seconds) {
  const due = Math.min(bodies.length, Math.ceil(elapsedSeconds() * pace));
  for (; posted < due && posted - times.length < maxPending; posted++)
    void post(bodies[posted], baseUrls[posted % baseUrls.length]);
  await sleep(TICK_MS);
}
const keptPace = posted / elapsedSeconds();
while (times.length < posted) await sleep(TICK_MS);
await dispatcher.close();
console.log(JSON.stringify({ posted, refused, pace: keptPace, times }));
