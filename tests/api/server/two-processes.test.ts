import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { isAlive } from "../../../scripts/processes.mjs";
import { callInParallel, statuses } from "../../support/limits";
import {
  expectPagesBack,
  health,
  keepSending,
  pagesOf,
  startInspected,
  stopInspectedServers,
} from "../../support/page-process";
import { processTree } from "../../support/process-tree";
import { callsOf, KEY, TEXT } from "../../support/sends";
import { provisionWorkspace, request } from "../../support/workspace";

// Each test starts a server with its pages, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
stopInspectedServers();

test("the process of the API has loaded neither Next, React nor OpenTelemetry, and has no AsyncLocalStorage", async () => {
  const instance = await startInspected();
  await (await provisionWorkspace()).at(instance.baseUrl).call("GET", "/api/v1/public/templates");
  const inspector = await instance.open(instance.pid);
  const scripts = await inspector.scripts();
  // Packages are in the server's bundle, whose map names their files.
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(".next/switchboard/server.mjs.map", "utf8"));
  expect(scripts.filter((url) => url.endsWith("/.next/switchboard/server.mjs"))).toHaveLength(1);
  expect(sources.filter((file) => file.includes("/node_modules/postgres/")).length).toBeGreaterThan(0);
  expect(
    [...scripts, ...sources].filter((url) =>
      /\/node_modules\/(next|next-auth|react|react-dom|@opentelemetry)\//.test(url),
    ),
  ).toEqual([]);
  const storage = `process.getBuiltinModule("node:async_hooks").AsyncLocalStorage.prototype`;
  expect(await inspector.instancesOf(storage)).toBe(0);
  const tree = processTree(instance.pid);
  expect(tree).toHaveLength(2);
  process.kill(instance.pid, "SIGKILL");
  for (const pid of tree) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

// tests/long/page-process.test.ts has pages that run out of memory, and those that never come to an end.
test("while sends go on, none fails and the pages are back, where the page process is killed; until then health says so, people see a page and programs our 503", async () => {
  const instance = await startInspected();
  await expectPagesBack(instance, async () => {
    process.kill(pagesOf(instance), "SIGKILL");
    await expect.poll(() => health(instance), { interval: 5 }).toEqual({ status: "ok", pages: "starting" });
    const html = await request("GET", `${instance.baseUrl}/sign-in`, { headers: { accept: "text/html" } });
    const json = await request("GET", `${instance.baseUrl}/api/auth/csrf`);
    expect([html.status, html.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(html.text).toContain("Back in a moment");
    const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(html.text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(html.headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
    expect([json.status, json.body.error]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  });
});

test("of two workers one may meet any of 60 racers with one key, which are one call and one message; one that ends is made good, and SIGTERM ends all", async () => {
  const instance = await startInspected({ WORKERS: "2" });
  const workspace = await provisionWorkspace();
  const { send } = workspace.at(instance.baseUrl);
  const answers = await callInParallel(60, () => send(TEXT, KEY));
  expect(statuses(answers)).toEqual({ 200: 59, 201: 1 });
  expect(await callsOf(workspace)).toHaveLength(1);
  expect(await health(instance)).toEqual({ status: "ok", pages: "ok" });

  const before = processTree(instance.pid);
  // The server itself, two workers and the pages.
  expect(before).toHaveLength(4);
  process.kill(before[1] ?? 0, "SIGKILL");
  // Not the number of processes: until its parent has noticed, the one that ended counts, and its connections are still being reset.
  const started = () => processTree(instance.pid).filter((pid) => !before.includes(pid));
  await expect.poll(started, { timeout: 20_000 }).toHaveLength(1);
  const stopSending = await keepSending(instance);
  await sleep(1_000);
  expect(Object.keys(await stopSending())).toEqual(["201"]);
  process.kill(instance.pid, "SIGTERM");
  for (const pid of before) await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
});
