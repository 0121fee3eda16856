import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        // No environment: whatever reaches the database client dies in lib/env, so these stay pure.
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          env: { DATABASE_URL: "" },
          // A property is many cases; on a busy machine they take their time.
          testTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "api",
          include: ["tests/api/**/*.test.ts"],
          globalSetup: ["tests/support/servers.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          pool: "threads",
          maxWorkers: 5,
        },
      },
    ],
  },
});
