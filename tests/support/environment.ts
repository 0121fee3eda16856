import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import { ensureBuilt } from "../../scripts/install.mjs";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { startPostgres } from "../../scripts/postgres.mjs";
import { placeFor } from "../../scripts/postgres-cluster.mjs";
import { startServer } from "../../scripts/server-process.mjs";
import { compileCommands } from "./compile-commands";
import { listenOnLoopback } from "./loopback";
import { migrateTestDatabase } from "./partitions";
import { startPlatform } from "./platform";
import { openRoute, routed } from "./route";
import { closeRunLogs, newLogFile, noteEnvironment, notePhone, openRunLogs } from "./run-logs";

/** Where the servers of a test run are; every test process reads it from the environment. */
export type TestServers = {
  baseUrl: string;
  platformUrl: string;
  mediaUrl: string;
  /** The folder of the compiled commands. */
  commands: string;
  /** The folder of the build that answers at `baseUrl`. */
  build: string;
  environment: Record<string, string>;
  /** The address of the run's Postgres, and the one by which servers reach it. */
  route?: { from: string; to: string };
};

/** The files that the command line names: for a single one the server is built alone. */
const NAMED_FILES = process.argv.filter((word) => word.endsWith(".test.ts"));

/** The servers of this run. */
export const testServers = (): TestServers => {
  const servers = process.env.TEST_SERVERS;
  if (!servers) throw new Error("The test servers are not running: start tests with `npm test` or through vitest.");
  return JSON.parse(servers);
};

/**
 * Starts a real Postgres, WhatsApp's stand-in, a host of media files and the built server, and leaves their
 * addresses in the environment. Each call makes its own world.
 */
export const startEnvironment = async (overrides: Record<string, string> = {}): Promise<() => Promise<void>> => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "switchboard-test-"));
  openRunLogs();
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  // Below the project, where compiled commands find its packages.
  const commands = mkdtempSync(path.join(DATA_DIRECTORY, "commands-"));
  const [database, platform, media] = await Promise.all([
    startPostgres({ directory: path.join(directory, "postgres"), durable: false }),
    ...([startPlatform(), startMediaHost()] as const),
    ...([
      compileCommands(commands),
      ensureBuilt({ TEST_BUILD: NAMED_FILES.length === 1 ? "server" : "all", ...process.env }),
    ] as const),
  ]);
  const route = await openRoute(database.url);
  await migrateTestDatabase(route.direct);
  const port = await freePort();
  const secret = () => randomBytes(32).toString("base64url");
  const environment = {
    PORT: String(port),
    DRAIN_SECONDS: "0",
    APP_URL: `http://localhost:${port}`,
    DATABASE_URL: database.url,
    NEXTAUTH_SECRET: secret(),
    KEY_PEPPER: secret(),
    ENCRYPTION_KEY: secret(),
    WHATSAPP_APP_SECRET: secret(),
    WHATSAPP_APP_SECRET_PREVIOUS: secret(),
    WHATSAPP_VERIFY_TOKEN: secret(),
    CRON_SECRET: secret(),
    WHATSAPP_GRAPH_URL: platform.url,
    // Every test calls from an address of its own, so that limits never collide.
    TRUSTED_PROXY_HOPS: "1",
    MEDIA_FETCH_ALLOW: new URL(media.url).host,
    ...overrides,
  };
  noteEnvironment(environment);
  const server = await startServer({
    environment: { PATH: process.env.PATH, ...environment, DATABASE_URL: route.url },
    logFile: newLogFile("server"),
  });
  const servers: TestServers = {
    baseUrl: `http://localhost:${port}`,
    platformUrl: platform.url,
    mediaUrl: media.url,
    commands,
    build: process.cwd(),
    environment,
    route: { from: database.url, to: route.url },
  };
  process.env.TEST_SERVERS = JSON.stringify(servers);
  return async () => {
    await server.stop();
    await Promise.all([platform.stop(), media.stop()]);
    await noteRecipients(database.url);
    await route.stop();
    await database.stop();
    closeRunLogs({ further: [placeFor(path.join(directory, "postgres")).log] });
    for (const folder of [directory, commands]) rmSync(folder, { recursive: true, force: true });
  };
};

/**
 * A second server beside the run's own, over the same database, with settings of its own. One that serves the API only
 * starts in a third of the time.
 */
export const startInstance = async (
  overrides: Record<string, string>,
  serves: "API and pages" | "API" = "API and pages",
): Promise<Instance> => {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return await startOn(port, overrides, serves === "API and pages");
    } catch (error) {
      // Of many that look for a port at once another may be faster.
      if (attempt === 3 || !String(error).includes(`Port ${port} is taken`)) throw error;
    }
  }
};

type Instance = { baseUrl: string; pid: number; logFile: string; stop: () => Promise<void> };

const startOn = async (port: number, overrides: Record<string, string>, hasPages: boolean): Promise<Instance> => {
  const baseUrl = `http://localhost:${port}`;
  const logFile = newLogFile("server");
  const environment: Record<string, string> = {
    ...testServers().environment,
    PORT: `${port}`,
    APP_URL: baseUrl,
    ...overrides,
  };
  noteEnvironment(environment);
  const DATABASE_URL = routed(environment.DATABASE_URL ?? "", testServers().route);
  const server = await startServer({
    environment: { PATH: process.env.PATH, ...environment, DATABASE_URL },
    logFile,
    hasPages,
  });
  return { baseUrl, pid: server.pid ?? 0, logFile, stop: server.stop };
};

/** Also those that no test named in a request: WhatsApp's sandbox has its own, and webhooks bring some. */
const noteRecipients = async (databaseUrl: string): Promise<void> => {
  const sql = postgres(databaseUrl, { max: 1 });
  const rows = await sql<{ phone: string }[]>`select phone from messages union select phone from contacts`;
  for (const { phone } of rows) notePhone(phone);
  await sql.end();
};

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * Serves a picture, or what a path's name says: `/missing`, `/page.html`, `/large.png` (4.5 MB), `/huge.png`, `/slow.png?ms=500`, `/redirect`
 * (to the address in its query, else to a cloud's metadata), … `/__hits/a.png` tells how often `/a.png` was asked for.
 */
const startMediaHost = async () => {
  const hits = new Map<string, number>();
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    if (url.startsWith("/__hits")) return void response.end(`${hits.get(url.slice("/__hits".length)) ?? 0}`);
    hits.set(url, (hits.get(url) ?? 0) + 1);
    const [, name = "", query] = /^\/([^/?]*)[^?]*\??(.*)/.exec(url) ?? [];
    (HOSTED[name] ?? picture)(response, new URLSearchParams(query));
  });
  const { url, close } = await listenOnLoopback(server);
  return { url, stop: close };
};

const picture = (response: ServerResponse) => response.writeHead(200, { "content-type": "image/png" }).end(PNG);

/** What is served in place of the picture, by the first part of the path. */
const HOSTED: Record<string, (response: ServerResponse, query: URLSearchParams) => unknown> = {
  "silent.png": () => undefined,
  "slow.png": (response, query) => setTimeout(() => picture(response), Number(query.get("ms"))),
  "endless.png": (response) => endless(response),
  "cut.png": (response) => response.writeHead(200, { "content-length": "5000" }).write(PNG, () => response.destroy()),
  "video.mp4": (response) => response.end(Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "latin1")),
  "file.pdf": (response, query) => {
    const name = query.get("name");
    const header = Buffer.from(`attachment; filename="${name}"`).toString("latin1");
    if (name) response.setHeader("content-disposition", header);
    // Node damages the header if it knows the whole body (findings/node-header-bytes.sh).
    response.write("%PDF-1.7\n");
    response.end();
  },
  missing: (response) => response.writeHead(404).end(),
  "page.html": (response) => response.writeHead(200, { "content-type": "image/png" }).end("<html>"),
  "large.png": (response) => response.end(Buffer.concat([PNG, Buffer.alloc(4.5 * 1024 * 1024)])),
  "huge.png": (response) => response.end(Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)])),
  redirect: (response, query) =>
    response.writeHead(302, { location: query.get("to") ?? "http://169.254.169.254/latest/meta-data" }).end(),
};

/** A picture without an announced length that never ends. */
const endless = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "image/png" }).write(PNG);
  const more = Buffer.alloc(256 * 1024);
  const timer = setInterval(() => response.write(more), 5);
  response.on("close", () => clearInterval(timer));
};
