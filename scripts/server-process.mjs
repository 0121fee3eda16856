import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { exitOf, spawnNode } from "./processes.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGE = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/**
 * The arguments of Node in `npm start`, whose `exec` replaces the shell: a signal to npm reaches the server.
 * @type {string[]}
 */
export const SERVER = PACKAGE.scripts.start.split(" ").slice(2);

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 35_000;
const POLL_MS = 50;

/**
 * Starts the built server on 127.0.0.1 and waits until it is healthy, its pages only with `waitsForPages`. Its log goes to `logFile`.
 * `directory` is the tree with the build, by default this one. Without `hasPages` there is no page process: like
 * a worker, the server proxies pages to a socket, where nothing listens.
 * @param {{ environment: Record<string, string | undefined>, logFile: string, directory?: string, hasPages?: boolean, waitsForPages?: boolean }} options
 * @returns {Promise<{ pid: number | undefined, exited: Promise<number | null>, stop: () => Promise<void>, kill: () => void }>}
 */
export async function startServer({
  environment,
  logFile,
  directory = ROOT,
  hasPages = true,
  waitsForPages = hasPages,
}) {
  const log = openSync(logFile, "w", 0o600);
  // A separate process group: Ctrl-C reaches only the parent, which then stops the server cleanly.
  const child = spawnNode([...SERVER, "-H", "127.0.0.1", ...(hasPages ? [] : ["--pages", `${logFile}.none`])], {
    cwd: directory,
    detached: true,
    stdout: log,
    stderr: log,
    env: { ...environment, NODE_ENV: "production" },
  });
  closeSync(log);
  const exited = exitOf(child);
  const server = {
    pid: child.pid,
    exited,
    kill: () => child.kill("SIGKILL"),
    stop: async () => {
      child.kill("SIGTERM");
      await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      child.kill("SIGKILL");
    },
  };
  try {
    await waitUntilWell({ port: environment.PORT, exited, logFile, waitsForPages });
  } catch (error) {
    server.kill();
    throw error;
  }
  return server;
}

async function waitUntilWell({ port, exited, logFile, waitsForPages }) {
  let hasExited = false;
  exited.finally(() => {
    hasExited = true;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!hasExited && Date.now() < deadline) {
    if (await isWell(port, waitsForPages)) return;
    await sleep(POLL_MS);
  }
  const why = hasExited ? "ended at once" : `was not well after ${START_TIMEOUT_MS / 1_000} s`;
  throw new Error(`The server ${why}:\n${readFileSync(logFile, "utf8").trim().slice(-2_000)}`);
}

async function isWell(port, waitsForPages) {
  try {
    // A kept-alive connection would look like a leak of the server.
    const headers = { connection: "close" };
    const response = await fetch(`http://127.0.0.1:${port}/api/health/ready`, {
      headers,
      signal: AbortSignal.timeout(5_000),
    });
    return response.ok && (!waitsForPages || (await response.json()).pages !== "starting");
  } catch {
    return false;
  }
}
