import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const alias = { "@": ROOT.replace(/\/$/, "") };

/** A report keeps the message only, so the message has to hold what was found instead of `[ Array(1) ]`. */
const chaiConfig = { truncateThreshold: 2_000 };

/** Files that wait much longer than others of their size. */
const LONG_WAITS =
  /api\/(clients\/client-(calls|faults)|server\/(drain|page-answers|stop-while-starting|upgrade))\.test\.ts$/;

/** A fresh clone knows no durations, and Vitest begins with the largest files: a long wait at the end would be alone. */
class LongWaitsFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer["sort"]>[0]) {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: { moduleId: string }) => LONG_WAITS.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

const api = {
  chaiConfig,
  globalSetup: ["tests/support/servers.ts"],
  setupFiles: ["tests/support/seed.ts"],
  // Of a hang alone: on a busy machine a test takes five times as long as on a quiet one.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  // Vitest gives up after 1 s by default, which a busy machine needs for one look.
  expect: { poll: { timeout: 30_000 } },
  // Not threads: one that still has a request under way when it ends spins for ever (Node 20, CleanupHandles).
  pool: "forks" as const,
  // Much of their time is waiting for time-outs that are real.
  maxWorkers: 6,
};

/** It has test files of the project `api`, too, so it is there only where `--project vercel` asks for it. */
const vercel = {
  resolve: { alias },
  // The contract on what npm's `vercel` builds, with functions that are frozen between calls. Not part of `npm test`.
  test: {
    ...api,
    name: "vercel",
    include: ["tests/vercel/**/*.test.ts", "tests/api/{access,messages,templates,webhooks,members}/**/*.test.ts"],
    // A server of their own; a sweep that ends before its reads; actions whose redirect Next follows itself, by https there.
    exclude: ["whatsapp-unreachable", "sign-in-limits", "sweeper", "access-matrix", "server-actions"].map(
      (name) => `tests/api/*/${name}.test.ts`,
    ),
    globalSetup: ["tests/vercel/servers.ts"],
    isolate: false,
    maxWorkers: 3,
  },
};

export default defineConfig({
  test: {
    // At the end every log of the run is read for secrets.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongWaitsFirst },
    projects: [
      {
        resolve: { alias },
        // No environment: whatever reaches the database client dies in lib/core/env, so these stay pure.
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          chaiConfig,
          env: { DATABASE_URL: "" },
          setupFiles: ["tests/support/seed.ts"],
          // A property is many cases; on a busy machine they take their time.
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          // Pure files have nothing to keep apart, and loading everything anew for each costs more than the tests.
          isolate: false,
          // Of two processors Vitest would use one.
          maxWorkers: 2,
        },
      },
      {
        resolve: { alias },
        // Starting a worker and loading everything anew for each file costs more than many of them.
        test: { ...api, name: "api", include: ["tests/api/**/*.test.ts"], isolate: false },
      },
      {
        resolve: { alias },
        // Each file brings a server and a database of its own, and with them an environment that no other file may share.
        test: {
          ...api,
          name: "api-own-world",
          include: ["tests/own-world/**/*.test.ts"],
          // Each file's servers and Postgres need much of a processor.
          maxWorkers: 3,
          // Where both are asked for (`--project "api*"`), these come second.
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve: { alias },
        // Faults that wait for real time-outs, and code that is compiled and installed as pasted: not part of `npm test`.
        test: { ...api, name: "long", include: ["tests/long/**/*.test.ts"], isolate: false },
      },
      {
        resolve: { alias },
        // Gigabytes against a neighbour's latency: alone on the machine, and not part of `npm test`.
        test: {
          name: "hostile",
          chaiConfig,
          include: ["tests/hostile/**/*.test.ts"],
          globalSetup: ["tests/support/servers.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          pool: "forks",
        },
      },
      {
        resolve: { alias },
        // What ops describes, with the programs themselves: Debian's prometheus, haproxy, pgbouncer and patroni. Not part of `npm test`.
        test: { ...api, name: "operations", include: ["tests/operations/**/*.test.ts"], maxWorkers: 1 },
      },
      {
        resolve: { alias },
        // Builds the image of the Containerfile and runs it: Debian's podman, buildah and runc. Not part of `npm test`.
        test: { ...api, name: "container", include: ["tests/container/**/*.test.ts"], maxWorkers: 1 },
      },
      ...(process.argv.includes("vercel") ? [vercel] : []),
      {
        resolve: { alias },
        // Installs other runtimes from the registry: 350 MB, and not part of `npm test`.
        test: {
          name: "runtimes",
          chaiConfig,
          include: ["tests/runtimes/**/*.test.ts"],
          globalSetup: ["tests/support/servers.ts"],
          testTimeout: 60_000,
          hookTimeout: 300_000,
          pool: "forks",
        },
      },
    ],
  },
});
