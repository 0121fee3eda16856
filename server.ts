// The self-hosted server: the partner API, webhooks, sandbox, cron and health in this process, the pages in one beside it
// (docs/decisions/0030).  PORT=3000 node scripts/start.mjs [-H 127.0.0.1] [-p 3000]
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as unknownPath from "@/app/api/[[...path]]/route";
import * as sweep from "@/app/api/cron/sweep/route";
import * as health from "@/app/api/health/route";
import * as sandbox from "@/app/api/sandbox/[...path]/route";
import * as listener from "@/app/api/v1/listen/route";
import * as unknownCall from "@/app/api/v1/public/[[...path]]/route";
import * as message from "@/app/api/v1/public/messages/[messageId]/route";
import * as send from "@/app/api/v1/public/messages/send/route";
import * as templates from "@/app/api/v1/public/templates/route";
import * as webhook from "@/app/api/webhooks/whatsapp/route";
import { env } from "@/lib/core/env";
import { type PagesState, setFrontDoor } from "@/lib/core/front-door";
import { log } from "@/lib/core/log";
import { prepareServer, requireEnvironment, startWork } from "@/lib/operations/start-server";
import { surviveFaults } from "@/lib/server/faults";
import { listen } from "@/lib/server/front-door";
import type { MountedRoute } from "@/lib/server/mount";
import { keepPages, newSocketPath } from "@/lib/server/page-process";
import { stopGracefully } from "@/lib/server/stop";
import { announceToPrimary, keepWorkers } from "@/lib/server/workers";

Object.assign(process.env, { NODE_ENV: "production" });

/** The first that fits is taken. */
const ROUTES: MountedRoute[] = [
  { path: "/api/v1/public/messages/send", route: send },
  { path: "/api/v1/public/messages/:messageId", route: message },
  { path: "/api/v1/public/templates", route: templates },
  { path: "/api/v1/public/*", route: unknownCall },
  { path: "/api/v1/listen", route: listener },
  { path: "/api/webhooks/whatsapp", route: webhook },
  { path: "/api/sandbox/*", route: sandbox, readsStream: true },
  { path: "/api/cron/sweep", route: sweep },
  { path: "/api/health", route: health },
  { path: "/api/*", route: unknownPath },
];

const PAGES = fileURLToPath(new URL("./pages.mjs", import.meta.url));

const { values: options } = parseArgs({
  options: {
    hostname: { type: "string", short: "H" },
    port: { type: "string", short: "p" },
    /** Worker only: the socket of the page process. */
    pages: { type: "string" },
  },
  allowPositionals: false,
});

let isReady = false;
surviveFaults(() => isReady);
requireEnvironment();
const port = Number(options.port ?? env().PORT);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  refuseToStart(`--port must be from 0 to 65535, not ${options.port}.`);
const address = { port, hostname: options.hostname };
const announceReady = (origin: string) =>
  console.log(`ready on http://${options.hostname ?? "localhost"}:${new URL(origin).port}`);

if (env().WORKERS > 1 && cluster.isPrimary) await runWorkers();
else await runServer();

/** This process serves; the pages are beside it, or beside the primary of several workers. */
async function runServer() {
  // Before it listens: on a socket that several workers share, one that is not ready would take what others could answer.
  await prepareServer();
  const pagesSocket = options.pages ?? newSocketPath();
  const door = await listen(address, { routes: ROUTES, pagesSocket }).catch((error: NodeJS.ErrnoException) =>
    refuseToStart(error.code === "EADDRINUSE" ? `Port ${port} is taken. Set PORT to another one.` : error.message),
  );
  const { server, exchanges, origin } = door;
  let pagesState: PagesState = "starting";
  const onPagesState = (state: PagesState) => {
    pagesState = state;
  };
  const stopWork: (() => Promise<unknown>)[] = [];
  setFrontDoor({
    origin,
    stopWork,
    pagesState: () => (pagesState === "ok" && door.arePagesBusy() ? "busy" : pagesState),
  });
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    door.beginToStop();
    log("info", "stopping", { signal, open: exchanges.open });
    stopGracefully({ server, exchanges, stopWork });
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, stop);
  // What a primary that stops has its workers call.
  server.close = (whenClosed) => {
    if (whenClosed) server.once("close", whenClosed);
    stop("close");
    return server;
  };

  const pages = options.pages
    ? undefined
    : keepPages({ program: PAGES, socketPath: pagesSocket, origin, onState: onPagesState });
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
  const workers = await keepWorkers({ program: fileURLToPath(import.meta.url), args, count: env().WORKERS });
  isReady = true;
  const pages = keepPages({ program: PAGES, socketPath, origin: workers.origin, onState: workers.broadcastPagesState });
  const stop = (signal: string) => {
    log("info", "stopping", { signal, workers: env().WORKERS });
    void workers
      .stop()
      .then(pages.stop)
      .finally(() => process.exit(0));
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, stop);
  await pages.ready;
  announceReady(workers.origin);
}

function refuseToStart(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
