import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };

export default defineConfig({
  test: {
    // At the end every log of the run is read for secrets.
    teardownTimeout: 60_000,
    projects: [
      {
        resolve: { alias },
        // No environment: whatever reaches the database client dies in lib/env, so these stay pure.
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
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
        test: {
          name: "api",
          include: ["tests/api/**/*.test.ts"],
          globalSetup: ["tests/support/servers.ts"],
          setupFiles: ["tests/support/seed.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          pool: "threads",
          // Much of their time is waiting for time-outs that are real.
          maxWorkers: 5,
        },
      },
      {
        resolve: { alias },
        // Gigabytes against a neighbour's latency: alone on the machine, and not part of `npm test`.
        test: {
          name: "hostile",
          include: ["tests/hostile/**/*.test.ts"],
          globalSetup: ["tests/support/servers.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          pool: "threads",
        },
      },
    ],
  },
});
