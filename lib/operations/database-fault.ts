import { databaseRefusal } from "@/db/client";
import { env } from "@/lib/core/env";

type Variable = "DATABASE_URL" | "DATABASE_REPLICA_URL";

/** Explains to the operator why the database cannot be used, without revealing user or password. */
export function databaseFault(error: unknown, variable: Variable = "DATABASE_URL") {
  const code = codeOf(error);
  const [words, advice] = { ...PERMANENT_FAULTS, ...TEMPORARY_FAULTS }[code] ?? [
    `Postgres at $HOST returned no usable response (${code})`,
    "Look at the log of Postgres.",
  ];
  const named = (text: string) => text.replace("DATABASE_URL", variable).replace("$HOST", databaseHost(variable));
  return { words: named(words), advice: named(advice) };
}

/** Returns whether the fault is permanent until DATABASE_URL or the database is changed. */
export function isPermanentFault(error: unknown): boolean {
  return codeOf(error) in PERMANENT_FAULTS;
}

type Texts = Record<string, readonly [words: string, advice: string]>;

const PERMANENT_FAULTS: Texts = {
  "28P01": ["Postgres at $HOST refuses the user or the password", "Fix them in DATABASE_URL."],
  "28000": ["Postgres at $HOST does not let this user in from here", "Fix DATABASE_URL, or its pg_hba.conf."],
  "3D000": ["Postgres at $HOST has no such database", "Create it, or fix the name at the end of DATABASE_URL."],
  "42501": [
    "The user of DATABASE_URL may not read the tables at $HOST",
    "Grant it what the owner of the tables may do.",
  ],
  "42704": [
    "Postgres at $HOST does not know a setting of DATABASE_URL",
    "Remove it from what follows the question mark.",
  ],
  "22023": ["Postgres at $HOST refuses a setting of DATABASE_URL", "Fix it in what follows the question mark."],
};

const TEMPORARY_FAULTS: Texts = {
  "53300": ["Postgres at $HOST has no connection left", "Raise max_connections, or stop what holds them."],
  "55000": ["Postgres at $HOST takes no connection to this database", "Allow them again with `alter database`."],
  ECONNREFUSED: ["Nothing listens at $HOST", "Start Postgres, or fix host and port in DATABASE_URL."],
  // A host may be unknown until another container or a tunnel is up.
  ENOTFOUND: ["The name of $HOST is unknown", "Fix the host in DATABASE_URL."],
  EAI_AGAIN: ["The name of $HOST could not be looked up", "Fix the host in DATABASE_URL, or this machine’s DNS."],
  CONNECT_TIMEOUT: ["$HOST does not respond; a firewall may block it", "Let this machine reach Postgres."],
};

const codeOf = (error: unknown): string => databaseRefusal(error)?.code ?? systemCode(error);

function systemCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return error instanceof Error ? error.name : "unknown";
}

/** Returns the database's host, without user and password. */
export function databaseHost(variable: Variable = "DATABASE_URL"): string {
  const url = env()[variable] ?? "";
  return URL.canParse(url) ? new URL(url).host : `the hosts of ${variable}`;
}
