#!/usr/bin/env bash
# Metrics that each process labels with its own name are only put side by side by prom-client's AggregatorRegistry, one would think,
# and restarts found by changes(process_start_time_seconds). That one metric is dropped: its aggregator is "omit".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund prom-client@15.1.3 >/dev/null
cat >check.cjs <<'JS'
const client = require("prom-client");
const { version } = require("prom-client/package.json");

async function metricsOf(process) {
  const registry = new client.Registry();
  registry.setDefaultLabels({ process });
  client.collectDefaultMetrics({ register: registry });
  return { text: await registry.metrics(), json: await registry.getMetricsAsJSON() };
}

const series = (text) => text.split("\n").filter((line) => /^process_(start_time|resident_memory)\w+\{/.test(line)).map((line) => line.split(" ")[0]);

(async () => {
  const processes = await Promise.all(["api-1", "api-2"].map(metricsOf));
  const alone = series(processes[0].text);
  const merged = series(await client.AggregatorRegistry.aggregate(processes.map(({ json }) => json)).metrics());
  console.log(`prom-client ${version}`);
  console.log("one process:", alone.join(" "));
  console.log("aggregated: ", merged.join(" "));
  const expected = [
    ['process_start_time_seconds{process="api-1"}', 'process_resident_memory_bytes{process="api-1"}'],
    ['process_resident_memory_bytes{process="api-1"}', 'process_resident_memory_bytes{process="api-2"}'],
  ];
  if (JSON.stringify([alone, merged]) !== JSON.stringify(expected)) {
    console.error("It behaves otherwise now.");
    process.exit(1);
  }
  process.exit(0);
})();
JS
node check.cjs
