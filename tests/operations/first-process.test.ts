import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { isAlive } from "../../scripts/processes.mjs";
import { SERVER } from "../../scripts/server-process.mjs";
import { processTree } from "../support/process-tree";
import { type Environment, serverEnvironment } from "../support/programs";
import { expectSent } from "../support/sends";
import { sendSlowly } from "../support/slow-sends";
import { provisionWorkspace, request } from "../support/workspace";

// As in a container: the first process of a namespace ignores every signal that it does not listen to. Needs Debian's
// util-linux, as root or with user namespaces.
const UNSHARE = ["--pid", "--fork", "--kill-child", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])];

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

const start = async (changes: Environment) => {
  const port = await freePort();
  const env = serverEnvironment({ PORT: `${port}`, ...changes }) as NodeJS.ProcessEnv;
  const child = spawn("unshare", [...UNSHARE, process.execPath, ...SERVER, "-H", "127.0.0.1"], {
    env,
    stdio: "ignore",
  });
  running.push(child);
  const exited = once(child, "exit").then(([code]) => code);
  // Seen from here, so that the signal is one that comes from outside, as an engine of containers sends it.
  const first = () => processTree(child.pid ?? 0)[1] ?? 0;
  const baseUrl = `http://127.0.0.1:${port}`;
  const isReady = () =>
    request("GET", `${baseUrl}/api/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  return { exited, first, baseUrl, isReady };
};

test("a process of this namespace without a listener ignores SIGTERM, or the tests below would show nothing", async () => {
  const idle = "setInterval(() => {}, 1000)";
  const child = spawn("unshare", [...UNSHARE, process.execPath, "-e", idle], { stdio: "ignore" });
  running.push(child);
  await expect.poll(() => processTree(child.pid ?? 0)).toHaveLength(2);
  const [, first = 0] = processTree(child.pid ?? 0);
  await sleep(500);
  process.kill(first, "SIGTERM");
  await sleep(500);
  expect(isAlive(first)).toBe(true);
});

describe.each(["1", "4"])("a server of %s that is the first process", (WORKERS) => {
  test.each(["SIGTERM", "SIGINT"] as const)("ends at %s with 0 while it waits for its database", async (signal) => {
    const database = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
    onTestFinished(() => void database.close());
    await once(database, "listening");
    const { port } = database.address() as AddressInfo;
    const server = await start({ WORKERS, DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` });
    await once(database, "connection");
    process.kill(server.first(), signal);
    expect(await server.exited).toBe(0);
  });

  test("ends at SIGTERM as soon as it is ready, and answers the sends that have reached it", async () => {
    const workspace = await provisionWorkspace();
    const server = await start({ WORKERS });
    await expect.poll(server.isReady, { interval: 5, timeout: 60_000 }).toBe(true);
    const { answers } = await sendSlowly(server.baseUrl, workspace);
    process.kill(server.first(), "SIGTERM");
    for (const answer of await answers) expectSent(answer);
    expect(await server.exited).toBe(0);
  });
});

test("a command that is the first process ends at SIGTERM, too", async () => {
  const database = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  onTestFinished(() => void database.close());
  await once(database, "listening");
  const { port } = database.address() as AddressInfo;
  const env = serverEnvironment({ DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` }) as NodeJS.ProcessEnv;
  const child = spawn("unshare", [...UNSHARE, process.execPath, "scripts/start.mjs", "migrate"], {
    env,
    stdio: "ignore",
  });
  running.push(child);
  const exited = once(child, "exit");
  await once(database, "connection");
  process.kill(processTree(child.pid ?? 0)[1] ?? 0, "SIGTERM");
  expect((await exited)[0]).toBe(143);
});
