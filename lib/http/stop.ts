import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { performance } from "node:perf_hooks";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import type { Exchanges } from "./exchanges";

const STOP_WITHIN_MS = 30_000;
const STOP_GRACE_MS = 250;
const STOP_WORK_MS = 2_000;
const QUIET_TURNS = 4;
// Under constant load a longer wait would not help.
const ACCEPT_WITHIN_MS = 5_000;

type Work = () => Promise<unknown>;
/** `lastWork` runs last, to flush traces of the rest. */
type Stop = { server: Server; exchanges: Exchanges; stopWork: readonly Work[]; lastWork?: Work | undefined };

/** What can be stopped: `drain` makes balancers turn away, `close` ends the process once its work is done. */
export type Stoppable = { drain: () => void; close: () => void };

/**
 * At SIGTERM drains for DRAIN_SECONDS, so that a balancer notices before the socket closes, then closes. SIGINT, a
 * second signal and the returned function close at once. `current` is undefined until the process listens: it just exits.
 */
export function stopOnSignal(current: () => Stoppable | undefined): () => void {
  let isDraining = false;
  let isClosing = false;
  const stop = () => {
    if (isClosing) return;
    isClosing = true;
    log("info", "stopping");
    const server = current();
    if (!server) return process.exit(0);
    server.drain();
    server.close();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", () => {
    const server = current();
    const seconds = isDraining || !server ? 0 : env().DRAIN_SECONDS;
    isDraining = true;
    if (seconds === 0) return stop();
    log("info", "draining", { seconds });
    server?.drain();
    setTimeout(stop, seconds * 1_000);
  });
  return stop;
}

/**
 * Exits once every request that has arrived, in the kernel's queue too, is answered and its background work
 * is done. If several processes share an address, each accepts what it can and leaves the rest to the others.
 */
export function stopGracefully({ server, exchanges, stopWork, lastWork }: Stop): void {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  const cut = () => {
    const cutAll = () => server.closeAllConnections();
    server.closeIdleConnections();
    exchanges.onIdle(cutAll);
    if (exchanges.open === 0) cutAll();
  };
  whenQueueEmpty(server, () => {
    // HTTP's own close cuts connections that have sent nothing yet (tests/api/server/start.test.ts).
    NetServer.prototype.close.call(server, () => void finish(stopWork, lastWork).finally(() => process.exit(0)));
    setTimeout(() => setImmediate(() => setImmediate(cut)), STOP_GRACE_MS).unref();
  });
}

/**
 * Closing the listening socket resets the connections in its queue, and Node accepts one per turn of the event
 * loop: the queue is empty when several turns in a row accept none.
 */
function whenQueueEmpty(server: Server, act: () => void): void {
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
}

/** Finishes background work, for two seconds at most. */
export function finish(stopWork: Stop["stopWork"], lastWork?: Work): Promise<unknown> {
  const over = new Promise((resolve) => setTimeout(resolve, STOP_WORK_MS));
  return Promise.race([Promise.allSettled(stopWork.map((work) => work())).then(lastWork), over]);
}

/** Tells Next that rejections have a listener; its own would log them with the values of a query. */
const NEXT_LISTENER = Symbol.for("next.unhandledRejectionListener");

/**
 * Logs each uncaught error as one line (docs/decisions/0030). Exits only if the process is not
 * ready yet.
 */
export function handleUncaughtErrors(isReady: () => boolean): void {
  const survive = (error: unknown, origin: string) => {
    log("error", "uncaught", { origin, ...errorFields(error) });
    if (!isReady()) process.exit(1);
  };
  const surviveRejection = (reason: unknown) => survive(reason, "unhandledRejection");
  // Not listeners alone: Next adds its own, which write the whole error.
  process.setUncaughtExceptionCaptureCallback((error) => survive(error, "uncaughtException"));
  process.on("unhandledRejection", surviveRejection);
  Reflect.set(globalThis, NEXT_LISTENER, surviveRejection);
  // A closed log pipe must neither stop the server nor raise more errors.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Ends a process that cannot start, with a sentence for the operator. */
export function refuseToStart(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
