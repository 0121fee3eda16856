import { connect, type Socket } from "node:net";
import postgres from "postgres";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { hostLookup } from "@/lib/core/host-lookup";
import { processWide } from "@/lib/core/process-wide";
import type { PoolName } from "./client";

/**
 * What our statements are written for, whatever a server, database or user has as its default. Compiling a statement
 * (`jit`, on by default where Postgres has LLVM) would take a hundred times as long as running one of ours.
 */
export const SESSION = {
  jit: "off",
  search_path: "public",
  default_transaction_isolation: "read committed",
  TimeZone: "UTC",
  DateStyle: "ISO",
  // postgres.js reads hex only (findings/postgres-js-bytea-output.sh): every key was UNAUTHORIZED.
  bytea_output: "hex",
  standard_conforming_strings: "on",
  extra_float_digits: "1",
  // The pool ends what is idle; a statement that meets a goodbye of the server would be lost.
  idle_session_timeout: 86_400_000,
} as const;

/** In milliseconds, for the connections of servers: statements cancel themselves, so a slow database reports it. */
const SETTINGS = { ...SESSION, statement_timeout: 2_200, lock_timeout: 2_000 };

const POOLER_ANSWER_MS = 2_300;
/** PgBouncer's code for an unknown startup parameter, and other poolers' code for unsupported features. */
const REFUSALS = ["08P01", "0A000"];

/**
 * Whether `url` leads to a pooler such as PgBouncer, which refuses or drops startup parameters.
 * It shares connections between clients, so statements cannot be prepared on one. Rejects if
 * there is no response.
 */
async function isBehindPooler(url: string): Promise<boolean> {
  const connection = { application_name: "switchboard-probe", ...SETTINGS };
  const sql = postgres(url, { ...basics(), max: 1, prepare: false, connection });
  const tooLate = () => Object.assign(new Error("no answer to the first question"), { code: "CONNECT_TIMEOUT" });
  try {
    const question = sql`select setting::int from pg_settings where name = 'statement_timeout'`;
    const [row] = await Deadline.in(POOLER_ANSWER_MS).bound(question, tooLate);
    return row?.setting !== SETTINGS.statement_timeout;
  } catch (error) {
    if (error instanceof postgres.PostgresError && REFUSALS.includes(error.code)) return true;
    throw error;
  } finally {
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

/** Detects a pooler once per process and address, on first use; retried until it succeeds. */
export function behindPooler(url = env().DATABASE_URL): Promise<boolean> {
  const known = routes.get(url);
  if (known) return known;
  const isPooled = isBehindPooler(url).catch((error: unknown) => {
    routes.delete(url);
    throw error;
  });
  routes.set(url, isPooled);
  return isPooled;
}

// Each bundle would ask again, with a connection of its own.
const routes = processWide("database-routes", () => new Map<string, Promise<boolean>>());

/**
 * The options of every client. postgres.js accepts no `lookup`, and `dns.lookup` blocks a thread while DNS hangs. So it
 * gets a connecting socket, which buffers writes.
 */
function basics() {
  let next = 0;
  return {
    connect_timeout: 2,
    // We never send or read arrays, so new connections need not query array types first.
    fetch_types: false,
    onnotice: () => {},
    socket: ({ host, port, path }: { host: string[]; port: number[]; path?: string | false }): Socket => {
      if (path) return connect({ path });
      const at = next++ % host.length;
      const target = { host: host[at] ?? "localhost", port: port[at] ?? 5_432 };
      // TLS reads the name to check the certificate from the socket.
      return Object.assign(connect({ ...target, lookup: hostLookup }), target);
    },
  };
}

/** One loop claims and settles partner deliveries; the second connection is for when the first is stuck. */
const DELIVERY_CONNECTIONS = 2;

/** The outbox may be empty now and hold a million rows in a minute: a cached plan would read all of them. */
const PLANS_OF_THE_MOMENT = { plan_cache_mode: "force_custom_plan" };

/** Returns the most connections of a pool. */
export function sizeOf(name: PoolName): number {
  const max = env().DATABASE_POOL_MAX;
  if (name === "deliveries") return DELIVERY_CONNECTIONS;
  return name === "requests" || name === "replica" ? max : Math.max(2, Math.ceil(max / 3));
}

export function urlOf(name: PoolName): string {
  return (name === "replica" && env().DATABASE_REPLICA_URL) || env().DATABASE_URL;
}

/** Opens a pool's connections, each at its first statement. */
export function openClient(name: PoolName, isPooled: boolean): postgres.Sql {
  return postgres(urlOf(name), {
    ...basics(),
    max: sizeOf(name),
    prepare: !isPooled,
    idle_timeout: 60,
    max_lifetime: 30 * 60,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 0.5),
    connection: {
      application_name: `switchboard-${name}`,
      ...(isPooled ? {} : SETTINGS),
      ...(isPooled || name !== "deliveries" ? {} : PLANS_OF_THE_MOMENT),
      ...(isPooled || name !== "replica" ? {} : { default_transaction_read_only: true }),
    },
  });
}

/** How the database failed. `busy`: it was reached, but could not serve us. */
export type Failure = "unreachable" | "lost" | "busy";

/** No connection can be made, so no work in progress will get a response. */
const UNREACHABLE_CODES = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"]);
/** A connection broke, timed out while connecting, or broke the Postgres protocol. */
const LOST_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "SASL_SIGNATURE_MISMATCH",
  "MESSAGE_NOT_SUPPORTED",
  "ERR_OUT_OF_RANGE",
  "ERR_BUFFER_OUT_OF_BOUNDS",
]);
/** Node's and OpenSSL's codes for a TLS handshake that failed. */
const TLS_CODES =
  /^(ERR_(TLS|SSL)_|(UNABLE_TO|CERT|CRL|SELF_SIGNED|DEPTH_ZERO)_|HOSTNAME_MISMATCH$|INVALID_CA$|EPROTO$)/;
// Connection exceptions, database shutdown and startup, a primary that became a replica, and prepared statements
// that a pooler lost or duplicated.
const LOST_STATES = /^08|^57P0|^25(006|P03)$|^26|^42P05$/;
/**
 * Faults of our own statements, by class: data, constraints, syntax, cursors, transactions, program limits, exceptions
 * that are raised. Every other state, unknown ones included, is the database's.
 */
const OWN_STATES = /^(0[23BFLP]|2[0-57BDF]|3[489B]|4[24]|54|P0)/;
/** Exceptions to these: states caused by a schema or permissions that differ from what a release expects. */
const SCHEMA_STATES = /^42(501|P01|703|704|883)$/;

/** Classifies an error anywhere in the chain of causes; undefined if the fault is ours. */
export function failureOf(error: unknown): Failure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const failure = cause instanceof postgres.PostgresError ? failureOfState(cause) : failureOfConnection(cause);
    if (failure) return failure;
  }
  return undefined;
}

function failureOfState({ code, severity, severity_local: localSeverity }: postgres.PostgresError) {
  if (LOST_STATES.test(code)) return "lost";
  // FATAL ends the connection, so the statement is not the cause. Some poolers send only the localized field.
  if (/^(FATAL|PANIC)$/.test(severity || localSeverity)) return "busy";
  return OWN_STATES.test(code) && !SCHEMA_STATES.test(code) ? undefined : "busy";
}

function failureOfConnection(error: Error): Failure | undefined {
  const code = "code" in error ? String(error.code) : "";
  if (UNREACHABLE_CODES.has(code)) return "unreachable";
  // Any system error on a socket: resets, timeouts, no file descriptor or port left.
  if (LOST_CODES.has(code) || TLS_CODES.test(code) || "syscall" in error) return "lost";
  // postgres.js writes to a socket that a restart of the database has just closed (porsager/postgres#1208).
  return error instanceof TypeError && error.message.includes("reading 'write'") ? "lost" : undefined;
}
