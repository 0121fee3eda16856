// A customer's side: clients that send, each one message after the other with a pause, in a process of its own. Reads one
// order from standard input and prints what each send took as one line of JSON.
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

/** @type {{ urls: string[], headers: Record<string, string>, clients: number, pauseMs: number, seconds: number }} */
const { urls, headers, clients, pauseMs, seconds } = JSON.parse(await text(process.stdin));
const dispatcher = new Agent({ connections: clients });
const body = JSON.stringify({ type: "text", phone: "447700900123", content: "Your order 8812 is ready. Thank you." });
const endsAtMs = performance.now() + seconds * 1_000;
const times = [];
let refused = 0;

const client = async (index) => {
  await sleep((pauseMs * index) / clients);
  while (performance.now() < endsAtMs) {
    const startedAtMs = performance.now();
    const answer = await request(`${urls[index % urls.length]}/api/v1/public/messages/send`, {
      method: "POST",
      dispatcher,
      headers: { ...headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode === 201) times.push(performance.now() - startedAtMs);
    else refused += 1;
    await sleep(pauseMs);
  }
};

await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
await dispatcher.close();
console.log(JSON.stringify({ times, refused }));
