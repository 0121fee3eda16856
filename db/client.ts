import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";
import * as schema from "./schema";

export type Db = PostgresJsDatabase<typeof schema> & { $client: postgres.Sql };
export type Transaction = Parameters<Parameters<Db["transaction"]>[0]>[0];

/** Each kind of work has connections of its own, so that a flood of one never starves another. */
export type PoolName = "requests" | "webhooks" | "limits" | "records";

/** The database cannot be reached, or did not answer in time. What was asked may or may not have happened. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

const TIMEOUT_MS = 2_500;

/**
 * Runs `work` on the pool's database and rejects with DatabaseUnavailable when there is no answer within `timeoutMs`.
 * A pool that did not answer in time or lost a connection is replaced: after a restart of the database a connection of
 * postgres.js may keep its place in the pool and never answer again.
 */
export const onDatabase = async <T>(
  work: (db: Db) => Promise<T>,
  { pool = "requests", timeoutMs = TIMEOUT_MS }: { pool?: PoolName; timeoutMs?: number } = {},
): Promise<T> => {
  const db = pools.get(pool) ?? open(pool);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      replace(pool, db);
      reject(new DatabaseUnavailable(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  // A query of drizzle's runs again each time that somebody waits for it; a promise of its answer runs it once.
  const answer = (async () => await work(db))();
  // Once the deadline has passed nobody waits for the answer any more, and its failure must not end the process.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, deadline]);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === "lost") replace(pool, db);
    throw failure ? new DatabaseUnavailable(`the connection is ${failure}`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
};

/** For programs that come to an end: without it their connections keep them alive. */
export const closePools = async (): Promise<void> => {
  const open = [...pools.values()];
  pools.clear();
  await Promise.all(open.map(({ $client }) => $client.end({ timeout: 1 })));
};

/** A statement that is prepared once on each pool's database that it meets. */
export const prepared = <S>(prepare: (db: Db) => S): ((db: Db) => S) => {
  const statements = new WeakMap<Db, S>();
  return (db) => {
    const statement = statements.get(db) ?? prepare(db);
    statements.set(db, statement);
    return statement;
  };
};

/** The SQLSTATE and the constraint of a database's refusal, wherever in the chain of causes it stands. */
export const databaseRefusal = (error: unknown): { code: string; constraint: string | undefined } | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof postgres.PostgresError) return { code: cause.code, constraint: cause.constraint_name };
  }
  return undefined;
};

const pools = processWide("pools", () => new Map<PoolName, Db>());

const open = (name: PoolName): Db => {
  const max = env().DATABASE_POOL_MAX;
  const client = postgres(env().DATABASE_URL, {
    max: name === "requests" ? max : Math.max(2, Math.ceil(max / 3)),
    connect_timeout: 2,
    // No array ever crosses the wire, so no new connection needs to ask for their types first.
    fetch_types: false,
    idle_timeout: 60,
    max_lifetime: 30 * 60,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 0.5),
    connection: { application_name: `switchboard-${name}`, statement_timeout: 3_000, lock_timeout: 2_000 },
    onnotice: () => {},
  });
  const db = drizzle({ client, schema, casing: "snake_case" });
  pools.set(name, db);
  return db;
};

const replace = (name: PoolName, db: Db) => {
  if (pools.get(name) !== db) return;
  pools.delete(name);
  db.$client.end({ timeout: 1 }).catch(() => {});
};

const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);
// Connection exceptions, shutdown and start-up of the database, and a primary that has become a replica.
const LOST_STATES = /^08|^57P0|^25006$/;
// Deadlocks, insufficient resources, cancelled statements, locks that were not granted in time.
const BUSY_STATES = /^(40|53|57|58)|^55P03$/;

/** `lost`: a connection broke or could not be made; `busy`: the database was reached, and could not serve us now. */
const failureOf = (error: unknown): "lost" | "busy" | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause ? String(cause.code) : "";
    if (CONNECTION_CODES.has(code)) return "lost";
    if (cause instanceof postgres.PostgresError && LOST_STATES.test(code)) return "lost";
    if (cause instanceof postgres.PostgresError && BUSY_STATES.test(code)) return "busy";
    // postgres.js writes to a socket that a restart of the database has just taken away (porsager/postgres#1208).
    if (cause instanceof TypeError && cause.message.includes("reading 'write'")) return "lost";
  }
  return undefined;
};
