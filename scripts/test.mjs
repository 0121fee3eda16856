import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { findChromium } from "./chromium.mjs";
import { ensureBuilt, ensureInstalled } from "./install.mjs";
import { exitOf, spawnNode } from "./processes.mjs";

const NOTHING = { passed: 0, failed: 0, skipped: 0, flaky: 0 };
const ONE_FAILED = { ...NOTHING, failed: 1 };
const KILLED_BY_SIGNAL = 1;
const KEPT_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * `npm test`: everything that is checked before a change is merged. Its last line is the number of tests. The steps of one
 * row run at once, because each alone leaves the machine idle for much of its time.
 */
const ROWS = [
  [["Packages", () => ensureInstalled()]],
  [
    ["Types", checkTypes],
    ["Lint", (output) => check(output, "@biomejs/biome/bin/biome", "check", ".")],
  ],
  [
    ["Build", () => ensureBuilt(process.env)],
    ["Unit tests", (output) => runVitest(output, "unit")],
  ],
  [["API tests", (output) => hasTests("tests/api", ".test.ts") && runVitest(output, "api*")]],
  [["Browser tests", (output) => hasTests("tests/dashboard", ".spec.ts") && runPlaywright(output)]],
  [["Faults", runFaults]],
];
const STEP_COUNT = ROWS.flat().length;

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const reports = mkdtempSync(path.join(os.tmpdir(), "switchboard-tests-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

const total = { ...NOTHING };
let stepsBefore = 0;
for (const row of ROWS) {
  for (const counts of await runRow(row, stepsBefore)) {
    for (const name of Object.keys(total)) total[name] += counts[name];
  }
  stepsBefore += row.length;
}

const notes = [
  total.skipped > 0 ? `, ${total.skipped} skipped` : "",
  total.flaky > 0 ? ` (${total.flaky} passed at the second try only)` : "",
];
console.log(`\n${total.passed} passed, ${total.failed} failed${notes.join("")}`);
process.exit(total.failed > 0 ? 1 : 0);

/** The first step speaks as it goes; what the others say is kept until those before them have ended. */
async function runRow(row, stepsBefore) {
  const outputs = row.map(() => new PassThrough({ highWaterMark: KEPT_OUTPUT_BYTES }));
  const running = row.map(([title, work], i) =>
    runStep(`${stepsBefore + i + 1}/${STEP_COUNT} ${title}`, { work, output: outputs[i] }),
  );
  for (const [i, output] of outputs.entries()) {
    output.pipe(process.stdout, { end: false });
    await running[i];
    await finished(output);
  }
  return Promise.all(running);
}

/** A step that breaks counts as one failure, and the others still run: one report names everything. */
async function runStep(title, { work, output }) {
  output.write(`\n── ${title}\n`);
  const started = performance.now();
  const counts = await Promise.resolve(output)
    .then(work)
    .catch((error) => {
      output.write(`${error instanceof Error ? error.message : error}\n`);
      return ONE_FAILED;
    });
  const { passed, failed } = counts || NOTHING;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  output.end(`── ${title}: ${failed > 0 ? "FAILED" : "ok"}, ${passed} tests, ${seconds} s\n`);
  return counts || NOTHING;
}

async function checkTypes(output) {
  const generated = await check(output, "next/dist/bin/next", "typegen");
  return generated.failed > 0 ? generated : check(output, "typescript/bin/tsc", "--noEmit");
}

async function check(output, ...command) {
  return (await run(output, command)) === 0 ? NOTHING : ONE_FAILED;
}

async function runVitest(output, project) {
  const file = path.join(reports, `${project.replace("*", "")}.json`);
  const exitCode = await run(output, [
    ...["vitest/vitest.mjs", "run", "--project", project],
    ...["--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
  ]);
  if (!existsSync(file)) return ONE_FAILED;
  const report = JSON.parse(readFileSync(file, "utf8"));
  return counted(exitCode, {
    ...NOTHING,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  });
}

/** The short part of `npm run test:faults`, with a build of its own. */
async function runFaults(output) {
  const file = path.join(reports, "faults.json");
  const exitCode = await run(output, ["tsx/dist/cli.mjs", "tests/faults/run.ts", "--short", "--report", file]);
  if (!existsSync(file)) return ONE_FAILED;
  return counted(exitCode, { ...NOTHING, ...JSON.parse(readFileSync(file, "utf8")) });
}

async function runPlaywright(output) {
  const file = path.join(reports, "browser.json");
  const env = { ...process.env, CHROMIUM: await findChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const exitCode = await run(output, ["@playwright/test/cli.js", "test", "--reporter=list,json"], env);
  if (!existsSync(file)) return ONE_FAILED;
  const { expected, flaky, unexpected, skipped } = JSON.parse(readFileSync(file, "utf8")).stats;
  return counted(exitCode, { passed: expected + flaky, failed: unexpected, skipped, flaky });
}

/** What fails outside a test (a file that cannot be loaded, a server that does not start) is a failure, too. */
function counted(exitCode, counts) {
  return exitCode === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function run(output, [program, ...args], env = process.env) {
  const child = spawnNode([path.join("node_modules", program), ...args], {
    env: process.stdout.isTTY ? { FORCE_COLOR: "1", ...env } : env,
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const exitCode = await exitOf(child);
  if (exitCode === null) output.write(`${program} was ended by ${child.signalCode}.\n`);
  return exitCode ?? KILLED_BY_SIGNAL;
}

function hasTests(folder, ending) {
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(ending));
}
