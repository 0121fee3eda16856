import postgres from "postgres";

/** How a database failed a piece of work. `busy`: it was reached, and could not serve us now. */
export type Failure = "unreachable" | "lost" | "busy";

/** No connection can be made, so nothing that is under way will be answered. */
const UNREACHABLE_CODES = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"]);
/** One connection broke, or took too long to be made, or the other side did not speak as Postgres does. */
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
// Connection exceptions, shutdown and start-up of the database, a primary that has become a replica, and statements that
// a pooler did not keep or kept twice.
const LOST_STATES = /^08|^57P0|^25(006|P03)$|^26|^42P05$/;
/**
 * Faults of our own statements, by class: data, constraints, syntax, cursors, transactions, program limits, exceptions
 * that are raised. Every other state, unknown ones included, is the database's.
 */
const OWN_STATES = /^(0[23BFLP]|2[0-57BDF]|3[489B]|4[24]|54|P0)/;
/** Of those the ones that come from another schema, or other rights, than every release is tested with. */
const SCHEMA_STATES = /^42(501|P01|703|704|883)$/;

/** How the database failed, wherever in the chain of causes that stands; undefined where the fault is our own. */
export function failureOf(error: unknown): Failure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const failure = cause instanceof postgres.PostgresError ? failureOfState(cause) : failureOfConnection(cause);
    if (failure) return failure;
  }
  return undefined;
}

const failureOfState = ({ code, severity, severity_local: localSeverity }: postgres.PostgresError) => {
  if (LOST_STATES.test(code)) return "lost";
  // It ends the connection, so no statement alone is the cause. Some poolers send only the localized field.
  if (/^(FATAL|PANIC)$/.test(severity || localSeverity)) return "busy";
  return OWN_STATES.test(code) && !SCHEMA_STATES.test(code) ? undefined : "busy";
};

const failureOfConnection = (error: Error): Failure | undefined => {
  const code = "code" in error ? String(error.code) : "";
  if (UNREACHABLE_CODES.has(code)) return "unreachable";
  // Whatever the system says of a socket: resets, time-outs, no descriptor or port left.
  if (LOST_CODES.has(code) || TLS_CODES.test(code) || "syscall" in error) return "lost";
  // postgres.js writes to a socket that a restart of the database has just closed (porsager/postgres#1208).
  return error instanceof TypeError && error.message.includes("reading 'write'") ? "lost" : undefined;
};
