import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { freePort } from "./ports.mjs";
import { findBinaries } from "./postgres-binaries.mjs";
import { cleanEnvironment, createCluster, passwordOf, placeFor, USER } from "./postgres-cluster.mjs";
import { isAlive } from "./processes.mjs";

const DEFAULT_SETTINGS = { max_connections: 200, shared_buffers: "64MB" };
const FAST_AND_FORGETFUL = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
const START_ATTEMPTS = 4;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 15;

/**
 * Starts the embedded Postgres on 127.0.0.1 with the data in `directory`, or reuses the one that a killed run left
 * running. It stops with this process; `stop` waits for that. A second process may share it without stopping it.
 * @param {{ directory: string, port?: number, durable?: boolean, settings?: Record<string, string | number> }} options
 * @returns {Promise<{ url: string, port: number, stop: () => Promise<void> }>}
 */
export async function startPostgres({ directory, port, durable = true, settings = {} }) {
  const place = placeFor(directory);
  const given = JSON.parse(process.env.TEST_POSTGRES_SETTINGS ?? "{}");
  const all = { ...DEFAULT_SETTINGS, ...(durable ? {} : FAST_AND_FORGETFUL), ...given, ...settings };
  const server = await findOrLaunch(place, { port, settings: all });
  const stop = isOwner(place, server.pid) ? stopper(place, server.pid) : async () => undefined;
  return { url: urlOf(place, server.port), port: server.port, stop };
}

/** Retries, because a concurrent start, a port conflict or the last server's shared memory may block it briefly. */
async function findOrLaunch(place, options, attempt = 1) {
  const running = await findRunning(place);
  if (running) return running;
  try {
    return await launch(place, options);
  } catch (error) {
    if (attempt === START_ATTEMPTS) throw error;
    await sleep(250 * attempt);
    return findOrLaunch(place, options, attempt + 1);
  }
}

/** Finds a server already running with this data. Removes a lock file without a process. */
async function findRunning(place) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const lock = readLock(place);
    if (!lock) return undefined;
    const isForeign = lock.directory !== place.data || !isAlive(lock.pid);
    if (!isForeign && (await answers(place, lock.port))) return lock;
    if (isForeign || lock.status === "ready") {
      // The process id was reused, or the folder was copied while a server ran.
      if (readLock(place)?.pid === lock.pid) rmSync(lockFile(place), { force: true });
      return undefined;
    }
    if (Date.now() > deadline) throw new Error(`Postgres (process ${lock.pid}) has been ${lock.status} for too long.`);
    await sleep(POLL_MS);
  }
}

async function launch(place, { port, settings }) {
  const binaries = await findBinaries({ forAnyUser: "uid" in place.account });
  if (!existsSync(place.data)) await createCluster(place, binaries);
  const all = {
    ...settings,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: port ?? (await freePort()),
  };
  const log = openSync(place.log, "w", 0o600);
  // A separate process group: Ctrl-C reaches only this program, which stops Postgres at its end.
  const child = spawn(binaries.postgres, ["-D", place.data, ...flags(all)], {
    ...place.account,
    detached: true,
    cwd: os.tmpdir(),
    env: cleanEnvironment(),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let unstarted;
  child.on("error", (error) => {
    unstarted = error.message;
  });
  child.unref();
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    // Read here and not at its exit: a server that ends later may have no folder any more.
    if (child.exitCode !== null || child.signalCode) unstarted = readFileSync(place.log, "utf8").trim().slice(-2_000);
    if (unstarted !== undefined) throw new Error(`Postgres did not start: ${unstarted}`);
    const lock = readLock(place);
    if (lock?.pid === child.pid && lock.status === "ready") return lock;
    await sleep(POLL_MS);
  }
  child.kill("SIGQUIT");
  throw new Error(`Postgres was not ready after ${START_TIMEOUT_MS / 1_000} s; see ${place.log}.`);
}

const flags = (settings) => Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** Reads Postgres's lock file: process id, folder, start time, port, …, and the status on line 8. */
function readLock(place) {
  try {
    const lines = readFileSync(lockFile(place), "utf8").split("\n");
    return { pid: Number(lines[0]), directory: lines[1], port: Number(lines[3]), status: lines[7]?.trim() ?? "" };
  } catch {
    return undefined;
  }
}

const lockFile = (place) => `${place.data}/postmaster.pid`;

async function answers(place, port) {
  if (!port) return false;
  const sql = postgres(urlOf(place, port), { max: 1, connect_timeout: 2 });
  try {
    const [row] = await sql`show data_directory`;
    return row?.data_directory === place.data;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const urlOf = (place, port) => `postgres://${USER}:${passwordOf(place)}@127.0.0.1:${port}/postgres`;

/** The first process to use a server owns it; if that one was killed, the next one takes over. */
function isOwner(place, serverPid) {
  const [owner, owned] = existsSync(place.owner) ? readFileSync(place.owner, "utf8").split(" ").map(Number) : [];
  if (owned === serverPid && owner !== process.pid && isAlive(owner)) return false;
  writeFileSync(place.owner, `${process.pid} ${serverPid}`);
  return true;
}

function stopper(place, pid) {
  const interrupt = (signal = "SIGINT") => {
    if (readLock(place)?.pid === pid && isAlive(pid)) process.kill(pid, signal);
  };
  endWithProcess.add(interrupt);
  return async () => {
    endWithProcess.delete(interrupt);
    interrupt();
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (readLock(place)?.pid === pid && isAlive(pid)) {
      if (Date.now() > deadline) return interrupt("SIGQUIT");
      await sleep(POLL_MS);
    }
    rmSync(place.owner, { force: true });
  };
}

const endWithProcess = new Set();
function endAll() {
  for (const interrupt of endWithProcess) interrupt();
}

process.on("exit", endAll);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    // A program with its own handler decides when to exit; the exit event then does this.
    if (process.listenerCount(signal) > 0) return;
    endAll();
    process.kill(process.pid, signal);
  });
}
