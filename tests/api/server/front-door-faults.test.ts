import { once } from "node:events";
import { openSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { spawnNode } from "../../../scripts/processes.mjs";
import { SERVER } from "../../../scripts/server-process.mjs";
import { startOwnServer } from "../../support/own-server";
import { serverEnvironment } from "../../support/programs";
import { expectSent, TEXT } from "../../support/sends";
import { provisionWorkspace, request } from "../../support/workspace";

const statusOf = async (port: number) => (await request("GET", `http://127.0.0.1:${port}/api/health`)).status;

describe("what nothing catches", () => {
  test("is logged, each as one line without values, and the server goes on", async () => {
    const server = await startOwnServer({}, [], ["--require", "./tests/support/throw-on-signal.cjs"]);
    const { port } = server;
    await server.says("ready on");
    // Next adds listeners of its own with the first page.
    await request("GET", `http://127.0.0.1:${port}/sign-in`);
    const before = server.said.stdout.length;
    for (let i = 0; i < 3; i++) process.kill(server.pid, "SIGUSR2");
    const uncaught = () =>
      server.said.stdout
        .slice(before)
        .split("\n")
        .filter((line) => line.includes('"event":"uncaught"'))
        .map((line) => JSON.parse(line));
    await expect.poll(() => uncaught().length).toBeGreaterThanOrEqual(6);
    expect(await statusOf(port)).toBe(200);
    const said = `${server.said.stdout.slice(before)}${server.said.stderr}`;
    expect(said).not.toContain("that no log may hold");
    expect(said.split("\n").filter((line) => /^\s+at |unhandledRejection:/.test(line))).toEqual([]);
    expect(new Set(uncaught().map(({ origin }) => origin))).toEqual(
      new Set(["uncaughtException", "unhandledRejection"]),
    );
    server.signal("SIGTERM");
    expect(await server.exited).toBe(0);
  });

  test("before the server is ready ends it, with the reason", async () => {
    const server = await startOwnServer({}, [], ["--require", "./tests/support/throw-at-start.cjs"]);
    expect(await server.exited).toBe(1);
    // What it wrote may be read after its end is known.
    await expect.poll(() => server.said.stdout).toContain("thrown while it starts");
    expect(server.said.stdout).not.toContain("ready on");
  });
});

describe("a log that cannot be written", () => {
  const start = async (stdout: "pipe" | number) => {
    const port = await freePort();
    const child = spawnNode([...SERVER, "--pages", "none"], {
      env: serverEnvironment({ PORT: `${port}` }),
      stdout,
      stderr: stdout,
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect.poll(() => statusOf(port).catch(() => 0), { timeout: 30_000 }).toBe(200);
    return { child, port };
  };

  const expectServing = async ({ child, port }: Awaited<ReturnType<typeof start>>) => {
    const { send } = (await provisionWorkspace()).at(`http://127.0.0.1:${port}`);
    for (let i = 0; i < 3; i++) expectSent(await send(TEXT));
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  };

  test("because no one reads it any more stops no send", async () => {
    const started = await start("pipe");
    started.child.stdout?.destroy();
    started.child.stderr?.destroy();
    await expectServing(started);
  });

  test.runIf(process.platform === "linux")("because the disk is full stops no send", async () => {
    await expectServing(await start(openSync("/dev/full", "w")));
  });
});
