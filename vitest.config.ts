import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const alias = { "@": ROOT.replace(/\/$/, "") };

/** A report keeps the message only, so the message has to hold what was found instead of `[ Array(1) ]`. */
const chaiConfig = { truncateThreshold: 2_000 };

const api = {
  chaiConfig,
  globalSetup: ["tests/support/servers.ts"],
  setupFiles: ["tests/support/seed.ts"],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Not threads: one that still has a request under way when it ends spins for ever (Node 20, CleanupHandles).
  pool: "forks" as const,
  // Much of their time is waiting for time-outs that are real.
  maxWorkers: 5,
};

export default defineConfig({
  test: {
    // At the end every log of the run is read for secrets.
    teardownTimeout: 60_000,
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
          // Pure files have nothing to keep apart, and loading everything anew for each costs more than the tests.
          isolate: false,
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
        test: { ...api, name: "api-own-world", include: ["tests/own-world/**/*.test.ts"] },
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
