import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "./chromium.mjs";
import { ensureBuilt, ensureInstalled } from "./install.mjs";
import { exitOf, spawnNode } from "./processes.mjs";

const NOTHING = { passed: 0, failed: 0, skipped: 0 };
const ONE_FAILED = { ...NOTHING, failed: 1 };
const KILLED_BY_SIGNAL = 1;

/** `npm test`: everything that is checked before a change is merged. Its last line is the number of tests. */
const STEPS = [
  ["Packages", () => ensureInstalled()],
  ["Lint", () => check("@biomejs/biome/bin/biome", "check", ".")],
  ["Types", () => checkTypes()],
  ["Unit tests", () => runVitest("unit")],
  ["Build", () => ensureBuilt(process.env)],
  ["API tests", () => hasTests("tests/api", ".test.ts") && runVitest("api")],
  ["Browser tests", () => hasTests("tests/dashboard", ".spec.ts") && runPlaywright()],
];

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const reports = mkdtempSync(path.join(os.tmpdir(), "switchboard-tests-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

const total = { ...NOTHING };
for (const [index, [title, work]] of STEPS.entries()) {
  const counts = await runStep(`${index + 1}/${STEPS.length} ${title}`, work);
  for (const name of Object.keys(total)) total[name] += counts[name];
}

console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exit(total.failed > 0 ? 1 : 0);

/** A step that breaks counts as one failure, and the others still run: one report names everything. */
async function runStep(title, work) {
  console.log(`\n── ${title}`);
  const started = performance.now();
  const counts = await Promise.resolve()
    .then(work)
    .catch((error) => {
      console.error(error instanceof Error ? error.message : error);
      return ONE_FAILED;
    });
  const { passed, failed } = counts || NOTHING;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`── ${title}: ${failed > 0 ? "FAILED" : "ok"}, ${passed} tests, ${seconds} s`);
  return counts || NOTHING;
}

async function checkTypes() {
  const generated = await check("next/dist/bin/next", "typegen");
  return generated.failed > 0 ? generated : check("typescript/bin/tsc", "--noEmit");
}

async function check(...command) {
  return (await run(command)) === 0 ? NOTHING : ONE_FAILED;
}

async function runVitest(project) {
  const file = path.join(reports, `${project}.json`);
  const exitCode = await run([
    ...["vitest/vitest.mjs", "run", "--project", project],
    ...["--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
  ]);
  const report = JSON.parse(readFileSync(file, "utf8"));
  return counted(exitCode, {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  });
}

async function runPlaywright() {
  const file = path.join(reports, "browser.json");
  const env = { ...process.env, CHROMIUM: await findChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const exitCode = await run(["@playwright/test/cli.js", "test", "--reporter=list,json"], env);
  const { expected, flaky, unexpected, skipped } = JSON.parse(readFileSync(file, "utf8")).stats;
  return counted(exitCode, { passed: expected + flaky, failed: unexpected, skipped });
}

/** What fails outside a test (a file that cannot be loaded, a server that does not start) is a failure, too. */
function counted(exitCode, counts) {
  return exitCode === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function run([program, ...args], env = process.env) {
  const child = spawnNode([path.join("node_modules", program), ...args], { env, stdout: "inherit", stderr: "inherit" });
  return (await exitOf(child)) ?? KILLED_BY_SIGNAL;
}

function hasTests(folder, ending) {
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(ending));
}
