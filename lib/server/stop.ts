import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { performance } from "node:perf_hooks";
import type { Exchanges } from "./exchanges";

const STOP_WITHIN_MS = 30_000;
const STOP_GRACE_MS = 250;
const STOP_WORK_MS = 2_000;
const QUIET_TURNS = 4;
// Under a load that never pauses, longer would only move the moment.
const ACCEPT_WITHIN_MS = 5_000;

type Stop = { server: Server; exchanges: Exchanges; stopWork: readonly (() => Promise<unknown>)[] };

/**
 * Ends the process when all requests are answered that have arrived, in the kernel's queue too, and the work is done that
 * they left behind. Where several processes share an address, each takes in what it can and leaves the rest to the others.
 */
export function stopGracefully({ server, exchanges, stopWork }: Stop): void {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  const cut = () => {
    const cutAll = () => server.closeAllConnections();
    server.closeIdleConnections();
    exchanges.onNone(cutAll);
    if (exchanges.open === 0) cutAll();
  };
  whenNoneArrives(server, () => {
    // The HTTP server's own close would cut connections at once that it has read nothing from yet (tests/api/server/start.test.ts).
    NetServer.prototype.close.call(server, () => void finish(stopWork).finally(() => process.exit(0)));
    setTimeout(() => setImmediate(() => setImmediate(cut)), STOP_GRACE_MS).unref();
  });
}

/**
 * Closing the listening socket resets what waits in its queue, and Node takes one connection out of it in each turn of its
 * loop: the queue is empty when some turns in a row bring none.
 */
const whenNoneArrives = (server: Server, act: () => void): void => {
  const untilMs = performance.now() + ACCEPT_WITHIN_MS;
  let quiet = 0;
  const onConnection = () => {
    quiet = 0;
  };
  const turn = () => {
    quiet += 1;
    if (quiet <= QUIET_TURNS && performance.now() < untilMs) return void setImmediate(turn);
    server.off("connection", onConnection);
    act();
  };
  server.on("connection", onConnection);
  setImmediate(turn);
};

/** Does what is left to do, for two seconds at most. */
export function finish(stopWork: Stop["stopWork"]): Promise<unknown> {
  const over = new Promise((resolve) => setTimeout(resolve, STOP_WORK_MS));
  return Promise.race([Promise.allSettled(stopWork.map((work) => work())), over]);
}
