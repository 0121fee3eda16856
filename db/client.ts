import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { Budget } from "@/lib/core/budget";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { processWide } from "@/lib/core/process-wide";
import { failureOf } from "./failure";
import { isBehindPooler, TIME_LIMITS } from "./pooler";
import * as schema from "./schema";
import { createSilence } from "./silence";

export type Db = PostgresJsDatabase<typeof schema> & { $client: postgres.Sql };
export type Transaction = Parameters<Parameters<Db["transaction"]>[0]>[0];

/** Each kind of work has connections of its own, so that a flood of one never starves another. */
const POOL_NAMES = ["requests", "webhooks", "limits", "records", "deliveries"] as const;
export type PoolName = (typeof POOL_NAMES)[number];

/** The database failed: unreachable, too late, full, misconfigured, … What was asked may or may not have happened. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  /** Whether what was asked surely did not happen: it never reached the database, or was refused there. */
  readonly isUndone: boolean;

  constructor(message: string, { isUndone = false, cause }: { isUndone?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isUndone = isUndone;
  }

  /** Pools and limiters are the whole process's, so the error may be of another load of this module, with a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "DatabaseUnavailable";
  }
}

/** From asking to the answer, and for a statement that runs: who has not answered by then is taken for dead. */
const ANSWER_MS = 2_500;
/** What is left of it where others have waited in vain for so long: enough to connect and to be answered. */
const LEAST_ANSWER_MS = 700;
/** In which what is under way on a pool that is replaced may still be answered. */
const GRACE_SECONDS = 0.4;
/** Work that shares a connection, one answer after the other: a busy process takes in more than one at a time. */
const PLACES_PER_CONNECTION = 4;
/** A request that has waited this long for a place is refused; it may wait more than once. */
const ADMISSION_MS = 1_000;

type Options = {
  pool?: PoolName;
  timeoutMs?: number;
  /** Of the whole request, whatever `timeoutMs` says. */
  deadline?: Deadline;
};

/**
 * Runs `work` on the pool's database and rejects with DatabaseUnavailable when there is no answer within `timeoutMs`: 2.5 s,
 * less the time for which the database has not answered at all, so that a request of many steps pays for a silence once.
 * The work under way is bounded by the pool's connections; the rest waits here, where it can be refused.
 */
export async function onDatabase<T>(
  work: (db: Db) => Promise<T>,
  { pool: name = "requests", timeoutMs = patienceMs(), deadline }: Options = {},
): Promise<T> {
  const end = deadline?.within(timeoutMs) ?? Deadline.in(timeoutMs);
  const place = placesOf(name).hold("");
  const bound = await place.take(1, { waitMs: Math.min(ADMISSION_MS, end.leftMs) });
  if (bound) throw new DatabaseUnavailable("every connection is busy", { isUndone: true });
  return answeredBy(end, run(name, work, place.release));
}

/** Rejects with DatabaseUnavailable where `answer` is not there in time. */
export function answeredBy<T>(deadline: Deadline, answer: Promise<T>): Promise<T> {
  return deadline.bound(answer, () => new DatabaseUnavailable("no answer in time"));
}

const silence = processWide("database-silence", () => createSilence(2 * ANSWER_MS));

/** How long a piece of work waits for its answer, as things stand. */
export function patienceMs(): number {
  return Math.max(LEAST_ANSWER_MS, ANSWER_MS - silence.lastsMs(performance.now()));
}

/**
 * Keeps its place until the answer is there, whether or not it is still waited for. A pool that lost a connection
 * or is silent is replaced: after a restart of the database a connection of postgres.js may stay and never answer again.
 */
const run = async <T>(name: PoolName, work: (db: Db) => Promise<T>, leave: () => void): Promise<T> => {
  const startedAtMs = performance.now();
  silence.asked(startedAtMs);
  const pool = await poolNamed(name).catch((error: unknown) => {
    leave();
    throw failureOf(error) ? new DatabaseUnavailable("it cannot be reached", { isUndone: true, cause: error }) : error;
  });
  const watches = [
    Deadline.in(ANSWER_MS).after(() => pool.answeredAtMs < startedAtMs && replace(pool)),
    // Others were answered, so it may have stood behind slow ones on its connection; but not for as long as this.
    Deadline.in(2 * ANSWER_MS).after(() => replace(pool)),
  ];
  const noteAnswer = () => {
    pool.answeredAtMs = performance.now();
    silence.answered();
  };
  pool.running.add(leave);
  try {
    const result = await work(pool.db);
    noteAnswer();
    return result;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === "busy" || failure === undefined) noteAnswer();
    else replace(pool, failure === "unreachable" ? 0 : GRACE_SECONDS);
    if (!failure) throw error;
    throw new DatabaseUnavailable(`the database is ${failure}`, { isUndone: failure === "busy", cause: error });
  } finally {
    for (const stop of watches) stop();
    pool.running.delete(leave);
    leave();
  }
};

/** For programs that come to an end: without it their connections keep them alive. */
export async function closePools(): Promise<void> {
  const open = [...pools.values()];
  pools.clear();
  await Promise.all(open.map(({ db }) => db.$client.end({ timeout: 1 })));
}

/** A statement that is prepared once on each pool's database that it meets. */
export function prepared<S>(prepare: (db: Db) => S): (db: Db) => S {
  const statements = new WeakMap<Db, S>();
  return (db) => {
    const statement = statements.get(db) ?? prepare(db);
    statements.set(db, statement);
    return statement;
  };
}

/** The SQLSTATE and the constraint of a database's refusal, wherever in the chain of causes it stands. */
export function databaseRefusal(error: unknown): { code: string; constraint: string | undefined } | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof postgres.PostgresError) return { code: cause.code, constraint: cause.constraint_name };
  }
  return undefined;
}

/** Connections, and the places of those who work on them. */
type Pool = { name: PoolName; db: Db; running: Set<() => void>; answeredAtMs: number };

const pools = processWide("pools", () => new Map<PoolName, Pool>());
const places = processWide("pool-places", () => new Map<PoolName, Budget>());

/** One loop claims and settles what goes to partners' endpoints; the second is for one that is stuck. */
const DELIVERY_CONNECTIONS = 2;

/**
 * The outbox may be empty now and hold a million rows in a minute. Until they are analyzed, a kept plan, a join by hash or a
 * sort would read them all; in the order of its index a claim reads what is due and nothing else.
 */
const BY_KEY = {
  plan_cache_mode: "force_custom_plan",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
};

const sizeOf = (name: PoolName): number => {
  const max = env().DATABASE_POOL_MAX;
  if (name === "deliveries") return DELIVERY_CONNECTIONS;
  return name === "requests" ? max : Math.max(2, Math.ceil(max / 3));
};

/** How many connections one process opens at most, over all its pools. */
export function mostConnections(): number {
  return POOL_NAMES.reduce((sum, name) => sum + sizeOf(name), 0);
}

/** It outlives its pools, so that those who wait go on to the next one. */
const placesOf = (name: PoolName): Budget => {
  const budget = places.get(name) ?? new Budget({ inAll: sizeOf(name) * PLACES_PER_CONNECTION });
  places.set(name, budget);
  return budget;
};

const poolNamed = async (name: PoolName): Promise<Pool> => {
  const opened = pools.get(name);
  if (opened) return opened;
  const isPooled = await behindPooler();
  return pools.get(name) ?? open(name, isPooled);
};

/** Asked once in the life of a process: at the first work, or as soon as there is an answer. */
export function behindPooler(): Promise<boolean> {
  route.isPooled ??= isBehindPooler(env().DATABASE_URL).catch((error: unknown) => {
    route.isPooled = undefined;
    throw error;
  });
  return route.isPooled;
}

const route = processWide("database-route", (): { isPooled?: Promise<boolean> | undefined } => ({}));

const open = (name: PoolName, isPooled: boolean): Pool => {
  const client = postgres(env().DATABASE_URL, {
    max: sizeOf(name),
    connect_timeout: 2,
    // No array ever crosses the wire, so no new connection needs to ask for their types first.
    fetch_types: false,
    prepare: !isPooled,
    idle_timeout: 60,
    max_lifetime: 30 * 60,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 0.5),
    connection: {
      application_name: `switchboard-${name}`,
      ...(isPooled ? {} : TIME_LIMITS),
      ...(isPooled || name !== "deliveries" ? {} : BY_KEY),
    },
    onnotice: () => {},
  });
  const db = drizzle({ client, schema, casing: "snake_case" });
  const pool: Pool = { name, db, running: new Set(), answeredAtMs: 0 };
  pools.set(name, pool);
  return pool;
};

/**
 * Work that still runs on it has `graceSeconds` to end, and then fails with a lost connection, as does work that stands in
 * line there; their places are free for the next pool at once.
 */
const replace = (pool: Pool, graceSeconds = GRACE_SECONDS) => {
  if (pools.get(pool.name) !== pool) return;
  pools.delete(pool.name);
  pool.db.$client.end({ timeout: graceSeconds }).catch(() => {});
  for (const leave of pool.running) leave();
};
