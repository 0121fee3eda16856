import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { env } from "@/lib/core/env";
import { hostLookup } from "@/lib/core/host-lookup";
import { processWide } from "@/lib/core/process-wide";

/** Connection settings in milliseconds: statements cancel themselves, so a slow database reports it. */
export const TIME_LIMITS = { statement_timeout: 2_200, lock_timeout: 2_000 };

const POOLER_ANSWER_MS = 2_300;
/** PgBouncer's code for an unknown startup parameter, and other poolers' code for unsupported features. */
const REFUSALS = ["08P01", "0A000"];

/**
 * Whether `url` leads to a pooler such as PgBouncer, which refuses or drops startup parameters.
 * It shares connections between clients, so statements cannot be prepared on one. Rejects if
 * there is no response.
 */
export async function isBehindPooler(url: string): Promise<boolean> {
  const sql = postgres(url, {
    ...resolving(),
    max: 1,
    connect_timeout: 2,
    fetch_types: false,
    prepare: false,
    connection: { application_name: "switchboard-probe", ...TIME_LIMITS },
    onnotice: () => {},
  });
  const timer = new AbortController();
  try {
    const tooLate = sleep(POOLER_ANSWER_MS, undefined, { signal: timer.signal }).then(() => {
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

type Target = { host: string[]; port: number[]; path?: string | false };

/**
 * postgres.js takes no look-up, and the system's own holds a thread while DNS is silent. It takes a socket: one that is
 * still connecting, which keeps what is written meanwhile.
 */
export function resolving() {
  let next = 0;
  return {
    socket: ({ host, port, path }: Target): Socket => {
      if (path) return connect({ path });
      const at = next++ % host.length;
      const target = { host: host[at] ?? "localhost", port: port[at] ?? 5_432 };
      // TLS reads the name to check the certificate from the socket.
      return Object.assign(connect({ ...target, lookup: hostLookup }), target);
    },
  };
}
