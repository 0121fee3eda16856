import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

/** What a connection asks for at its start, in milliseconds: statements end themselves, so that a slow database says so. */
export const TIME_LIMITS = { statement_timeout: 2_200, lock_timeout: 2_000 };

const ANSWER_MS = 2_300;
/** PgBouncer's word for a parameter that it does not know, and other poolers' for what they do not support. */
const REFUSALS = ["08P01", "0A000"];

/**
 * Whether a pooler (PgBouncer and its like) stands before the Postgres at `url`: it refuses or drops what a connection asks
 * for at its start. It shares connections between its clients, so that no statement can be kept on one. Rejects where
 * there is no answer.
 */
export async function isBehindPooler(url: string): Promise<boolean> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 2,
    fetch_types: false,
    prepare: false,
    connection: { application_name: "switchboard-probe", ...TIME_LIMITS },
    onnotice: () => {},
  });
  const timer = new AbortController();
  try {
    const tooLate = sleep(ANSWER_MS, undefined, { signal: timer.signal }).then(() => {
      throw Object.assign(new Error("no answer to the first question"), { code: "CONNECT_TIMEOUT" });
    });
    const question = sql`select setting::int from pg_settings where name = 'statement_timeout'`;
    const [row] = await Promise.race([question, tooLate]);
    return row?.setting !== TIME_LIMITS.statement_timeout;
  } catch (error) {
    if (error instanceof postgres.PostgresError && REFUSALS.includes(error.code)) return true;
    throw error;
  } finally {
    timer.abort();
    sql.end({ timeout: 0 }).catch(() => {});
  }
}
