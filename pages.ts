// The page process of a self-hosted server: Next at a socket, behind the front door (server.ts).
//   node scripts/start.mjs pages --socket PATH --origin http://127.0.0.1:3000
import { AsyncLocalStorage } from "node:async_hooks";
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { CachedPage } from "@/lib/auth/cached-public-page";
import { type FrontDoor, setFrontDoor } from "@/lib/core/own-server";
import { Exchanges } from "@/lib/http/exchanges";
import { shareMetrics } from "@/lib/http/metrics-sockets";
import { BEAT_EVERY_MS, type PageMessage } from "@/lib/http/page-process";
import { DATABASE_FAILED_HEADER } from "@/lib/http/pass-on";
import { finish, handleUncaughtErrors } from "@/lib/http/stop";

Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });

type AnswerFirst = (request: IncomingMessage) => Promise<CachedPage | undefined> | undefined;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({ options: { socket: { type: "string" }, origin: { type: "string" } } });
const { socket: socketPath = "", origin = "" } = values;
// With a callback, which takes the error of a front door that has just exited.
const say = (word: PageMessage) => process.send?.(word, undefined, undefined, () => {});
const stopWork: (() => Promise<unknown>)[] = [];
let isReady = false;
handleUncaughtErrors(() => isReady);

// The front door tells this process when to exit, and signals do not (scripts/start.mjs).
process.on("disconnect", () => process.exit(0));
if (process.connected === false) process.exit(0);
process.on("message", (word) => {
  if (word === "stop") void finish(stopWork).finally(() => process.exit(0));
});
setInterval(() => say("beat"), BEAT_EVERY_MS);

// The response that instrumentation.ts marks when the database failed.
const answering = new AsyncLocalStorage<ServerResponse>();
function noteDatabaseFailure() {
  const response = answering.getStore();
  if (response && !response.headersSent) response.setHeader(DATABASE_FAILED_HEADER, "1");
}
const door: FrontDoor = { origin, pagesSocket: socketPath, stopWork, noteDatabaseFailure };
// Next does not wait for instrumentation.ts.
const mayOpen = new Promise<void>((open) => setFrontDoor(Object.assign(door, { open })));

await shareMetrics("pages", socketPath);
const { default: next } = await import("next");
const { hostname, port } = new URL(origin);
const app = next({ dev: false, dir: ROOT, hostname, port: Number(port) });
await app.prepare();
await mayOpen;
const handle = app.getRequestHandler();
// Next's own parser of its router header, to accept exactly what Next does (tests/api/pages/page-headers.test.ts).
const { default: routerState } = await import("next/dist/server/app-render/parse-and-validate-flight-router-state.js");

/** Removes an invalid router state, for which Next would return a 500; without one it renders the whole page. */
function dropBrokenRouterState({ headers }: IncomingMessage) {
  try {
    routerState.parseAndValidateFlightRouterState(headers["next-router-state-tree"]);
  } catch {
    delete headers["next-router-state-tree"];
  }
}

/** Serves cached public pages to visitors without a session (lib/auth/cached-public-page.ts); Next serves the rest. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const page = await (door.serveCachedPage as AnswerFirst | undefined)?.(request);
  if (!page) return handle(request, response);
  if (!response.closed) response.writeHead(200, page.headers).end(page.body);
}

// Its only client is the front door, which checks requests and manages connections.
const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, requireHostHeader: false });
// No limit: the front door has limited the headers, and adds its own.
server.maxHeadersCount = 0;
const exchanges = new Exchanges(server);
server.on("request", (request, response) => {
  exchanges.add(request, response);
  dropBrokenRouterState(request);
  void answering.run(response, answer, request, response).catch(() => response.destroy());
});
rmSync(socketPath, { force: true });
server.listen(socketPath, () => {
  isReady = true;
  say("ready");
});
