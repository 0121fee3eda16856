import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { migrateDatabase } from "@/db/migrate";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { startPostgres } from "../../scripts/postgres.mjs";
import { placeFor } from "../../scripts/postgres-cluster.mjs";
import { startServer } from "../../scripts/server-process.mjs";
import type { TestServers } from "../support/environment";
import type { FaultOrder } from "./fault-orders";
import type { Invariant } from "./history";
import { type FaultyPlatform, startFaultyPlatform } from "./platform";
import { type FaultyProxy, startProxy } from "./proxy";

/** A server of the fault build, with a way to its database and to WhatsApp that can be disturbed. */
export type Instance = {
  baseUrl: string;
  /** Between this instance and Postgres. */
  database: FaultyProxy;
  /** Between this instance and WhatsApp. */
  platform: FaultyProxy;
  /** The next request that reaches the point makes the process die or freeze. */
  order: (order: FaultOrder) => void;
  isOrderOpen: () => boolean;
  exited: () => Promise<number | null>;
  signal: (signal: NodeJS.Signals) => void;
  /** Each span from a signal that ends the process until its successor was well. */
  downtimes: { fromMs: number; untilMs: number }[];
  /** Starts the server again after it was killed, with another build or other settings where they are given. */
  restart: (options?: StartOptions) => Promise<void>;
  stop: () => Promise<void>;
};

export type StartOptions = { directory?: string; changes?: Record<string, string> };

export type World = {
  a: Instance;
  b: Instance;
  platform: FaultyPlatform;
  sql: Sql;
  environment: Record<string, string>;
  /** Where a partner's server may listen for events of live mode. */
  partnerPort: number;
  /** The invariants for which the fault under way has given something to classify. */
  judged: Set<Invariant>;
  startInstance: (options?: StartOptions) => Promise<Instance>;
  /** As a crash of the machine would end it: no goodbye to anybody. */
  crashDatabase: () => Promise<void>;
  startDatabase: () => Promise<void>;
  stop: () => Promise<void>;
};

const NO_LIMIT = { PUBLIC_API_IP_RATE_LIMIT: "100000000", PUBLIC_API_KEY_RATE_LIMIT: "100000000" };

/** One durable Postgres, one platform, and two servers of the build in `directory` that share them. */
export const startWorld = async (directory: string): Promise<World> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-faults-"));
  const place = path.join(folder, "postgres");
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  let database = await startPostgres({ directory: place });
  await migrateDatabase(database.url);
  const sql = postgres(database.url, { max: 4, onnotice: () => undefined });
  await recordChanges(sql);
  const platform = await startFaultyPlatform();
  const partnerPort = await freePort();
  const secret = () => randomBytes(32).toString("base64url");
  const environment: Record<string, string> = {
    DATABASE_URL: database.url,
    APP_URL: "http://localhost:1",
    NEXTAUTH_SECRET: secret(),
    KEY_PEPPER: secret(),
    ENCRYPTION_KEY: secret(),
    WHATSAPP_APP_SECRET: secret(),
    WHATSAPP_VERIFY_TOKEN: secret(),
    CRON_SECRET: secret(),
    WHATSAPP_GRAPH_URL: `http://127.0.0.1:${platform.port}`,
    MEDIA_FETCH_ALLOW: `127.0.0.1:${platform.port}`,
    WEBHOOK_ALLOW: `127.0.0.1:${partnerPort}`,
    ...NO_LIMIT,
  };
  const servers: TestServers = { baseUrl: "", platformUrl: "", mediaUrl: "", commands: "", build: "", environment };
  process.env.TEST_SERVERS = JSON.stringify(servers);
  const running = new Set<Instance>();
  let started = 0;

  const startInstance: World["startInstance"] = async ({ directory: tree = directory, changes = {} } = {}) => {
    started += 1;
    const serial = started;
    const orders = path.join(folder, `orders-${serial}.json`);
    const port = await freePort();
    const [toDatabase, toPlatform] = await Promise.all([startProxy(database.port), startProxy(platform.port)]);
    const url = new URL(database.url);
    url.port = `${toDatabase.port}`;
    const settings = {
      PATH: process.env.PATH,
      ...environment,
      PORT: `${port}`,
      APP_URL: `http://localhost:${port}`,
      DATABASE_URL: url.href,
      WHATSAPP_GRAPH_URL: `http://127.0.0.1:${toPlatform.port}`,
      FAULT_ORDERS: orders,
    };
    const logFile = path.join(DATA_DIRECTORY, `faults-server-${path.basename(directory)}-${serial}.log`);
    const start = (from: string, more: Record<string, string>) =>
      startServer({ environment: { ...settings, ...changes, ...more }, logFile, directory: from, hasPages: false });
    let server = await start(tree, {}).catch(async (error) => {
      await Promise.all([toDatabase.stop(), toPlatform.stop()]);
      throw error;
    });
    // A frozen server does not notice that this program has ended.
    const kill = () => server.kill();
    process.once("exit", kill);
    const instance: Instance = {
      baseUrl: `http://127.0.0.1:${port}`,
      database: toDatabase,
      platform: toPlatform,
      order: (order) => writeFileSync(orders, JSON.stringify(order)),
      isOrderOpen: () => existsSync(orders),
      exited: () => server.exited,
      downtimes: [],
      signal: (signal) => {
        const isEnd = signal === "SIGTERM" || signal === "SIGKILL";
        if (isEnd) instance.downtimes.push({ fromMs: Date.now(), untilMs: Number.POSITIVE_INFINITY });
        if (server.pid) process.kill(server.pid, signal);
      },
      restart: async ({ directory: next = tree, changes: more = {} } = {}) => {
        await server.exited;
        server = await start(next, more);
        const down = instance.downtimes.at(-1);
        if (down) down.untilMs = Math.min(down.untilMs, Date.now());
      },
      stop: async () => {
        running.delete(instance);
        process.off("exit", kill);
        if (server.pid && !(await hasEnded(server.exited))) process.kill(server.pid, "SIGCONT");
        server.kill();
        await server.exited;
        await Promise.all([toDatabase.stop(), toPlatform.stop()]);
      },
    };
    running.add(instance);
    return instance;
  };

  const [a, b] = await Promise.all([startInstance(), startInstance()]);
  return {
    a,
    b,
    platform,
    sql,
    environment,
    partnerPort,
    judged: new Set<Invariant>(),
    startInstance,
    crashDatabase: async () => {
      const lock = readFileSync(path.join(placeFor(place).data, "postmaster.pid"), "utf8");
      process.kill(Number(lock.split("\n")[0]), "SIGQUIT");
      await sleep(100);
    },
    startDatabase: async () => {
      database = await startPostgres({ directory: place, port: database.port });
    },
    stop: async () => {
      await Promise.all([...running].map((instance) => instance.stop()));
      await platform.stop();
      await sql.end({ timeout: 1 });
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const hasEnded = (exited: Promise<unknown>) => Promise.race([exited.then(() => true), sleep(0).then(() => false)]);

/** The database itself writes down every state of every message, so that no moment is missed. */
const recordChanges = (sql: Sql) =>
  sql.unsafe(`
    create table observed_changes (
      serial bigserial, workspace_id text, id text, attempt int, phase text, status text, at timestamptz
    );
    create function observe_change() returns trigger language plpgsql as $$
    begin
      insert into observed_changes (workspace_id, id, attempt, phase, status, at)
      values (new.workspace_id, new.id, new.attempt, new.phase, new.status, clock_timestamp());
      return null;
    end $$;
    create trigger observe_change after insert or update on messages for each row execute function observe_change();
  `);
