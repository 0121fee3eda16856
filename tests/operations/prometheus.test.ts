import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { startInstance } from "../support/environment";
import { expectSent, PHONE } from "../support/sends";
import { provisionWorkspace, request } from "../support/workspace";

// Needs Debian's package `prometheus`, which has promtool, too.
const METRICS_TOKEN = "metrics-token-of-this-test";
const run = promisify(execFile);

let instance: Awaited<ReturnType<typeof startInstance>>;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-prometheus-"));
  instance = await startInstance({ METRICS_TOKEN, WORKERS: "2" });
});
afterAll(async () => {
  await instance.stop();
  rmSync(folder, { recursive: true, force: true });
});

const scrape = async () =>
  (await request("GET", `${instance.baseUrl}/api/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }))
    .text;

describe("promtool", () => {
  test("finds nothing wrong with the metrics", async () => {
    const child = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
    child.stdin.end(await scrape());
    const code = await new Promise((resolve) => child.on("close", resolve));
    // Names of Node's own that prom-client chose.
    const ours = said.split("\n").filter((line) => line.includes("switchboard"));
    expect(ours).toEqual([]);
    expect([0, 3]).toContain(code);
  });

  test("finds nothing wrong with ops/prometheus.yml and ops/alerts.yml", async () => {
    for (const file of ["prometheus.yml", "alerts.yml"]) copyFileSync(path.join("ops", file), path.join(folder, file));
    writeFileSync(path.join(folder, "metrics-token"), METRICS_TOKEN);
    expect((await run("promtool", ["check", "config", path.join(folder, "prometheus.yml")])).stdout).toContain(
      "SUCCESS",
    );
    expect((await run("promtool", ["check", "rules", path.join(folder, "alerts.yml")])).stdout).toContain("SUCCESS");
  });

  test("says of a sweeper that is late since when, and of one that never ran that it never did", async () => {
    copyFileSync("ops/alerts.yml", path.join(folder, "alerts.yml"));
    const series = (instance: string, values: string) => ({
      series: `switchboard_sweep_age_seconds{instance="${instance}"}`,
      values,
    });
    const alert = (instance: string, summary: string) => ({
      exp_labels: { severity: "warning", instance },
      exp_annotations: {
        summary,
        action: "Look for `sweep.failed` in the log. On Vercel, check the cron job and CRON_SECRET.",
      },
    });
    const rules = {
      rule_files: ["alerts.yml"],
      evaluation_interval: "1m",
      tests: [
        {
          interval: "1m",
          input_series: [series("late", "400+0x10"), series("never", "+Inf+0x10")],
          alert_rule_test: [
            {
              eval_time: "8m",
              alertname: "SwitchboardSweeperLate",
              exp_alerts: [
                alert("late", "The sweeper last ran 6m 40s ago."),
                alert("never", "The sweeper has never run."),
              ],
            },
          ],
        },
      ],
    };
    // JSON is YAML, too.
    writeFileSync(path.join(folder, "rules.yml"), JSON.stringify(rules));
    expect((await run("promtool", ["test", "rules", path.join(folder, "rules.yml")])).stdout).toContain("SUCCESS");
  });
});

test("Prometheus scrapes a server of two workers with ops/prometheus.yml, and counts the sends of both", async () => {
  const workspace = await provisionWorkspace();
  const port = await freePort();
  const config = readFileSync("ops/prometheus.yml", "utf8")
    .replace("127.0.0.1:3000", new URL(instance.baseUrl).host)
    .replaceAll("15s", "1s");
  for (const file of ["alerts.yml"]) copyFileSync(path.join("ops", file), path.join(folder, file));
  writeFileSync(path.join(folder, "prometheus.yml"), config);
  writeFileSync(path.join(folder, "metrics-token"), METRICS_TOKEN);
  const prometheus = spawn(
    "prometheus",
    [
      `--config.file=${path.join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${path.join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  try {
    const sends = Array.from({ length: 20 }, () =>
      request("POST", `${instance.baseUrl}/api/v1/public/messages/send`, {
        body: JSON.stringify({ type: "text", phone: PHONE, content: "Hello" }),
        headers: {
          apiKey: workspace.apiKey,
          apiSecret: workspace.apiSecret,
          "x-forwarded-for": workspace.clientAddress,
          "Content-Type": "application/json",
          Connection: "close",
        },
      }),
    );
    for (const answer of await Promise.all(sends)) expectSent(answer);
    const resultOf = async (query: string) => {
      const asked = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
      const answer = await fetch(asked).then(
        (response) => response.json(),
        () => undefined,
      );
      return Number(answer?.data?.result?.[0]?.value?.[1] ?? Number.NaN);
    };
    await expect.poll(() => resultOf('sum(switchboard_sends_total{outcome="SENT"})'), { timeout: 20_000 }).toBe(20);
    expect(await resultOf("count(up == 1)")).toBe(1);
    expect(await resultOf("count(count by (process) (process_cpu_seconds_total))")).toBe(3);
    const rules = await fetch(`http://127.0.0.1:${port}/api/v1/rules`).then((response) => response.json());
    const health = rules.data.groups.flatMap(({ rules: all }: { rules: { health: string }[] }) =>
      all.map((rule) => rule.health),
    );
    expect(new Set(health)).toEqual(new Set(["ok"]));
  } finally {
    prometheus.kill("SIGKILL");
  }
});
