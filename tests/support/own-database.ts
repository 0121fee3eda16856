import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { migrateDatabase } from "@/db/migrate";
import { startPostgres } from "../../scripts/postgres.mjs";
import { placeFor } from "../../scripts/postgres-cluster.mjs";
import { isAlive } from "../../scripts/processes.mjs";
import { startInstance, testServers } from "./environment";

const SETTINGS = { log_statement: "all" };

/**
 * A server with a Postgres of its own that a test may take away. From here on everything that this test file does goes
 * to that server: a file that calls this must do so before anything else, and shares nothing with the others.
 */
export const startOwnDatabase = async (more: Record<string, string> = {}, serves?: "API") => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-own-"));
  const directory = path.join(folder, "postgres");
  let postgres = await startPostgres({ directory, settings: SETTINGS });
  await migrateDatabase(postgres.url);
  const overrides = {
    DATABASE_URL: postgres.url,
    PUBLIC_API_IP_RATE_LIMIT: "1000000",
    PUBLIC_API_KEY_RATE_LIMIT: "1000000",
    ...more,
  };
  const instance = await startInstance(overrides, serves);
  const servers = testServers();
  process.env.TEST_SERVERS = JSON.stringify({
    ...servers,
    baseUrl: instance.baseUrl,
    environment: { ...servers.environment, ...overrides },
  });
  return {
    baseUrl: instance.baseUrl,
    databaseUrl: postgres.url,
    logFile: instance.logFile,
    /** How many statements Postgres has run since it was started last; those that hold `words`, where they are given. */
    countStatements: (words = "") => {
      const entries = readFileSync(placeFor(directory).log, "utf8")
        .split(/LOG: {2}(?=execute|statement)/)
        .slice(1);
      return entries.filter((entry) => entry.includes(words)).length;
    },
    stopDatabase: () => postgres.stop(),
    /** As a crash of the machine would end it: no goodbye to anybody. */
    crashDatabase: async () => {
      const lock = readFileSync(path.join(placeFor(directory).data, "postmaster.pid"), "utf8");
      const pid = Number(lock.split("\n")[0]);
      process.kill(pid, "SIGQUIT");
      while (isAlive(pid)) await sleep(20);
    },
    startDatabase: async () => {
      postgres = await startPostgres({ directory, port: postgres.port, settings: SETTINGS });
    },
    stop: async () => {
      await instance.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
