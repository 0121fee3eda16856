import { behindPooler, mostConnections } from "@/db/client";
import { databaseTime } from "@/db/clock";
import { isSchemaCurrent } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { certainSkewMs, judgeSkew } from "./clock-skew";
import { databaseFault, databaseHost } from "./database-fault";
import { type Finding, failed, passed, warned } from "./finding";

const OLDEST_VERSION = 15;

/** Whether the database answers; and where it does, its schema, its room for our connections and its clock. */
export async function checkDatabase(): Promise<Finding[]> {
  try {
    const first = await checkVersion();
    return [first, await checkSchema(), await checkConnections(), await checkClock()];
  } catch (error) {
    const { words, advice } = databaseFault(error);
    return [failed("database", words, advice)];
  }
}

const checkVersion = async (): Promise<Finding> => {
  const [row] = await onSql(
    (sql) => sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`,
  );
  const major = Math.floor((row?.version ?? 0) / 10_000);
  if (major >= OLDEST_VERSION) return passed("database", `Postgres ${major} answers at ${databaseHost()}`);
  const words = `${databaseHost()} runs Postgres ${major}, and ${OLDEST_VERSION} is the oldest that is supported`;
  return failed("database", words, `Bring it to Postgres ${OLDEST_VERSION} or newer.`);
};

const checkSchema = async (): Promise<Finding> => {
  if (await onSql((sql) => isSchemaCurrent(sql))) return passed("schema", "The schema is up to date");
  const words = "The database’s schema is older than this program";
  return failed("schema", words, "Run `npm run db:migrate`; the server does not start before.");
};

/** Whether Postgres has room for the connections of two processes; behind a pooler, whether statements end there. */
export async function checkConnections(): Promise<Finding> {
  return (await behindPooler()) ? checkPooler() : checkRoom();
}

/** Behind one no connection has time limits of its own; where the user has them, a slow statement still ends itself. */
const checkPooler = async (): Promise<Finding> => {
  const [row] = await onSql((sql) => sql<{ limit: string }[]>`select current_setting('statement_timeout') as limit`);
  const limit = row?.limit ?? "0";
  if (limit !== "0") return passed("pooler", `A pooler stands before Postgres; its statements end after ${limit}`);
  const words = "A pooler stands before Postgres, and a statement that hangs there never ends";
  const advice = "Give its user limits: `alter role … set statement_timeout = '2200ms'`, and `lock_timeout = '2s'`.";
  return warned("pooler", words, advice);
};

const checkRoom = async (): Promise<Finding> => {
  const [row] = await onSql(
    (sql) => sql<{ places: number }[]>`
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
  const now = await databaseTime();
  const skewMs = certainSkewMs({ askedAtMs, answeredAtMs: Date.now() }, now.getTime());
  return judgeSkew("database clock", "the database’s", skewMs);
};
