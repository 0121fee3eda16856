import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { isAlive } from "../../../scripts/processes.mjs";
import { startInstance } from "../../support/environment";
import { type Inspector, inspect } from "../../support/inspector";
import { statuses } from "../../support/limits";
import { processTree } from "../../support/process-tree";
import { PHONE } from "../../support/sends";
import { platformRequests, provisionWorkspace, request } from "../../support/workspace";

type Instance = Awaited<ReturnType<typeof startInstance>>;

const running: Instance[] = [];
const inspectors: Inspector[] = [];
afterEach(async () => {
  for (const inspector of inspectors.splice(0)) inspector.close();
  await Promise.all(running.splice(0).map(({ stop }) => stop()));
});

/** A server whose processes open an inspector where the environment asks for it. */
const start = async (settings: Record<string, string> = {}) => {
  const inspectPort = await freePort();
  const instance = await startInstance({
    PUBLIC_API_KEY_RATE_LIMIT: "1000000",
    PUBLIC_API_IP_RATE_LIMIT: "1000000",
    NODE_OPTIONS: `--inspect-port=${inspectPort}`,
    ...settings,
  });
  running.push(instance);
  const open = async (pid: number) => {
    const inspector = await inspect(pid, inspectPort);
    inspectors.push(inspector);
    return inspector;
  };
  return { ...instance, open };
};

const pagesOf = ({ pid }: Instance): number => processTree(pid)[1] ?? 0;

const pageStatus = async ({ baseUrl }: Instance) =>
  (await request("GET", `${baseUrl}/docs`, { headers: { accept: "text/html" } })).status;

const health = async ({ baseUrl }: Instance) => (await request("GET", `${baseUrl}/api/health`)).body;

/** Sends 50 a second on 8 connections until it is stopped, and gives how many were answered, by status. */
const keepSending = async ({ baseUrl }: Instance) => {
  const { apiKey, apiSecret, clientAddress } = await provisionWorkspace();
  const headers = { apiKey, apiSecret, "x-forwarded-for": clientAddress };
  const counts: Record<number, number> = {};
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const body = JSON.stringify({ type: "text", phone: PHONE, content: "Hello" });
      const [{ status }] = await Promise.all([
        request("POST", `${baseUrl}/api/v1/public/messages/send`, { body, headers }),
        sleep(160),
      ]);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  const lanes = Promise.all(Array.from({ length: 8 }, lane));
  return async () => {
    isOver = true;
    await lanes;
    return counts;
  };
};

describe("the process of the API", () => {
  test("has loaded neither Next, React nor OpenTelemetry, and has no AsyncLocalStorage", async () => {
    const instance = await start();
    const { apiKey, apiSecret } = await provisionWorkspace();
    await request("GET", `${instance.baseUrl}/api/v1/public/templates`, { headers: { apiKey, apiSecret } });
    const inspector = await instance.open(instance.pid);
    const scripts = await inspector.scripts();
    expect(scripts.filter((url) => url.includes("/node_modules/postgres/")).length).toBeGreaterThan(0);
    expect(
      scripts.filter((url) => /\/node_modules\/(next|next-auth|react|react-dom|@opentelemetry)\//.test(url)),
    ).toEqual([]);
    const storage = `process.getBuiltinModule("node:async_hooks").AsyncLocalStorage.prototype`;
    expect(await inspector.instancesOf(storage)).toBe(0);
  });
});

describe("while sends go on, none fails and the pages are back, where the page process", () => {
  test.each<[string, (instance: Awaited<ReturnType<typeof start>>) => Promise<unknown> | unknown]>([
    ["is killed", (instance) => process.kill(pagesOf(instance), "SIGKILL")],
    [
      "runs out of memory",
      async (instance) => {
        const inspector = await instance.open(pagesOf(instance));
        await inspector.evaluate("const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5));", {
          isAwaited: false,
        });
      },
    ],
    [
      "never comes to an end",
      async (instance) => {
        const inspector = await instance.open(pagesOf(instance));
        await inspector.evaluate("for (;;);", { isAwaited: false });
      },
    ],
  ])("%s", { timeout: 90_000 }, async (_, hurt) => {
    const instance = await start();
    expect(await pageStatus(instance)).toBe(200);
    const stopSending = await keepSending(instance);
    const before = pagesOf(instance);
    await hurt(instance);
    await expect.poll(() => isAlive(before), { timeout: 40_000 }).toBe(false);
    const endedAtMs = performance.now();
    // While there are no pages it says so; how soon they are back is what an operator sees.
    await expect.poll(() => pageStatus(instance), { timeout: 20_000 }).toBe(200);
    console.log(`pages were back after ${Math.round(performance.now() - endedAtMs)} ms`);
    expect(pagesOf(instance)).not.toBe(before);
    const counts = await stopSending();
    expect(Object.keys(counts)).toEqual(["201"]);
    expect(await health(instance)).toEqual({ status: "ok", pages: "ok" });
  });
});

describe("two workers of one server", () => {
  test("60 racers with one key are one call and one message, whichever worker they meet", {
    timeout: 60_000,
  }, async () => {
    const instance = await start({ WORKERS: "2" });
    const { apiKey, apiSecret, clientAddress, whatsappPhoneNumberId } = await provisionWorkspace();
    const headers = { apiKey, apiSecret, "x-forwarded-for": clientAddress, "Idempotency-Key": "race" };
    const body = JSON.stringify({ type: "text", phone: PHONE, content: "Hello" });
    const answers = await Promise.all(
      Array.from({ length: 60 }, () =>
        request("POST", `${instance.baseUrl}/api/v1/public/messages/send`, { body, headers }),
      ),
    );
    expect(statuses(answers)).toEqual({ 200: 59, 201: 1 });
    expect(await platformRequests(whatsappPhoneNumberId, "messages")).toHaveLength(1);
    expect(await health(instance)).toEqual({ status: "ok", pages: "ok" });
  });
});

describe("without pages", () => {
  test("health stays 200 and says so, people see a page and programs our 503", { timeout: 60_000 }, async () => {
    const instance = await start();
    // Stopped, not ended: nothing answers, and no other is started yet.
    const pages = pagesOf(instance);
    process.kill(pages, "SIGKILL");
    await expect.poll(() => health(instance), { interval: 5 }).toEqual({ status: "ok", pages: "starting" });
    const html = await request("GET", `${instance.baseUrl}/sign-in`, { headers: { accept: "text/html" } });
    const json = await request("GET", `${instance.baseUrl}/api/auth/csrf`);
    expect([html.status, html.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(html.text).toContain("Back in a moment");
    const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(html.text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(html.headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
    expect([json.status, json.body.error]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    await expect.poll(() => health(instance), { timeout: 30_000 }).toEqual({ status: "ok", pages: "ok" });
  });
});

describe("the end", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("%s of the server ends both processes", async (signal) => {
    const instance = await start();
    const tree = processTree(instance.pid);
    expect(tree).toHaveLength(2);
    process.kill(instance.pid, signal);
    for (const pid of tree) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  test("of one worker is made good, and sends go on", { timeout: 60_000 }, async () => {
    const instance = await start({ WORKERS: "2" });
    const before = processTree(instance.pid);
    // The server itself, two workers and the pages.
    expect(before).toHaveLength(4);
    process.kill(before[1] ?? 0, "SIGKILL");
    await expect.poll(() => processTree(instance.pid).length, { timeout: 20_000 }).toBe(4);
    const stopSending = await keepSending(instance);
    await sleep(1_000);
    expect(Object.keys(await stopSending())).toEqual(["201"]);
    process.kill(instance.pid, "SIGTERM");
    for (const pid of before) await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });
});
