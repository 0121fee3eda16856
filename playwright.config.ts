import { defineConfig, devices } from "@playwright/test";
import { installedChromium } from "./scripts/chromium.mjs";

const isRoot = process.getuid?.() === 0;

export default defineConfig({
  projects: [
    { name: "dashboard", testDir: "tests/dashboard" },
    // Not part of `npm test`.
    { name: "long", testDir: "tests/long", testMatch: "*.spec.ts" },
  ],
  globalSetup: "./tests/support/servers.ts",
  fullyParallel: true,
  // A test waits for its browser for nearly half of its time: three keep two cores busy.
  workers: 3,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // A browser may be starved for seconds. What needed its second try is listed, and counted in the last line of `npm test`.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  reporter: "list",
  use: {
    ...devices["Desktop Chrome"],
    // A trace costs as much as the test: `--trace retain-on-failure` asks for one.
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: installedChromium(),
      // Chromium's own sandbox does not start as root, which is what containers run as.
      args: isRoot ? ["--no-sandbox"] : [],
    },
  },
});
