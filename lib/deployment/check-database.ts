import { behindPooler, databaseRefusal, mostConnections, onDatabase } from "@/db/client";
import { isSchemaCurrent } from "@/db/migrations-state";
import { env } from "@/lib/env";
import { certainSkewMs, judgeSkew } from "./clock-skew";
import { type Finding, failed, passed, warned } from "./finding";

const OLDEST_VERSION = 15;

/** Whether the database answers; and where it does, its schema, its room for our connections and its clock. */
export const checkDatabase = async (): Promise<Finding[]> => {
  try {
    const first = await checkVersion();
    return [first, await checkSchema(), await checkConnections(), await checkClock()];
  } catch (error) {
    return [toldAway(error)];
  }
};

const checkVersion = async (): Promise<Finding> => {
  const [row] = await onDatabase(
    ({ $client: sql }) => sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`,
  );
  const major = Math.floor((row?.version ?? 0) / 10_000);
  if (major >= OLDEST_VERSION) return passed("database", `Postgres ${major} answers at ${databaseHost()}`);
  const words = `${databaseHost()} runs Postgres ${major}, and ${OLDEST_VERSION} is the oldest that is supported`;
  return failed("database", words, `Bring it to Postgres ${OLDEST_VERSION} or newer.`);
};

const checkSchema = async (): Promise<Finding> => {
  if (await onDatabase(({ $client }) => isSchemaCurrent($client))) return passed("schema", "The schema is up to date");
  const words = "The database’s schema is older than this program";
  return failed("schema", words, "Run `npm run db:migrate`; the server does not start before.");
};

const checkConnections = async (): Promise<Finding> => ((await behindPooler()) ? checkPooler() : checkRoom());

/** Behind one no connection has time limits of its own; where the user has them, a slow statement still ends itself. */
const checkPooler = async (): Promise<Finding> => {
  const [row] = await onDatabase(
    ({ $client: sql }) => sql<{ limit: string }[]>`select current_setting('statement_timeout') as limit`,
  );
  const limit = row?.limit ?? "0";
  if (limit !== "0") return passed("pooler", `A pooler stands before Postgres; its statements end after ${limit}`);
  const words = "A pooler stands before Postgres, and a statement that hangs there never ends";
  const advice = "Give its user limits: `alter role … set statement_timeout = '2200ms'`, and `lock_timeout = '2s'`.";
  return warned("pooler", words, advice);
};

const checkRoom = async (): Promise<Finding> => {
  const [row] = await onDatabase(
    ({ $client: sql }) => sql<{ places: number }[]>`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as places`,
  );
  return judgeRoom(row?.places ?? 0, mostConnections());
};

/** Two processes must fit: while one is replaced by the next, both are there. */
const judgeRoom = (places: number, perProcess: number): Finding => {
  const words = `A process opens up to ${perProcess} connections, and Postgres has ${places}`;
  const advice = "Lower DATABASE_POOL_MAX, raise max_connections, or put a pooler in front.";
  if (perProcess > places) return failed("connections", words, advice);
  const fitting = Math.floor(places / perProcess);
  if (fitting < 2) return warned("connections", `${words}: too few for a second process`, advice);
  return passed("connections", `${words}: enough for ${fitting} processes`);
};

const checkClock = async (): Promise<Finding> => {
  const askedAtMs = Date.now();
  const [row] = await onDatabase(
    ({ $client: sql }) => sql<{ ms: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
  );
  const skewMs = certainSkewMs({ askedAtMs, answeredAtMs: Date.now() }, row?.ms ?? 0);
  return judgeSkew("database clock", "the database’s", skewMs);
};

const toldAway = (error: unknown): Finding => {
  const refusal = databaseRefusal(error)?.code;
  const [reason, advice] = REASONS[refusal ?? systemCode(error)] ?? [
    `Postgres at ${databaseHost()} gave no usable answer (${refusal ?? systemCode(error)})`,
    "Look at the log of Postgres.",
  ];
  return failed("database", reason.replace("$HOST", databaseHost()), advice);
};

const REASONS: Record<string, readonly [words: string, advice: string]> = {
  "28P01": ["Postgres at $HOST refuses the user or the password", "Mend them in DATABASE_URL."],
  "28000": ["Postgres at $HOST does not let this user in from here", "Mend DATABASE_URL, or its pg_hba.conf."],
  "3D000": ["Postgres at $HOST has no such database", "Create it, or mend the name at the end of DATABASE_URL."],
  "53300": ["Postgres at $HOST has no connection left", "Raise max_connections, or stop what holds them."],
  ECONNREFUSED: ["Nothing listens at $HOST", "Start Postgres, or mend host and port in DATABASE_URL."],
  ENOTFOUND: ["The name of $HOST is unknown", "Mend the host in DATABASE_URL."],
  EAI_AGAIN: ["The name of $HOST could not be looked up", "Mend the host in DATABASE_URL, or this machine’s DNS."],
  CONNECT_TIMEOUT: ["$HOST does not answer, as behind a firewall", "Let this machine reach Postgres."],
};

const systemCode = (error: unknown): string => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return error instanceof Error ? error.name : "unknown";
};

/** Without the user and the password beside it. */
const databaseHost = (): string => {
  const { DATABASE_URL } = env();
  return URL.canParse(DATABASE_URL) ? new URL(DATABASE_URL).host : "the host of DATABASE_URL";
};
