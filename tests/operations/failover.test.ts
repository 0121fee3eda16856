import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { retry } from "@/lib/core/deadline";
import { freePort } from "../../scripts/ports.mjs";
import { printed, runCommand } from "../support/commands";
import { startInstance, testServers } from "../support/environment";
import { RESTORE_GUARD } from "../support/programs";
import { startSilentRelay } from "../support/silent-relay";
import { provisionWorkspace, request } from "../support/workspace";
import { countSends, sendOnce, startLoad } from "./send-load";

// Needs Debian's packages patroni, etcd-server, haproxy and postgresql-15: two nodes of ops/patroni.yml on loopback.
const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-failover-"));
const BEFORE_MS = 8_000;
const AFTER_MS = 10_000;
/** The keys of so many seconds before the leader was killed are all sent once more afterwards. */
const REPEATED_MS = 5_000;

type Relay = Awaited<ReturnType<typeof startSilentRelay>>;
type Node = { name: string; postgres: number; api: number; etcd: Relay; program?: ChildProcess };
const nodes: Node[] = [];
const others: ChildProcess[] = [];
let instances: Awaited<ReturnType<typeof startInstance>>[] = [];
let databaseUrl: string;

// Postgres refuses to run as root.
const idOf = (flag: "-u" | "-g") => Number(execFileSync("id", [flag, "postgres"]));
const account = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;

const startNode = (node: Node) => {
  const log = openSync(path.join(folder, `${node.name}.log`), "a");
  const options = { cwd: folder, env: { ...process.env, HOME: folder }, ...account };
  node.program = spawn("patroni", [path.join(folder, `${node.name}.yml`)], { ...options, stdio: ["ignore", log, log] });
  closeSync(log);
};

const writeNode = (node: Node) => {
  const config = readFileSync("ops/patroni.yml", "utf8")
    .replace("name: one", `name: ${node.name}`)
    .replaceAll("10.0.0.21:8008", `127.0.0.1:${node.api}`)
    .replaceAll("10.0.0.21:5432", `127.0.0.1:${node.postgres}`)
    .replace(/hosts: .*/, `hosts: ${new URL(node.etcd.url).host}`)
    // Else a node asks etcd for its own address, and goes around the relay.
    .replace("etcd3:", "etcd3:\n  use_proxies: true")
    .replaceAll("10.0.0.0/24", "127.0.0.1/32")
    .replace("max_connections: 200", `max_connections: 200\n        unix_socket_directories: ""`)
    .replace("data_dir: /var/lib/postgresql/15/switchboard", `data_dir: ${path.join(folder, node.name)}`)
    .replace("  bin_dir", `  pgpass: ${path.join(folder, `${node.name}.pgpass`)}\n  bin_dir`);
  writeFileSync(path.join(folder, `${node.name}.yml`), config);
};

const startHaproxy = async (): Promise<number> => {
  const port = await freePort();
  const [one, two] = nodes;
  const config = readFileSync("ops/haproxy-postgres.cfg", "utf8")
    .replace("127.0.0.1:6000", `127.0.0.1:${port}`)
    .replace("10.0.0.21:5432 check port 8008", `127.0.0.1:${one?.postgres} check port ${one?.api}`)
    .replace("10.0.0.22:5432 check port 8008", `127.0.0.1:${two?.postgres} check port ${two?.api}`);
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, config);
  others.push(spawn("haproxy", ["-f", file], { stdio: "ignore" }));
  return port;
};

const urlsOf = () => instances.map(({ baseUrl }) => baseUrl);
const statusOf = (node: Node, word: string) =>
  request("GET", `http://127.0.0.1:${node.api}/${word}`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => status,
    () => 0,
  );
const nodeThatIs = async (word: string): Promise<Node> => {
  const untilMs = performance.now() + 90_000;
  while (performance.now() < untilMs) {
    for (const node of nodes) if ((await statusOf(node, word)) === 200) return node;
    await sleep(250);
  }
  throw new Error(`no node is ${word}`);
};

const postmasterOf = ({ name }: Node) =>
  Number(readFileSync(path.join(folder, name, "postmaster.pid"), "utf8").split("\n")[0]);
const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
};
const killNode = (node: Node) => {
  node.program?.kill("SIGKILL");
  if (existsSync(path.join(folder, node.name, "postmaster.pid"))) kill(postmasterOf(node), "SIGKILL");
};

beforeAll(async () => {
  if (account) chownSync(folder, account.uid, account.gid);
  const [etcd, peer] = [await freePort(), await freePort()];
  const urls = (port: number) => `http://127.0.0.1:${port}`;
  mkdirSync(path.join(folder, "etcd"), { mode: 0o700 });
  const client = ["--listen-client-urls", urls(etcd), "--advertise-client-urls", urls(etcd)];
  const peers = ["--listen-peer-urls", urls(peer), "--initial-advertise-peer-urls", urls(peer)];
  const cluster = ["--initial-cluster", `default=${urls(peer)}`, "--data-dir", path.join(folder, "etcd")];
  others.push(spawn("etcd", [...client, ...peers, ...cluster], { stdio: "ignore" }));
  for (const name of ["one", "two"])
    nodes.push({ name, postgres: await freePort(), api: await freePort(), etcd: await startSilentRelay(urls(etcd)) });
  for (const node of nodes) {
    writeNode(node);
    startNode(node);
  }
  databaseUrl = `postgres://postgres:change-me@127.0.0.1:${await startHaproxy()}/postgres`;
  await nodeThatIs("synchronous");
  await retry(() => migrateDatabase(databaseUrl), { attempts: 20, retryIf: () => true, pauseMs: () => 1_000 });
  const limits = { PUBLIC_API_IP_RATE_LIMIT: "1000000", PUBLIC_API_KEY_RATE_LIMIT: "1000000" };
  const server = () => startInstance({ DATABASE_URL: databaseUrl, ...limits }, "API");
  instances = await Promise.all([server(), server()]);
  const servers = testServers();
  const environment = { ...servers.environment, DATABASE_URL: databaseUrl };
  process.env.TEST_SERVERS = JSON.stringify({ ...servers, baseUrl: urlsOf()[0], environment });
}, 150_000);
afterAll(async () => {
  for (const { stop } of instances) await stop();
  for (const node of nodes) killNode(node);
  for (const program of others) program.kill("SIGKILL");
  await sleep(1_000);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** What happens to a leader that has sent nothing to its standby for half a second, and how it comes back. */
type Loss = { lose: (leader: Node) => void; comeBack: (leader: Node) => void };
const LAG_MS = 500;
const KILLED: Loss = { lose: killNode, comeBack: startNode };
/** Neither etcd nor the standby can be reached, while our servers still reach its Postgres. */
const SEPARATED: Loss = { lose: ({ etcd }) => etcd.cut(), comeBack: ({ etcd }) => etcd.reconnect() };

/** Loses the leader under load, and repeats the latest keys. */
const failOver = async ({ lose, comeBack }: Loss) => {
  const workspace = await provisionWorkspace();
  const load = startLoad(urlsOf(), workspace);
  await sleep(BEFORE_MS);
  const leader = await nodeThatIs("primary");
  const sender = await senderOf(leader);
  kill(sender, "SIGSTOP");
  await sleep(LAG_MS);
  const lostAtMs = performance.now();
  lose(leader);
  while ((await nodeThatIs("primary")) === leader) await sleep(100);
  kill(sender, "SIGKILL");
  while (!load.attempts.some(({ outcome, endedAtMs }) => outcome === "201" && endedAtMs > lostAtMs + 3_000))
    await sleep(100);
  await sleep(AFTER_MS);
  const outcomes = await load.stop();
  const sent = load.attempts.filter(({ outcome }) => /^20[01]/.test(outcome) && outcome !== "200 PENDING");
  const counts = await countSends(
    workspace,
    sent.map(({ key }) => key),
  );
  const latest = sent.filter(({ endedAtMs }) => endedAtMs < lostAtMs && endedAtMs > lostAtMs - REPEATED_MS);
  const repeats: string[] = [];
  for (const { key } of latest) repeats.push(await sendOnce(urlsOf()[0] ?? "", workspace, key));
  const result = {
    outcomes,
    ...counts,
    repeated: repeats.length,
    sentAgain: repeats.filter((status) => status === "201").length,
    secondsWithoutService: Math.round(longestGapMs(sent.map(({ endedAtMs }) => endedAtMs)) / 100) / 10,
  };
  console.log(`failover: ${JSON.stringify(result)}`);
  comeBack(leader);
  return result;
};

/** The process of the leader that sends the write-ahead log to the standby. */
const senderOf = async (leader: Node): Promise<number> => {
  const sql = postgres(`postgres://postgres:change-me@127.0.0.1:${leader.postgres}/postgres`, { max: 1 });
  const [row] = await sql`select pid from pg_stat_replication`;
  await sql.end();
  return Number(row?.pid);
};

const longestGapMs = (times: readonly number[]): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.reduce((most, time, i) => Math.max(most, time - (sorted[i - 1] ?? time)), 0);
};

test("ops/restore.sh restores a dump that was made under load with the guard on, and nothing of a dump that is cut off", async () => {
  const load = startLoad(urlsOf(), await provisionWorkspace());
  await sleep(2_000);
  const dump = path.join(folder, "whole.dump");
  const run = promisify(execFile);
  await run("pg_dump", ["--format=custom", `--file=${dump}`, databaseUrl]);
  await load.stop();
  const cut = path.join(folder, "cut.dump");
  writeFileSync(cut, readFileSync(dump).subarray(0, -5_000));

  const admin = postgres(databaseUrl, { max: 1 });
  await admin`create database restored`;
  await admin.end();
  const url = new URL("/restored", databaseUrl).href;
  const restore = (file: string) => run("ops/restore.sh", [file], { env: { ...process.env, DATABASE_URL: url } });
  const restored = postgres(url, { max: 1 });
  await expect(restore(cut)).rejects.toThrow();
  expect(await restored`select to_regclass('public.messages') as messages`).toEqual([{ messages: null }]);
  await restore(dump);
  expect(await restored`select count(*) > 0 as "hasRows" from messages`).toEqual([{ hasRows: true }]);
  await restored.end();
  const status = await runCommand(RESTORE_GUARD, ["status"], { DATABASE_URL: url });
  expect(printed(status)).toMatchObject({ guard: "on", lostSendsSeen: [] });
}, 60_000);

test("with synchronous_mode, a failover under load sends nothing twice, and every key from before it is known after it", async () => {
  const { lost, doubles, repeated, sentAgain, secondsWithoutService } = await failOver(KILLED);
  expect(repeated).toBeGreaterThan(20);
  expect({ lost, doubles, sentAgain }).toEqual({ lost: 0, doubles: 0, sentAgain: 0 });
  expect(secondsWithoutService).toBeLessThan(60);
}, 180_000);

test("with it, a leader that is cut off from etcd and its standby gives way, and sends nothing twice either", async () => {
  await nodeThatIs("synchronous");
  const { lost, doubles, repeated, sentAgain, secondsWithoutService } = await failOver(SEPARATED);
  expect(repeated).toBeGreaterThan(20);
  expect({ lost, doubles, sentAgain }).toEqual({ lost: 0, doubles: 0, sentAgain: 0 });
  expect(secondsWithoutService).toBeLessThan(60);
}, 240_000);

test("without it, the keys of the time that the standby lags are sent again if they are repeated", async () => {
  await nodeThatIs("synchronous");
  const leader = await nodeThatIs("primary");
  const change = { method: "PATCH", body: JSON.stringify({ synchronous_mode: false }) };
  expect((await fetch(`http://127.0.0.1:${leader.api}/config`, change)).status).toBe(200);
  await nodeThatIs("asynchronous");
  await sleep(6_000);
  const { sentAgain } = await failOver(KILLED);
  expect(sentAgain).toBeGreaterThan(0);
}, 240_000);
