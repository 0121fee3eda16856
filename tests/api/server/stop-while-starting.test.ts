import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../scripts/processes.mjs";
import { startOwnServer } from "../../support/own-server";
import { processTree } from "../../support/process-tree";
import type { Environment, Program } from "../../support/programs";
import { expectSent } from "../../support/sends";
import { sendSlowly } from "../../support/slow-sends";
import { provisionWorkspace, request } from "../../support/workspace";

async function start(changes: Environment) {
  const program = await startOwnServer(changes, ["-H", "127.0.0.1"]);
  const { baseUrl } = program;
  const isReady = () =>
    request("GET", `${baseUrl}/api/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  return { ...program, baseUrl, isReady };
}

async function expectNoneLeft(tree: number[]) {
  for (const pid of tree) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
}

const expectNoFault = ({ said }: Program) => expect(said.stdout + said.stderr).not.toMatch(/uncaught|"level":"error"/);

/** The first process may have ended the others before their turn. */
function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
const MOMENTS = ["1", "4"].flatMap((workers) => SIGNALS.map((signal) => ({ workers, signal })));

describe.each(MOMENTS)("$signal to a server of $workers that starts", ({ workers: WORKERS, signal }) => {
  test("ends it at any moment before it listens: with 0, or as the signal does before Node itself is up", async () => {
    for (const afterMs of [0, 60, 120, 250, 500, 1_000]) {
      const server = await start({ WORKERS });
      await sleep(afterMs);
      server.signal(signal);
      expect(await server.exited).toBeOneOf([0, null]);
      expectNoFault(server);
    }
  });

  test("ends it with 0 while it waits for its database", async () => {
    const database = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
    onTestFinished(() => void database.close());
    await once(database, "listening");
    const { port } = database.address() as AddressInfo;
    const server = await start({ WORKERS, DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` });
    await once(database, "connection");
    const tree = processTree(server.pid);
    server.signal(signal);
    expect(await server.exited).toBe(0);
    await expectNoneLeft(tree);
  });

  test("as soon as it is ready: the sends that have reached it are answered, and no process is left", async () => {
    const workspace = await provisionWorkspace();
    const server = await start({ WORKERS });
    await expect.poll(server.isReady, { interval: 5, timeout: 60_000 }).toBe(true);
    const { answers } = await sendSlowly(server.baseUrl, workspace);
    const tree = processTree(server.pid);
    server.signal(signal);
    for (const answer of await answers) expectSent(answer);
    expect(await server.exited).toBe(0);
    await expectNoneLeft(tree);
    expectNoFault(server);
  });

  test("as soon as it is ready, to each of its processes as systemd sends it: it ends with 0 and without a fault", async () => {
    const server = await start({ WORKERS });
    await expect.poll(server.isReady, { interval: 5, timeout: 60_000 }).toBe(true);
    const tree = processTree(server.pid);
    for (const pid of tree) killIfThere(pid, signal);
    expect(await server.exited).toBe(0);
    await expectNoneLeft(tree);
    expectNoFault(server);
  });
});

test("pages that are still starting when their server has ended end, too, and without a fault", async () => {
  for (const afterMs of [0, 250, 500, 750, 1_000, 1_250, 1_500]) {
    const server = await start({});
    await expect.poll(server.isReady, { interval: 5, timeout: 60_000 }).toBe(true);
    await sleep(afterMs);
    const [, pages = 0] = processTree(server.pid);
    process.kill(pages, "SIGSTOP");
    server.signal("SIGTERM");
    await expect.poll(() => isAlive(server.pid), { timeout: 10_000 }).toBe(false);
    process.kill(pages, "SIGCONT");
    await expectNoneLeft([pages]);
    await server.exited;
    expectNoFault(server);
  }
});
