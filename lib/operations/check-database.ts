import { mostConnections } from "@/db/client";
import { behindPooler } from "@/db/connect";
import { isSchemaCurrent } from "@/db/migrations-state";
import { databaseTime, onSql } from "@/db/raw-sql";
import { MAX_LAG_SECONDS } from "@/db/read-lists";
import { measureReplicaLag, NotStandby } from "@/db/replica-lag";
import { guardedSince } from "@/db/restore-guard";
import { env } from "@/lib/core/env";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { certainSkewMs, judgeSkew } from "./ask-address";
import { checkZones } from "./check-zones";
import { databaseFault, databaseHost } from "./database-fault";

const OLDEST_VERSION = 15;

/** Checks that the database responds, then its schema, connection limit and clock. */
export async function checkDatabase(): Promise<Finding[]> {
  try {
    const first = await checkVersion();
    const schema = await checkSchema();
    const stored = schema.state === "passed" ? [...(await checkRestoreGuard()), await checkZones()] : [];
    const all = [first, schema, ...stored, await checkConnections(), ...(await checkCompiling()), await checkClock()];
    return env().DATABASE_REPLICA_URL ? [...all, await checkReplica()] : all;
  } catch (error) {
    const { words, advice } = databaseFault(error);
    return [failed("database", words, advice)];
  }
}

/** A replica that cannot be used fails nothing: lists are read from the primary. */
async function checkReplica(): Promise<Finding> {
  const host = databaseHost("DATABASE_REPLICA_URL");
  try {
    const lagSeconds = await measureReplicaLag();
    const words = `The read replica at ${host} is ${lagSeconds.toFixed(1)} s behind`;
    if (lagSeconds <= MAX_LAG_SECONDS) return passed("replica", words);
    return warned("replica", `${words}, so lists are read from the primary`, "Look at its load and its connection.");
  } catch (error) {
    if (error instanceof NotStandby) {
      const words = `Postgres at ${host} is not a standby of ${databaseHost()}`;
      return warned(
        "replica",
        words,
        "Let DATABASE_REPLICA_URL name a streaming standby of DATABASE_URL, or remove it.",
      );
    }
    const { words, advice } = databaseFault(error, "DATABASE_REPLICA_URL");
    return warned("replica", words, advice);
  }
}

async function checkVersion(): Promise<Finding> {
  const [row] = await onSql(
    (sql) => sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`,
  );
  const major = Math.floor((row?.version ?? 0) / 10_000);
  if (major >= OLDEST_VERSION) return passed("database", `Postgres ${major} answers at ${databaseHost()}`);
  const words = `${databaseHost()} runs Postgres ${major}, and ${OLDEST_VERSION} is the oldest that is supported`;
  return failed("database", words, `Bring it to Postgres ${OLDEST_VERSION} or newer.`);
}

async function checkSchema(): Promise<Finding> {
  if (await onSql((sql) => isSchemaCurrent(sql))) return passed("schema", "The schema is up to date");
  const words = "The database’s schema is older than this program";
  return failed("schema", words, "Run `npm run db:migrate`; the server does not start before.");
}

async function checkRestoreGuard(): Promise<Finding[]> {
  const since = await onSql(guardedSince);
  if (!since) return [];
  const words = `The database was restored from a backup, and live sends are refused since ${since.toISOString()}`;
  return [
    warned(
      "restore guard",
      words,
      "Confirm with `npm run switchboard -- restore-guard off` (docs/operations.md, Restore).",
    ),
  ];
}

/** Checks that Postgres allows the connections of two processes or, behind a pooler, that statements time out. */
export async function checkConnections(): Promise<Finding> {
  return (await behindPooler()) ? checkPooler() : checkRoom();
}

/** Behind a pooler, connections have no time limits of their own; those of the database user still apply. */
async function checkPooler(): Promise<Finding> {
  const [row] = await onSql((sql) => sql<{ limit: string }[]>`select current_setting('statement_timeout') as limit`);
  const limit = row?.limit ?? "0";
  if (limit !== "0") return passed("pooler", `A pooler is in front of Postgres; statements time out after ${limit}`);
  const words = "A pooler is in front of Postgres, and hanging statements never time out";
  const advice = "Give its user limits: `alter role … set statement_timeout = '2200ms'`, and `lock_timeout = '2s'`.";
  return warned("pooler", words, advice);
}

/**
 * Warns of a Postgres that compiles our statements, which takes a hundred times as long as running them. Connections switch it
 * off; behind a pooler only a setting of the database or its user does.
 */
export async function checkCompiling(): Promise<Finding[]> {
  const routes = [
    { pool: "requests", variable: "DATABASE_URL" },
    { pool: "replica", variable: "DATABASE_REPLICA_URL" },
  ] as const;
  const findings = await Promise.all(
    routes.map(async ({ pool, variable }) => {
      if (!env()[variable]) return [];
      const asking = onSql((sql) => sql<{ jit: string }[]>`select current_setting('jit') as jit`, { pool });
      // That a replica does not answer is said elsewhere.
      const [row] = pool === "replica" ? await asking.catch(() => []) : await asking;
      if (row?.jit !== "on") return [];
      const words = `Postgres at ${databaseHost(variable)} compiles statements (jit), which delays sends and partners' events`;
      return [warned("jit", words, "Switch it off for the user of the pooler: `alter role … set jit = off`.")];
    }),
  );
  return findings.flat();
}

async function checkRoom(): Promise<Finding> {
  const [row] = await onSql(
    (sql) => sql<{ places: number }[]>`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as places`,
  );
  return judgeRoom(row?.places ?? 0, mostConnections());
}

/** Two processes must fit: during a restart both are running. */
function judgeRoom(places: number, perProcess: number): Finding {
  const words = `A process opens up to ${perProcess} connections, and Postgres has ${places}`;
  const advice = "Lower DATABASE_POOL_MAX, raise max_connections, or put a pooler in front.";
  if (perProcess > places) return failed("connections", words, advice);
  const fitting = Math.floor(places / perProcess);
  if (fitting < 2) return warned("connections", `${words}: too few for a second process`, advice);
  return passed("connections", `${words}: enough for ${fitting} processes`);
}

async function checkClock(): Promise<Finding> {
  const askedAtMs = Date.now();
  const now = await databaseTime();
  const skewMs = certainSkewMs({ askedAtMs, answeredAtMs: Date.now() }, now.getTime());
  return judgeSkew("database clock", "the database’s", skewMs);
}
