import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { findChromium } from "./chromium.mjs";
import { ensureBuilt, ensureInstalled } from "./install.mjs";
import { exitOf, spawnNode } from "./processes.mjs";
import { runSuite } from "./suites.mjs";
import {
  failure,
  failuresInWords,
  NOTHING,
  readFaultReport,
  readPlaywrightReport,
  readVitestReport,
  slowestFiles,
} from "./test-reports.mjs";

const KILLED_BY_SIGNAL = 1;
const KEPT_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Characters kept of a failed program's output. */
const KEPT_WORDS = 2_000;

/**
 * `npm test`: all checks before a merge; `npm test -- SUITE`: one of `suites.mjs`. The last line is the number of tests. The steps of one
 * row run in parallel, because each one leaves the machine idle for much of the time.
 */
let types;
const ROWS = [
  [["Packages", () => ensureInstalled()]],
  [
    ["Types", (output) => (types = checkTypes(output))],
    ["Lint", (output) => check(output, "@biomejs/biome/bin/biome", "check", ".")],
    // The build writes the types that are being checked.
    ["Build", () => Promise.allSettled([types]).then(() => ensureBuilt(process.env))],
  ],
  // Some are about time limits of milliseconds, for which a build beside them leaves too little of two cores.
  [["Unit tests", (output) => runVitest(output, "unit")]],
  [["API tests", (output) => hasTests("tests/api", ".test.ts") && runVitest(output, "api")]],
  [["Browser tests", (output) => hasTests("tests/dashboard", ".spec.ts") && runPlaywright(output)]],
  // Alone: beside a browser statements meet their time limits on two cores.
  [["Own worlds", (output) => hasTests("tests/own-world", ".test.ts") && runVitest(output, "api-own-world")]],
  [
    ["Faults", (output) => runFaults(output, 0)],
    ["Faults, every other", (output) => runFaults(output, 1)],
  ],
];
const STEP_COUNT = ROWS.flat().length;

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const words = process.argv.slice(2);
if (words.length > 0) process.exit(await runSuite(words));
const reports = mkdtempSync(path.join(os.tmpdir(), "switchboard-tests-"));
// What servers and databases complained of: it says which limit a test met on a busy machine.
process.env.TEST_COMPLAINTS = path.join(reports, "complaints.txt");
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

const total = { ...NOTHING, failures: [], files: [] };
let stepsBefore = 0;
for (const row of ROWS) {
  for (const counts of await runRow(row, stepsBefore)) {
    for (const name of ["passed", "failed", "skipped", "flaky"]) total[name] += counts[name];
    total.failures.push(...counts.failures);
    total.files.push(...counts.files);
  }
  stepsBefore += row.length;
}

const notes = [
  total.skipped > 0 ? `, ${total.skipped} skipped` : "",
  total.flaky > 0 ? ` (${total.flaky} passed at the second try only)` : "",
];
console.log(`\nThe ten slowest files:\n${slowestFiles(total.files, 10)}`);
if (total.failures.length > 0) {
  if (existsSync(process.env.TEST_COMPLAINTS)) console.log(`\n${readFileSync(process.env.TEST_COMPLAINTS, "utf8")}`);
  console.log(`\n${failuresInWords(total.failures)}`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed${notes.join("")}`);
process.exit(total.failed > 0 ? 1 : 0);

/** Streams the first step's output; that of the others is buffered until the steps before them have ended. */
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
      const text = error instanceof Error ? error.message : String(error);
      output.write(`${text}\n`);
      return failure(title, text);
    });
  const { passed, failed } = counts || NOTHING;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  output.end(`── ${title}: ${failed > 0 ? "FAILED" : "ok"}, ${passed} tests, ${seconds} s\n`);
  return counts || NOTHING;
}

async function checkTypes(output) {
  const generated = await check(output, "next/dist/bin/next", "typegen");
  return generated.failed > 0 ? generated : check(output, "typescript/bin/tsc", "--noEmit", "--incremental", "false");
}

async function check(output, ...command) {
  return counted(await run(output, command), NOTHING);
}

async function runVitest(output, project) {
  const file = path.join(reports, `${project}.json`);
  const ended = await run(output, [
    "vitest/vitest.mjs",
    "run",
    "--project",
    project,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ]);
  return reported(ended, file, readVitestReport);
}

/** Half of the short part of `npm run test:faults`, with a build, servers and a Postgres of its own. */
async function runFaults(output, half) {
  const file = path.join(reports, `faults-${half}.json`);
  const command = ["tsx/dist/cli.mjs", "tests/faults/run.ts", "--short", "--half", `${half}`, "--report", file];
  const ended = await run(output, command);
  return reported(ended, file, readFaultReport);
}

async function runPlaywright(output) {
  const file = path.join(reports, "browser.json");
  const env = { ...process.env, CHROMIUM: await findChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const ended = await run(
    output,
    ["@playwright/test/cli.js", "test", "--project=dashboard", "--reporter=list,json"],
    env,
  );
  return reported(ended, file, readPlaywrightReport);
}

/** A step that succeeds without a report counts as a failure: it has tested nothing. */
function reported(ended, file, read) {
  return existsSync(file) ? counted(ended, read(file)) : failure(`${ended.command} left no report`, ended.lastWords);
}

/** What fails outside a test (a file that cannot be loaded, a server that does not start) is a failure, too. */
function counted({ exitCode, command, lastWords }, counts) {
  if (exitCode === 0 || counts.failed > 0) return counts;
  const failures = [...counts.failures, { title: `${command} ended with ${exitCode}`, message: lastWords }];
  return { ...counts, failed: 1, failures };
}

async function run(output, [program, ...args], env = process.env) {
  const child = spawnNode([path.join("node_modules", program), ...args], {
    env: process.stdout.isTTY ? { FORCE_COLOR: "1", ...env } : env,
  });
  let lastWords = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(output, { end: false });
    stream.on("data", (chunk) => {
      lastWords = `${lastWords}${chunk}`.slice(-KEPT_WORDS);
    });
  }
  const exitCode = (await exitOf(child)) ?? KILLED_BY_SIGNAL;
  if (child.signalCode) output.write(`${program} was ended by ${child.signalCode}.\n`);
  return { exitCode, command: [program, ...args].join(" "), lastWords };
}

function hasTests(folder, ending) {
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(ending));
}
