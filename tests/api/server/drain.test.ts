import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { startOwnServer } from "../../support/own-server";
import { serverEnvironment } from "../../support/programs";
import { expectSent } from "../../support/sends";
import { sendSlowly, sendTo } from "../../support/slow-sends";
import { test } from "../../support/test";
import { provisionWorkspace, request } from "../../support/workspace";

test("SIGTERM to `npm start` reaches the server: what is in flight is answered, and no process is left", async () => {
  const workspace = await provisionWorkspace();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const npm = spawn("npm", ["start", "--", "-H", "127.0.0.1"], {
    env: serverEnvironment({ PORT: `${port}`, HOME: process.env.HOME }) as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const exited = once(npm, "exit");
  try {
    let said = "";
    for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
    await expect.poll(() => said, { timeout: 60_000 }).toContain("ready on");
    const { answers } = await sendSlowly(baseUrl, workspace);
    npm.kill("SIGTERM");
    for (const answer of await answers) expectSent(answer);
    await exited;
    await expect.poll(() => statusOf(`${baseUrl}/api/health`), { timeout: 10_000 }).toBe("refused");
  } finally {
    try {
      process.kill(-(npm.pid ?? 0), "SIGKILL");
    } catch {
      // The whole group has ended.
    }
  }
});

const statusOf = (url: string) =>
  request("GET", url).then(
    ({ status }) => status,
    () => "refused",
  );

describe("DRAIN_SECONDS", () => {
  test.for(["1", "2"])(
    "after SIGTERM with %s workers: health says draining, ready is 503, calls are served, then it exits with 0",
    async (WORKERS, { workspace }) => {
      const server = await startOwnServer({ WORKERS, DRAIN_SECONDS: "4" });
      const { baseUrl } = server;
      await server.says("ready on");
      const of = async (path: string) => {
        const { status, body } = await request("GET", `${baseUrl}${path}`);
        return { status, body };
      };
      expect(await of("/api/health/ready")).toEqual({
        status: 200,
        body: {
          status: "ready",
          api: "ok",
          database: "ok",
          schema: "ok",
          pages: "ok",
          lastSweepSeconds: expect.toBeOneOf([null, expect.any(Number)]),
        },
      });
      server.signal("SIGTERM");
      await expect.poll(() => of("/api/health")).toEqual({ status: 200, body: { status: "draining", pages: "ok" } });
      const ready = await of("/api/health/ready");
      expect([ready.status, ready.body.error, ready.body.details.api]).toEqual([
        503,
        "SERVICE_UNAVAILABLE",
        "draining",
      ]);
      const untilMs = performance.now() + 2_000;
      while (performance.now() < untilMs) {
        expectSent(await sendTo(baseUrl, workspace));
        await sleep(50);
      }
      expect(await of("/sign-in").then(({ status }) => status)).toBe(200);
      expect(await server.exited).toBe(0);
    },
  );

  test("a second signal ends the wait", async () => {
    const server = await startOwnServer({ DRAIN_SECONDS: "300" });
    await server.says("ready on");
    server.signal("SIGTERM");
    await expect.poll(() => server.said.stdout).toContain('"draining"');
    server.signal("SIGTERM");
    expect(await server.exited).toBe(0);
  });
});
