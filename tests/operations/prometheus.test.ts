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
    expect([code, said]).toEqual([0, ""]);
  });

  test("finds nothing wrong with ops/prometheus.yml and ops/alerts.yml", async () => {
    for (const file of ["prometheus.yml", "alerts.yml"]) copyFileSync(path.join("ops", file), path.join(folder, file));
    writeFileSync(path.join(folder, "metrics-token"), METRICS_TOKEN);
    expect((await run("promtool", ["check", "config", path.join(folder, "prometheus.yml")])).stdout).toContain(
      "SUCCESS",
    );
    expect((await run("promtool", ["check", "rules", path.join(folder, "alerts.yml")])).stdout).toContain("SUCCESS");
  });

  const api = (slot: number) => `process_start_time_seconds{job="switchboard",instance="a",process="api-${slot}"}`;
  const cases: { alertname: string; series: Record<string, string>; alerts: { labels: object; summary: string }[] }[] =
    [
      {
        alertname: "SwitchboardSweeperLate",
        series: {
          'switchboard_sweep_age_seconds{instance="late"}': "400+0x30",
          'switchboard_sweep_age_seconds{instance="never"}': "+Inf+0x30",
        },
        alerts: [
          { labels: { instance: "late" }, summary: "The sweeper last ran 6m 40s ago." },
          { labels: { instance: "never" }, summary: "The sweeper has never run." },
        ],
      },
      {
        alertname: "SwitchboardPagesDown",
        series: { 'switchboard_pages_up{instance="a"}': "0+0x30", 'switchboard_pages_up{instance="b"}': "1+0x30" },
        alerts: [
          {
            labels: { instance: "a", severity: "critical" },
            summary: "The page process of a is not running: no dashboard, docs or sign-in. The API goes on.",
          },
        ],
      },
      {
        alertname: "SwitchboardProcessRestarting",
        series: { [api(1)]: "100+0x30", [api(2)]: "100+0x16 200+0x4 300+0x4 400+0x4" },
        alerts: [
          {
            labels: { job: "switchboard", instance: "a", process: "api-2" },
            summary: "api-2 of a was restarted 3 times in 15 minutes.",
          },
        ],
      },
      {
        alertname: "SwitchboardWorkerMissing",
        series: { 'switchboard_workers{instance="a"}': "2+0x30", [api(1)]: "100+0x30", [api(2)]: "100+0x5" },
        alerts: [
          { labels: { instance: "a" }, summary: "1 API processes of a are not running, or do not answer a scrape." },
        ],
      },
    ];

  test.each(cases)(
    "fires $alertname for those that it is about alone, with what happened",
    async ({ alertname, series, alerts }) => {
      copyFileSync("ops/alerts.yml", path.join(folder, "alerts.yml"));
      const [, action = ""] =
        new RegExp(`alert: ${alertname}$[^]*?action: "(.*)"`, "m").exec(readFileSync("ops/alerts.yml", "utf8")) ?? [];
      const rules = {
        rule_files: ["alerts.yml"],
        evaluation_interval: "1m",
        tests: [
          {
            interval: "1m",
            input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
            alert_rule_test: [
              {
                eval_time: "30m",
                alertname,
                exp_alerts: alerts.map(({ labels, summary }) => ({
                  exp_labels: { severity: "warning", ...labels },
                  exp_annotations: { summary, action },
                })),
              },
            ],
          },
        ],
      };
      // JSON is YAML, too.
      writeFileSync(path.join(folder, "rules.yml"), JSON.stringify(rules));
      expect((await run("promtool", ["test", "rules", path.join(folder, "rules.yml")])).stdout).toContain("SUCCESS");
    },
  );
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
