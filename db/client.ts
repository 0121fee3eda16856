import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { Budget } from "@/lib/core/budget";
import { Deadline } from "@/lib/core/deadline";
import { startFault } from "@/lib/core/own-server";
import { processWide } from "@/lib/core/process-wide";
import { observe } from "@/lib/core/telemetry";
import { behindPooler, failureOf, openClient, sizeOf, urlOf } from "./connect";

export type Db = PostgresJsDatabase & { $client: postgres.Sql };
export type Transaction = Parameters<Parameters<Db["transaction"]>[0]>[0];

/** Each kind of work has its own connections, so a flood of one never starves another. */
export const POOL_NAMES = ["requests", "webhooks", "limits", "records", "deliveries", "replica"] as const;
export type PoolName = (typeof POOL_NAMES)[number];

/** The database failed (unreachable, timed out, full, misconfigured, …). The work may or may not have been done. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  /** Whether the work was certainly not done: it never reached the database, or was refused there. */
  readonly hadNoEffect: boolean;

  constructor(message: string, { hadNoEffect = false, cause }: { hadNoEffect?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.hadNoEffect = hadNoEffect;
  }

  /** Pools are shared between bundles, and each has its own load of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "DatabaseUnavailable";
  }
}

/** Time from request to response: a database that has not responded by then is considered dead. */
const ANSWER_MS = 2_500;
/** The same for the replica; after it the primary is asked. */
const REPLICA_ANSWER_MS = 1_500;
/** The minimum during an outage that others have already waited for: enough to connect and get a response. */
const MIN_ANSWER_MS = 700;
/** How long work in progress on a replaced pool may still finish. */
const GRACE_SECONDS = 0.4;
/** Pieces of work per connection: they run one after the other, but a busy process reads several at a time. */
const SLOTS_PER_CONNECTION = 4;
/** A request is refused after waiting this long for a slot; it may wait more than once. */
const ADMISSION_MS = 1_000;

type Options = {
  pool?: PoolName;
  timeoutMs?: number;
  /** Deadline of the whole request; applies in addition to `timeoutMs`. */
  deadline?: Deadline;
  /** Asks for the database's state, so it runs although a start fault refuses all other work. */
  isProbe?: boolean;
};

/**
 * Runs `work` on the pool's database and rejects with DatabaseUnavailable after `timeoutMs`. The default is 2.5 s,
 * minus the time since the database stopped responding, so a request of many steps pays for an outage once.
 * Concurrent work is bounded by the pool's connections; the rest waits here, where it can be refused.
 */
export async function onDatabase<T>(
  work: (db: Db) => Promise<T>,
  { pool: name = ambientPool(), timeoutMs = responseTimeoutMs(name), deadline, isProbe = false }: Options = {},
): Promise<T> {
  if (startFault.requireDatabase && !isProbe) await startFault.requireDatabase();
  const end = deadline?.within(timeoutMs) ?? Deadline.in(timeoutMs);
  const place = placesOf(name).hold("");
  const bound = await place.take(1, { waitMs: Math.min(ADMISSION_MS, end.leftMs) });
  if (bound) throw new DatabaseUnavailable("every connection is busy", { hadNoEffect: true });
  const withinMs = Math.max(ANSWER_MS, timeoutMs);
  return withinDeadline(end, run(name, work, { leave: place.release, withinMs }));
}

/** The same in one transaction. */
export function inTransaction<T>(work: (tx: Transaction) => Promise<T>, options?: Options): Promise<T> {
  return onDatabase((db) => db.transaction(work), options);
}

/** Rejects with DatabaseUnavailable if `answer` misses the deadline. */
export function withinDeadline<T>(deadline: Deadline, answer: Promise<T>): Promise<T> {
  return deadline.bound(answer, () => new DatabaseUnavailable("no answer in time"));
}

// Outage state of the primary, shared by all bundles, like the pools.
const silence = processWide("database-silence", () => createSilence(2 * ANSWER_MS));

/** Returns how long work waits for a response at present. */
export function responseTimeoutMs(pool: PoolName = "requests"): number {
  if (pool === "replica") return REPLICA_ANSWER_MS;
  return Math.max(MIN_ANSWER_MS, ANSWER_MS - silence.outageMs(performance.now()));
}

/**
 * Holds its slot until the response arrives, even if no one waits for it any more. A pool that lost a connection or does not
 * respond `withinMs` is replaced: after a database restart, a postgres.js connection may stay open and hang forever.
 */
async function run<T>(
  name: PoolName,
  work: (db: Db) => Promise<T>,
  { leave, withinMs }: { leave: () => void; withinMs: number },
): Promise<T> {
  const startedAtMs = performance.now();
  replaceAfterFreeze(startedAtMs);
  if (name !== "replica") silence.asked(startedAtMs);
  const pool = await poolNamed(name).catch((error: unknown) => {
    leave();
    throw failureOf(error)
      ? new DatabaseUnavailable("it cannot be reached", { hadNoEffect: true, cause: error })
      : error;
  });
  let stopWatch = Deadline.in(withinMs).after(() => {
    if (pool.answeredAtMs < startedAtMs) return replace(pool);
    // Others got responses, so it may be queued behind slow work on its connection, but not for this long.
    stopWatch = Deadline.in(withinMs).after(() => replace(pool));
  });
  const noteAnswer = () => {
    pool.answeredAtMs = performance.now();
    if (name !== "replica") silence.answered();
  };
  pool.running.add(leave);
  let outcome = "ok";
  try {
    const result = await work(pool.db);
    noteAnswer();
    return result;
  } catch (error) {
    const failure = failureOf(error);
    outcome = failure ?? "refused";
    if (failure === "busy" || failure === undefined) noteAnswer();
    else replace(pool, failure === "unreachable" ? 0 : GRACE_SECONDS);
    if (!failure) throw error;
    throw new DatabaseUnavailable(`the database is ${failure}`, { hadNoEffect: failure === "busy", cause: error });
  } finally {
    stopWatch();
    observe("switchboard_database_seconds", (performance.now() - startedAtMs) / 1_000, { pool: name, outcome });
    pool.running.delete(leave);
    leave();
  }
}

/** Closes all connections, so that a command can exit. */
export async function closePools(): Promise<void> {
  const open = [...pools.values()];
  pools.clear();
  await Promise.all(open.map(({ db }) => db.$client.end({ timeout: 1 })));
}

/** Caches a prepared statement per pool. */
export function prepared<S>(prepare: (db: Db) => S): (db: Db) => S {
  const statements = new WeakMap<Db, S>();
  return (db) => {
    const statement = statements.get(db) ?? prepare(db);
    statements.set(db, statement);
    return statement;
  };
}

/** Returns the SQLSTATE and constraint of a Postgres error anywhere in the chain of causes. */
export function databaseRefusal(error: unknown): { code: string; constraint: string | undefined } | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof postgres.PostgresError) return { code: cause.code, constraint: cause.constraint_name };
  }
  return undefined;
}

/** Connections, and how to free the slots of the work running on them. */
type Pool = { name: PoolName; db: Db; running: Set<() => void>; answeredAtMs: number };

// Of the whole process: the bundles of pages and routes must not multiply connections.
const pools = processWide("pools", () => new Map<PoolName, Pool>());
const places = processWide("pool-places", () => new Map<PoolName, Budget>());

const TURN_MS = 500;
/** A busy process may miss a few turns, and pools that are in use stay. */
const FROZEN_AFTER_MS = 3_000;
let turnedAtMs = performance.now();
setInterval(() => replaceAfterFreeze(performance.now()), TURN_MS).unref();

/**
 * After a freeze or sleep, idle connections may be dead without an error, and a statement on one would wait for its time-out.
 * Replaces unused pools when the clock has jumped.
 */
function replaceAfterFreeze(nowMs: number): void {
  const wasFrozen = nowMs - turnedAtMs > FROZEN_AFTER_MS;
  turnedAtMs = nowMs;
  if (wasFrozen) for (const pool of pools.values()) if (pool.running.size === 0) replace(pool, 0);
}

/** Returns the most connections that one process opens to the primary, over all its pools. */
export function mostConnections(): number {
  return POOL_NAMES.reduce((sum, name) => sum + (name === "replica" ? 0 : sizeOf(name)), 0);
}

/** How many pieces of work each pool of this process runs at most, runs now, and lets wait. */
export function poolLoads(): { pool: PoolName; most: number; running: number; waiting: number }[] {
  return [...places].map(([pool, budget]) => {
    const { held, waiting } = budget.load;
    return { pool, most: sizeOf(pool) * SLOTS_PER_CONNECTION, running: held, waiting };
  });
}

/** Outlives the pools, so waiting work moves on to the next one. */
function placesOf(name: PoolName): Budget {
  const budget = places.get(name) ?? new Budget({ inAll: sizeOf(name) * SLOTS_PER_CONNECTION });
  places.set(name, budget);
  return budget;
}

async function poolNamed(name: PoolName): Promise<Pool> {
  const opened = pools.get(name);
  if (opened) return opened;
  const isPooled = await behindPooler(urlOf(name));
  return pools.get(name) ?? open(name, isPooled);
}

function open(name: PoolName, isPooled: boolean): Pool {
  const db = drizzle({ client: openClient(name, isPooled), casing: "snake_case" });
  const pool: Pool = { name, db, running: new Set(), answeredAtMs: 0 };
  pools.set(name, pool);
  return pool;
}

/**
 * Running work has `graceSeconds` to finish, then fails with a lost connection, as does work queued
 * on it; their slots are free for the next pool at once.
 */
function replace(pool: Pool, graceSeconds = GRACE_SECONDS) {
  if (pools.get(pool.name) !== pool) return;
  pools.delete(pool.name);
  pool.db.$client.end({ timeout: graceSeconds }).catch(() => {});
  for (const leave of pool.running) leave();
}

/**
 * Tracks how long the database has not responded, so that not every request has to time out. Forgets the outage once the
 * database was not queried for `forgottenAfterMs`.
 */
export function createSilence(forgottenAfterMs: number) {
  let sinceMs: number | undefined;
  let lastAskedAtMs = 0;

  /** How long requests have gone without any response; 0 if there were none recently. */
  const outageMs = (nowMs: number) =>
    sinceMs === undefined || nowMs - lastAskedAtMs > forgottenAfterMs ? 0 : nowMs - sinceMs;

  return {
    outageMs,
    asked: (nowMs: number) => {
      if (outageMs(nowMs) === 0) sinceMs = nowMs;
      lastAskedAtMs = nowMs;
    },
    answered: () => {
      sinceMs = undefined;
    },
  };
}

/** Created on the first replica read: AsyncLocalStorage costs CPU, and API processes never read a replica. */
const reading = processWide("reading-replica", (): { of?: AsyncLocalStorage<true> } => ({}));

/** The pool of statements that name none. */
const ambientPool = (): PoolName => (reading.of?.getStore() ? "replica" : "requests");

/** Runs `work` so that its reads which name no pool are made on the replica. */
export function onReplica<T>(work: () => Promise<T>): Promise<T> {
  reading.of ??= new AsyncLocalStorage();
  return reading.of.run(true, work);
}
