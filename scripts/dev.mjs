import { mkdirSync } from "node:fs";
import { faultSentence } from "./fault-sentence.mjs";
import { ensureInstalled } from "./install.mjs";
import { DATA_DIRECTORY, localEnvironment } from "./local-environment.mjs";
import { choosePort } from "./ports.mjs";
import { exitOf, spawnNode } from "./processes.mjs";
import { withProgress } from "./progress.mjs";

/** `npm run dev`: the demo's database and secrets under Next's development server. */
const NEXT = "node_modules/next/dist/bin/next";

try {
  const port = await choosePort();
  await ensureInstalled();
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  const { startDatabase } = await import("./local-database.mjs");
  const database = await withProgress("Starting the database", startDatabase);
  const env = localEnvironment({ port, databaseUrl: database.url, directory: DATA_DIRECTORY });
  const next = spawnNode([NEXT, "dev", "-H", "127.0.0.1", "-p", String(port)], {
    env: { ...env, NODE_ENV: "development" },
    stdout: "inherit",
    stderr: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => next.kill("SIGTERM"));
  const exitCode = await exitOf(next);
  await database.stop();
  process.exit(exitCode ?? 0);
} catch (error) {
  console.error(`\n${faultSentence(error)}`);
  process.exit(1);
}
