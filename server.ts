// The self-hosted server: the partner API, webhooks, sandbox, cron and health in this process, the pages in one beside it
// (docs/decisions/0030).  PORT=3000 node scripts/start.mjs [-H 127.0.0.1] [-p 3000]
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serveApi } from "@/app/api/routes";
import { env } from "@/lib/core/env";
import { type PagesState, setFrontDoor } from "@/lib/core/own-server";
import { listen } from "@/lib/http/front-door";
import { shareMetrics } from "@/lib/http/metrics-sockets";
import { keepPages, newSocketPath, type PageProcess } from "@/lib/http/page-process";
import { handleUncaughtErrors, refuseToStart, type Stoppable, stopGracefully, stopOnSignal } from "@/lib/http/stop";
import { announceToPrimary, keepWorkers } from "@/lib/http/workers";
import { prepareServer, requireEnvironment, startWork } from "@/lib/operations/start-server";
import { startTraces } from "@/lib/operations/start-traces";

Object.assign(process.env, { NODE_ENV: "production" });

/** The program of every process of a server: it handles signals before it loads the rest. */
const START = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));

const { values: options } = parseArgs({
  options: {
    hostname: { type: "string", short: "H" },
    port: { type: "string", short: "p" },
    /** Worker only: the socket of the page process. */
    pages: { type: "string" },
    /** Worker only: its number among the workers, which its metrics name. */
    slot: { type: "string" },
  },
  allowPositionals: false,
});

let isReady = false;
handleUncaughtErrors(() => isReady);
requireEnvironment();
let stoppable: Stoppable | undefined;
const stop = stopOnSignal(() => stoppable);
const port = Number(options.port ?? env().PORT);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  refuseToStart(`--port must be from 0 to 65535, not ${options.port}.`);
const address = { port, hostname: options.hostname };
const announceReady = (origin: string) =>
  console.log(`ready on http://${options.hostname ?? "localhost"}:${new URL(origin).port}`);

if (env().WORKERS > 1 && cluster.isPrimary) await runWorkers();
else await runServer();

/** Runs a server process; the page process is its child, or that of the primary if there are several workers. */
async function runServer() {
  // Before listening: on a shared socket an unready worker would accept connections that others could serve.
  await prepareServer();
  const pagesSocket = options.pages ?? newSocketPath();
  const flushTraces = await startTraces();
  await shareMetrics(options.slot ? `api-${options.slot}` : "api", pagesSocket);
  const door = await listen(address, { serveApi, pagesSocket }).catch((error: NodeJS.ErrnoException) =>
    refuseToStart(error.code === "EADDRINUSE" ? `Port ${port} is taken. Set PORT to another one.` : error.message),
  );
  const { server, exchanges, origin } = door;
  let pagesState: PagesState = "starting";
  let isDraining = false;
  const onPagesState = (state: PagesState) => {
    pagesState = state;
  };
  const stopWork: (() => Promise<unknown>)[] = [];
  setFrontDoor({
    origin,
    pagesSocket,
    stopWork,
    isDraining: () => isDraining,
    pagesState: () => (pagesState === "ok" && door.arePagesBusy() ? "busy" : pagesState),
  });
  stoppable = {
    drain: () => {
      isDraining = true;
      door.startDraining();
    },
    close: () => stopGracefully({ server, exchanges, stopWork, lastWork: flushTraces }),
  };
  // A stopping primary makes its workers call this.
  server.close = (whenClosed) => {
    if (whenClosed) server.once("close", whenClosed);
    stop();
    return server;
  };

  const pages = options.pages
    ? undefined
    : keepPages({ program: START, socketPath: pagesSocket, origin, onState: onPagesState });
  startWork();
  if (pages) stopWork.push(pages.stop);
  isReady = true;
  if (!pages) return announceToPrimary(origin, onPagesState);
  await pages.ready;
  announceReady(origin);
}

async function runWorkers() {
  const socketPath = newSocketPath();
  const args = [...process.argv.slice(2), "--pages", socketPath];
  let pages: PageProcess | undefined;
  const onStopped = () => void Promise.resolve(pages?.stop()).finally(() => process.exit(0));
  const workers = keepWorkers({ program: START, args, count: env().WORKERS, onStopped });
  stoppable = workers;
  const origin = await workers.origin;
  isReady = true;
  await workers.ready;
  pages = keepPages({ program: START, socketPath, origin, onState: workers.broadcastPagesState });
  await pages.ready;
  announceReady(origin);
}
