import path from "node:path";
import { findChromium } from "./chromium.mjs";
import { exitOf, spawnNode } from "./processes.mjs";

const BIOME = ["@biomejs/biome/bin/biome", "check", "."];
const TYPES = [
  ["next/dist/bin/next", "typegen"],
  ["typescript/lib/tsc.js", "--noEmit", "--incremental", "false"],
];
const vitest = (project) => ["vitest/vitest.mjs", "run", "--project", project];
const tsx = (file) => ["tsx/dist/cli.mjs", file];
const LONG_PAGES = ["@playwright/test/cli.js", "test", "--project", "long"];

/** Each in words and as the programs that run one after the other, of node_modules or, with `./`, of the project. */
const SUITES = {
  lint: ["Biome", [BIOME]],
  types: ["TypeScript", TYPES],
  unit: ["unit tests", [vitest("unit")]],
  verify: ["lint, types and unit tests: seconds, without a database", [BIOME, ...TYPES, vitest("unit")]],
  long: ["faults that wait for real time-outs, pasted code, long words", [vitest("long"), LONG_PAGES]],
  faults: ["faults against two servers, judged by a history checker", [tsx("tests/faults/run.ts")]],
  fuzz: ["generated requests", [tsx("tests/fuzz/main.ts")]],
  hostile: ["gigabytes, slow readers and early disconnects", [vitest("hostile")]],
  soak: ["a quiet tenant beside hostile neighbours", [tsx("tests/soak/soak.ts")]],
  partitions: ["the API tests in 16 hash partitions", [vitest("api")], { TEST_PARTITIONS: "16" }],
  operations: ["Debian's Postgres, pgbouncer, haproxy, patroni", [["./scripts/test-operations.mjs"]]],
  container: ["the image of the Containerfile", [vitest("container")]],
  vercel: ["what npm's `vercel` builds", [vitest("vercel")]],
  runtimes: ["the clients in Deno, Bun, workerd; receivers of webhooks", [vitest("runtimes")]],
  nodes: ["the oldest and the newest Node", [["./scripts/test-nodes.mjs"]]],
};

/** Runs the suite that the first word names; the others go to its last program. Returns the exit code. */
export async function runSuite([name, ...args]) {
  const suite = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined;
  if (!suite) return refuse(name);
  const [, programs, settings] = suite;
  for (const [i, [program, ...words]] of programs.entries()) {
    const file = program.startsWith("./") ? program : path.join("node_modules", program);
    const more = i === programs.length - 1 ? args : [];
    const env = { ...process.env, ...settings };
    if (program === LONG_PAGES[0]) env.CHROMIUM = await findChromium();
    const code = await exitOf(spawnNode([file, ...words, ...more], { env, stdout: "inherit", stderr: "inherit" }));
    if (code !== 0) return code ?? 1;
  }
  return 0;
}

function refuse(name) {
  const lines = Object.entries(SUITES).map(([suite, [words]]) => `  ${suite.padEnd(12)}${words}\n`);
  const usage = `Usage: npm test              all checks before a merge\n       npm test -- SUITE …   one of these\n\n${lines.join("")}`;
  if (name === "--help") process.stdout.write(usage);
  else process.stderr.write(`There is no suite "${name}".\n\n${usage}`);
  return name === "--help" ? 0 : 2;
}
