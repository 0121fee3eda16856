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
