import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "../../scripts/postgres.mjs";
import { placeFor } from "../../scripts/postgres-cluster.mjs";
import { isAlive } from "../../scripts/processes.mjs";
import { createDatabase } from "./databases";
import { startInstance, testServers } from "./environment";
import { migrateTestDatabase } from "./partitions";

// A process that is killed loses nothing without `fsync`, which only a crash of the machine needs.
const SETTINGS = { log_line_prefix: "%a: ", log_statement: "all", fsync: "off", full_page_writes: "off" };

type PostgresOptions = { hasStandby?: boolean; isPartitioned?: boolean; settings?: Record<string, string> };

/** A streaming standby of the stopped cluster in `primary`, which is started again at `port`. */
type Standby = {
  url: string;
  pid: () => number;
  countStatements: (words: string) => number;
  start: () => Promise<void>;
};

const copyAsStandby = (primary: string, directory: string) => {
  const { data } = placeFor(directory);
  cpSync(placeFor(primary).data, data, { recursive: true });
  writeFileSync(path.join(data, "standby.signal"), "");
};

const startStandby = async (
  directory: string,
  primaryUrl: string,
): Promise<Standby & { stop: () => Promise<void> }> => {
  const { hostname, port, username, password } = new URL(primaryUrl);
  const settings = {
    ...SETTINGS,
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
  };
  let server = await startPostgres({ directory, settings });
  let countStatements = statementCounter(directory);
  return {
    url: server.url,
    pid: () => pidOf(directory),
    countStatements: (words) => countStatements(words),
    start: async () => {
      server = await startPostgres({ directory, port: server.port, settings });
      countStatements = statementCounter(directory);
    },
    stop: () => server.stop(),
  };
};

const pidOf = (directory: string): number =>
  Number(readFileSync(path.join(placeFor(directory).data, "postmaster.pid"), "utf8").split("\n")[0]);

/** Counts in the log that a Postgres has begun at its start. Each look reads what came since: a log grows to megabytes. */
const statementCounter = (directory: string) => {
  const { log } = placeFor(directory);
  const whole: string[] = [];
  let readBytes = 0;
  return (words: string, pools = ""): number => {
    const more = Buffer.alloc(statSync(log).size - readBytes);
    const file = openSync(log, "r");
    readSync(file, more, 0, more.length, readBytes);
    closeSync(file);
    const entries = more.toString("latin1").split(/(?<=\n)(?=\S*: LOG: {2}(?:execute|statement))/);
    // The last one may not be whole yet.
    const last = entries.pop() ?? "";
    whole.push(...entries);
    readBytes += more.length - last.length;
    const isOf = new RegExp(`^\\S*${pools}: LOG: {2}(execute|statement)`);
    return [...whole, last].filter((entry) => isOf.test(entry) && entry.includes(words)).length;
  };
};

/** A server over `databaseUrl`, to which everything goes that this test file does from here on, with its settings. */
export const startOver = async (databaseUrl: string, more: Record<string, string>, serves?: "API") => {
  const overrides = {
    DATABASE_URL: databaseUrl,
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
  return { baseUrl: instance.baseUrl, databaseUrl, logFile: instance.logFile, stop: instance.stop };
};

/**
 * A server with a database of its own in the run's Postgres. A file that calls this does so before anything else, and
 * shares nothing with the others.
 */
export const startOwnDatabase = async (more: Record<string, string> = {}, serves?: "API") => {
  const database = await createDatabase({ isMigrated: true });
  const server = await startOver(database.url, more, serves);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await database.drop();
    },
  };
};

/** The same with a Postgres of its own, which a test may take away, and which logs its statements: two seconds more. */
export const startOwnPostgres = async (
  more: Record<string, string> = {},
  serves?: "API",
  { hasStandby = false, isPartitioned, settings = SETTINGS }: PostgresOptions = {},
) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-own-"));
  const [directory, standbyDirectory] = [path.join(folder, "postgres"), path.join(folder, "standby")];
  const folders = [folder, placeFor(directory).data, placeFor(standbyDirectory).data];
  let postgres = await startPostgres({ directory, settings });
  await migrateTestDatabase(postgres.url, { isPartitioned });
  let standby: Awaited<ReturnType<typeof startStandby>> | undefined;
  if (hasStandby) {
    await postgres.stop();
    copyAsStandby(directory, standbyDirectory);
    postgres = await startPostgres({ directory, port: postgres.port, settings });
    standby = await startStandby(standbyDirectory, postgres.url);
  }
  let countStatements = statementCounter(directory);
  const server = await startOver(
    postgres.url,
    { ...(standby && { DATABASE_REPLICA_URL: standby.url }), ...more },
    serves,
  );
  return {
    ...server,
    /** From a byte on: with all plans in it a log is longer than a string may be. */
    databaseLog: (from = 0) => readFileSync(placeFor(directory).log).subarray(from).toString(),
    databaseLogBytes: () => statSync(placeFor(directory).log).size,
    /** How many statements Postgres has run since it was started last; those that hold `words` or are of `pools`, where given. */
    countStatements: (words = "", pools = "") => countStatements(words, pools),
    get standby(): Standby {
      if (!standby) throw new Error("this database has no standby");
      return standby;
    },
    stopDatabase: () => postgres.stop(),
    /** As a crash of the machine would end it: no goodbye to anybody. */
    crashDatabase: async () => {
      const pid = pidOf(directory);
      process.kill(pid, "SIGQUIT");
      while (isAlive(pid)) await sleep(20);
    },
    startDatabase: async () => {
      postgres = await startPostgres({ directory, port: postgres.port, settings });
      countStatements = statementCounter(directory);
    },
    stop: async () => {
      await server.stop();
      await standby?.stop();
      await postgres.stop();
      for (const one of folders) rmSync(one, { recursive: true, force: true });
    },
  };
};
