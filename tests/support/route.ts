import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import { retry } from "@/lib/core/deadline";
import { freePort } from "../../scripts/ports.mjs";

/** `direct` is for migrations, which need a session. */
type Route = { url: string; direct: string; stop: () => Promise<void> };

/**
 * How the servers of a run reach its Postgres where the tests reach it directly: through Debian's pgbouncer (TEST_PGBOUNCER=1),
 * or as a user whose settings are legal and like no one else's (TEST_HOSTILE_ROLE=1).
 */
export const openRoute = async (databaseUrl: string): Promise<Route> => {
  const { TEST_PGBOUNCER, TEST_HOSTILE_ROLE } = process.env;
  if (TEST_PGBOUNCER) return startPgbouncer(databaseUrl);
  if (TEST_HOSTILE_ROLE) return createHostileRole(databaseUrl);
  return { url: databaseUrl, direct: databaseUrl, stop: async () => {} };
};

/** Debian's pgbouncer as ops configures it, before every database of this Postgres, with the time limits that ops gives its user. */
export const startPgbouncer = async (databaseUrl: string): Promise<Route> => {
  const { hostname, port: databasePort, username, password } = new URL(databaseUrl);
  const port = await freePort();
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-pgbouncer-"));
  const config = readFileSync("ops/pgbouncer.ini", "utf8")
    .replace(
      /^switchboard = .*$/m,
      `* = host=${hostname} port=${databasePort} user=${username} password=${decodeURIComponent(password)} connect_query='set statement_timeout = 2200; set lock_timeout = 2000'`,
    )
    .replace("listen_addr = *", "listen_addr = 127.0.0.1\nunix_socket_dir =")
    .replace("listen_port = 6432", `listen_port = ${port}`)
    .replace("auth_type = scram-sha-256", "auth_type = any")
    .replace(/^auth_file.*$/m, "");
  writeFileSync(path.join(folder, "pgbouncer.ini"), config);
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pgbouncer = spawn("pgbouncer", [...asNobody, path.join(folder, "pgbouncer.ini")], {
    stdio: "ignore",
  });
  const { href } = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` });
  const sql = postgres(href, { max: 1, fetch_types: false, prepare: false });
  await retry(() => sql`select 1`, { attempts: 100, pauseMs: () => 50, retryIf: () => true });
  await sql.end();
  return {
    url: href,
    direct: databaseUrl,
    stop: async () => {
      pgbouncer.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** The servers' address of a database that the tests know by `url`; as it is where that is of another Postgres. */
export const routed = (url: string, route: { from: string; to: string } | undefined): string => {
  const [wanted, direct] = [new URL(url), new URL(route?.from ?? url)];
  if (!route || wanted.host !== direct.host || wanted.password !== direct.password) return url;
  return Object.assign(new URL(route.to), { pathname: wanted.pathname, search: wanted.search }).href;
};

/** Legal values of whatever our connections do not leave to the user's own settings, or work with in any state. */
const HOSTILE_SETTINGS = {
  search_path: "pg_temp",
  default_transaction_isolation: "serializable",
  timezone: "Asia/Kathmandu",
  datestyle: "SQL, DMY",
  intervalstyle: "iso_8601",
  bytea_output: "escape",
  extra_float_digits: "-10",
  standard_conforming_strings: "off",
  statement_timeout: "900",
  lock_timeout: "300",
  idle_session_timeout: "1s",
  idle_in_transaction_session_timeout: "5s",
  transaction_timeout: "20s",
};

/** A user of this Postgres with those of the hostile settings that it knows. */
export const createHostileRole = async (databaseUrl: string): Promise<Route> => {
  const sql = postgres(databaseUrl, { max: 1 });
  const [username, password] = [`hostile_${randomBytes(6).toString("hex")}`, randomBytes(12).toString("hex")];
  await sql.unsafe(`create role ${username} superuser login password '${password}'`);
  for (const [name, value] of Object.entries(HOSTILE_SETTINGS)) {
    const [known] = await sql`select from pg_settings where lower(name) = ${name}`;
    if (known) await sql.unsafe(`alter role ${username} set ${name} = '${value}'`);
  }
  await sql.end();
  const { href } = Object.assign(new URL(databaseUrl), { username, password });
  return { url: href, direct: href, stop: async () => {} };
};
