// The load generator: a process of its own, so that what it costs is on no server's account. Takes an order, prepares its
// calls, and makes them at "go" (load.ts is its other end).
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type Dispatcher, Pool } from "undici";
import type { Load, Order } from "./load";
import { type Call, scenarioNamed } from "./scenarios";

/** Sleeping for less than that takes longer than it. */
const SHORTEST_SLEEP_MS = 1;
const POOL_CONNECTIONS = 100;

type Calls = {
  /** The next call; none where all are made, the time is over or one has failed. */
  take: () => Call | undefined;
  perform: (dispatcher: Dispatcher, call: Call) => Promise<void>;
};

let ready: (() => Promise<Load>) | undefined;

process.on("disconnect", () => process.exit());
process.on("message", (message: Order | "go") => {
  void answer(message).then(
    (load) => process.send?.({ load }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

async function answer(message: Order | "go"): Promise<Load | undefined> {
  if (message === "go") return ready?.();
  const { call, name, status } = scenarioNamed(message.scenario);
  const calls = Array.from({ length: message.count }, (_, index) => call(message.target, message.first + index));
  const what = { name: `${name} of ${message.target.name}`, status: message.status ?? status };
  ready = () => load(message, calls, what);
  return undefined;
}

async function load(order: Order, calls: Call[], what: { name: string; status: number }): Promise<Load> {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + (order.seconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const times: number[] = [];
  const failures: unknown[] = [];
  let next = 0;
  let endedAtMs = startedAtMs;
  const take = () => (failures.length > 0 || performance.now() >= untilMs ? undefined : calls[next++]);
  const perform = async (dispatcher: Dispatcher, call: Call) => {
    try {
      times.push(await timeOf(dispatcher, call, what));
      endedAtMs = performance.now();
    } catch (error) {
      failures.push(error);
    }
  };
  await (order.rate === undefined ? closedLoop : openLoop)(order, { take, perform });
  if (failures.length > 0) throw failures[0];
  const seconds = (endedAtMs - startedAtMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { times, seconds, cores: (user + system) / 1e6 / seconds };
}

/** Each connection makes its next call when it has its response. */
async function closedLoop({ connections, target }: Order, { take, perform }: Calls): Promise<void> {
  const connection = async () => {
    const client = new Client(target.url);
    for (let call = take(); call; call = take()) await perform(client, call);
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

/** Calls begin at their time, whether or not those before have their responses. */
async function openLoop({ target, rate = 1 }: Order, { take, perform }: Calls): Promise<void> {
  const pool = new Pool(target.url, { connections: POOL_CONNECTIONS, pipelining: 1 });
  const startedAtMs = performance.now();
  const all: Promise<void>[] = [];
  for (let call = take(); call; call = take()) {
    const waitMs = startedAtMs + (all.length * 1_000) / rate - performance.now();
    if (waitMs >= SHORTEST_SLEEP_MS) await sleep(waitMs);
    all.push(perform(pool, call));
  }
  await Promise.all(all);
  await pool.close();
}

/** Milliseconds from the call to the end of its response, which must have the expected status. */
function timeOf(dispatcher: Dispatcher, call: Call, { name, status }: { name: string; status: number }) {
  return new Promise<number>((resolve, reject) => {
    const startedAtMs = performance.now();
    let received = 0;
    let refusal = "";
    dispatcher.dispatch(call, {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        received = statusCode;
      },
      onResponseData(_controller, chunk) {
        if (received !== status) refusal += chunk.toString();
      },
      onResponseEnd() {
        if (received === status) resolve(performance.now() - startedAtMs);
        else reject(new Error(`${name}: ${received} in place of ${status}: ${refusal.slice(0, 500)}`));
      },
      onResponseError(_controller, error) {
        reject(new Error(`${name}: ${error.message}`));
      },
    });
  });
}
