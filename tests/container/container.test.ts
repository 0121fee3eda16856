import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { startCollector } from "../support/collector";
import { createDatabase } from "../support/databases";
import { type Environment, serverEnvironment } from "../support/programs";
import { newLogFile } from "../support/run-logs";
import { expectSent } from "../support/sends";
import { sendSlowly, sendTo } from "../support/slow-sends";
import { provisionWorkspace, request } from "../support/workspace";
import { buildBaseImage } from "./base-image";
import { buildImage, bytesAbove, CONFINED, podman } from "./podman";

// Needs Debian's podman, buildah and runc, as root. No registry of images is asked: the base is this machine's Node.
const BASE = "localhost/switchboard-test-base";
const IMAGE = "localhost/switchboard-test";
const NAME = `switchboard-test-${process.pid}`;
const MAX_MEGABYTES = 200;

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-container-"));

const environmentFile = (name: string, { PATH, ...variables }: Environment): string => {
  const file = path.join(folder, name);
  writeFileSync(
    file,
    Object.entries(variables)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(""),
    { mode: 0o600 },
  );
  return file;
};

const inContainer = (script: string) => podman("exec", NAME, "node", "-e", script);

beforeAll(async () => {
  buildBaseImage(BASE);
  const startedAtMs = performance.now();
  await buildImage(IMAGE, BASE);
  console.log(`container: built in ${Math.round((performance.now() - startedAtMs) / 1_000)} s`);
}, 900_000);

afterAll(async () => {
  await podman("rm", "--force", "--ignore", NAME);
  await podman("image", "rm", "--force", IMAGE, BASE);
  rmSync(folder, { recursive: true });
});

test(`the image adds at most ${MAX_MEGABYTES} MB to its base`, async () => {
  const megabytes = (await bytesAbove(IMAGE, BASE)) / 1e6;
  console.log(`container: ${megabytes.toFixed(1)} MB above the base`);
  expect(megabytes).toBeLessThan(MAX_MEGABYTES);
});

test("`migrate` brings an empty database up to date, and `doctor` finds it so", async () => {
  const database = await createDatabase({ isMigrated: false });
  try {
    const file = environmentFile("empty", serverEnvironment({ DATABASE_URL: database.url }));
    const command = (...words: string[]) => podman("run", "--rm", ...CONFINED, "--env-file", file, IMAGE, ...words);
    await command("migrate");
    // Ends with 1: nothing answers at APP_URL yet.
    const report: string = await command("doctor").catch(({ stdout }) => stdout);
    expect(report).toContain("The schema is up to date.");
  } finally {
    await database.drop();
  }
});

test("confined as uid 10001 it serves calls and pages, traces them, and SIGTERM answers what is in flight", async () => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const collector = await startCollector();
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const file = environmentFile("server", serverEnvironment({ PORT: `${port}`, APP_URL: baseUrl, ...traces }));
  const startedAtMs = performance.now();
  await podman("run", "--detach", "--name", NAME, ...CONFINED, "--env-file", file, IMAGE, "-H", "127.0.0.1");
  const pages = () =>
    request("GET", `${baseUrl}/api/health/ready`).then(
      ({ text }) => text,
      () => "",
    );
  await expect.poll(pages, { timeout: 60_000 }).toContain('"pages":"ok"');
  console.log(`container: ready ${Math.round(performance.now() - startedAtMs)} ms after \`podman run\``);
  await podman("healthcheck", "run", NAME);

  expect(await inContainer("console.log(process.getuid(), process.getgid())")).toBe("10001 10001");
  const firstProcess = await inContainer(
    'console.log(fs.readFileSync("/proc/1/cmdline", "utf8").split("\\0").join(" "))',
  );
  expect(firstProcess).toBe("node --v8-pool-size=1 scripts/start.mjs -H 127.0.0.1");
  const write = 'try { fs.writeFileSync("/app/new", "") } catch ({ code }) { console.log(code) }';
  expect(await inContainer(write)).toBe("EROFS");

  const workspace = await provisionWorkspace();
  expectSent(await sendTo(baseUrl, workspace));
  for (const page of [
    "/sign-in",
    "/docs",
    "/docs/reference",
    "/docs/quickstart.md",
    "/docs/client.ts",
    "/openapi.json",
  ])
    expect([page, (await request("GET", `${baseUrl}${page}`)).status]).toEqual([page, 200]);
  const { text } = await request("GET", `${baseUrl}/sign-in`);
  const assets = new Set(text.match(/\/_next\/static\/[\w./~-]+\.(js|css)/g));
  expect(assets.size).toBeGreaterThan(0);
  for (const asset of assets)
    expect([asset, (await request("GET", `${baseUrl}${asset}`)).status]).toEqual([asset, 200]);

  const { answers } = await sendSlowly(baseUrl, workspace);
  await podman("stop", "--time", "60", NAME);
  for (const answer of await answers) expectSent(answer);
  expect(await podman("inspect", "--format", "{{.State.ExitCode}}", NAME)).toBe("0");
  expect(collector.spans().map(({ name }) => name)).toContain("POST /api/v1/public/messages/send");
  await collector.stop();
  const log = await podman("logs", NAME);
  writeFileSync(newLogFile("server"), log);
  expect(log).not.toMatch(/"level":"error"|EROFS|EACCES/);
});
