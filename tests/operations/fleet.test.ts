import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { SERVER } from "../../scripts/server-process.mjs";
import { testServers } from "../support/environment";
import { type Program, serverEnvironment, startProgram } from "../support/programs";
import { startPgbouncer } from "../support/route";
import { provisionWorkspace, request } from "../support/workspace";
import { countSends, sendOnce, startLoad } from "./send-load";

// Needs Debian's packages haproxy and pgbouncer: two servers behind the configurations of ops, restarted under load.
const SECONDS = Number(process.env.FLEET_SECONDS ?? 60);
const DRAIN_SECONDS = "4";
/** A plan's units, and how many sends want one while servers come and go. */
const [UNITS, WANTED] = [300, 400];

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-fleet-"));
const proxies: ChildProcess[] = [];
const servers = new Map<number, Program>();
let balancerUrl: string;
let pooler: Awaited<ReturnType<typeof startPgbouncer>>;

const start = async (port: number): Promise<void> => {
  const program = startProgram(
    [...SERVER, "-H", "127.0.0.1"],
    serverEnvironment({
      PORT: `${port}`,
      DATABASE_URL: pooler.url,
      DRAIN_SECONDS,
      TRUSTED_PROXY_HOPS: "1",
      PUBLIC_API_IP_RATE_LIMIT: "1000000",
      PUBLIC_API_KEY_RATE_LIMIT: "1000000",
    }),
  );
  servers.set(port, program);
  await program.says("ready on");
};

const startHaproxy = async (ports: readonly number[]): Promise<string> => {
  const port = await freePort();
  const config = readFileSync("ops/haproxy.cfg", "utf8")
    .replace("bind :443 ssl crt /etc/haproxy/certs/", `bind 127.0.0.1:${port}`)
    .replace("10.0.0.11:3000", `127.0.0.1:${ports[0]}`)
    .replace("10.0.0.12:3000", `127.0.0.1:${ports[1]}`)
    // The drain alone must be enough: a retry would hide a socket that is closed too early.
    .replace("retries 2", "retries 0")
    .replace(/^.*(retry-on|option redispatch).*$/gm, "");
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, config);
  await promisify(execFile)("haproxy", ["-c", "-f", file]);
  proxies.push(spawn("haproxy", ["-f", file], { stdio: "ignore" }));
  return `http://127.0.0.1:${port}`;
};

beforeAll(async () => {
  pooler = await startPgbouncer(testServers().environment.DATABASE_URL ?? "");
  const ports = [await freePort(), await freePort()];
  await Promise.all(ports.map(start));
  balancerUrl = await startHaproxy(ports);
  const statusOf = () =>
    request("GET", `${balancerUrl}/api/health`).then(
      ({ status }) => status,
      () => 0,
    );
  while ((await statusOf()) !== 200) await sleep(100);
}, 120_000);
afterAll(async () => {
  for (const program of servers.values()) {
    program.signal("SIGKILL");
    await program.exited;
  }
  for (const proxy of proxies) proxy.kill("SIGKILL");
  await pooler.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Outcomes of a workspace with fewer units than sends, spread over the time of the restarts. */
const useUp = async (): Promise<Record<string, number>> => {
  const limited = await provisionWorkspace({ messageLimit: UNITS });
  const counts: Record<string, number> = {};
  for (let sent = 0; sent < WANTED; sent += 2) {
    const pair = [sent, sent + 1].map((serial) => sendOnce(balancerUrl, limited, `limited-${serial}`));
    for (const outcome of await Promise.all(pair)) counts[outcome] = (counts[outcome] ?? 0) + 1;
    await sleep((SECONDS * 1_000) / WANTED);
  }
  return counts;
};

test(
  `restarts under load for ${SECONDS} s: no attempt fails, nothing is sent twice, and a limit is exact`,
  async () => {
    const workspace = await provisionWorkspace();
    const load = startLoad([balancerUrl], workspace);
    const limited = useUp();
    const untilMs = performance.now() + SECONDS * 1_000;
    let restarts = 0;
    for (; performance.now() < untilMs; restarts++) {
      const port = [...servers.keys()][restarts % 2] ?? 0;
      const program = servers.get(port);
      program?.signal("SIGTERM");
      expect(await program?.exited).toBe(0);
      await start(port);
      await sleep(2_500);
    }
    const outcomes = await load.stop();
    console.log(`fleet: ${JSON.stringify(outcomes)} over ${restarts} restarts`);
    expect(Object.keys(outcomes)).toEqual(["201"]);
    const sent = load.attempts.map(({ key }) => key);
    expect(await countSends(workspace, sent)).toEqual({ lost: 0, doubles: 0 });
    expect(await limited).toEqual({ "201": UNITS, "402": WANTED - UNITS });
  },
  (SECONDS + 120) * 1_000,
);
