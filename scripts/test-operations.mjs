import path from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "./chromium.mjs";
import { exitOf, spawnNode } from "./processes.mjs";

/**
 * `npm test -- operations`: what ops describes, and then the tests on the databases that operators have. All run,
 * whatever falls; each run says what it is.
 */
const RUNS = [
  { title: "The files of ops", projects: ["operations"] },
  {
    title: "On Debian's Postgres 15 with its defaults",
    projects: ["api", "api-own-world"],
    // A partitioned table has identity columns from Postgres 17 on.
    more: ["--exclude", "tests/own-world/partitions.test.ts"],
    hasPages: true,
    env: { TEST_POSTGRES: "/usr/lib/postgresql/15/bin", TEST_POSTGRES_LOCALE: "en_US.utf8" },
  },
  { title: "Behind Debian's pgbouncer", projects: ["api"], env: { TEST_PGBOUNCER: "1" } },
  ...[1, 10].map((pages) => ({
    title: `As a user with settings of its own, on a server with random_page_cost ${pages}`,
    projects: ["api"],
    env: {
      TEST_HOSTILE_ROLE: "1",
      TEST_POSTGRES_SETTINGS: JSON.stringify({ work_mem: "64kB", random_page_cost: pages }),
    },
  })),
];

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VITEST = path.join(ROOT, "node_modules", "vitest", "vitest.mjs");
const PLAYWRIGHT = path.join(ROOT, "node_modules", "@playwright", "test", "cli.js");

const fallen = [];
for (const { title, projects, more = [], hasPages = false, env = {} } of RUNS) {
  console.log(`\n── ${title}`);
  const commands = [[VITEST, "run", ...projects.flatMap((name) => ["--project", name]), ...more]];
  if (hasPages) commands.push([PLAYWRIGHT, "test", "--project=dashboard"]);
  const environment = { ...process.env, CHROMIUM: await findChromium(), ...env };
  for (const command of commands) {
    const code = await exitOf(
      spawnNode(command, { cwd: ROOT, env: environment, stdout: "inherit", stderr: "inherit" }),
    );
    if (code !== 0) fallen.push(title);
  }
}
console.log(fallen.length === 0 ? "\nAll runs pass." : `\nFailed: ${[...new Set(fallen)].join("; ")}`);
process.exit(fallen.length === 0 ? 0 : 1);
