import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres, { type Sql } from "postgres";
import { migrateDatabase } from "@/db/migrate";
import { startPostgres } from "../../scripts/postgres.mjs";
import { placeFor } from "../../scripts/postgres-cluster.mjs";
import { MEASURED_WORKSPACE, neighbours, workspaceOf } from "./bench-workspaces";
import { APP_SECRET, type BenchWorkspace, type KeyPair, startChild, startOurs, stopChildren } from "./bench-world";
import { startLoadGenerator } from "./load";
import { createLoads } from "./loads";
import type { Pair } from "./measure-scenario";
import { SEND_TEXT, type Target } from "./scenarios";

const NEIGHBOURS = 15;
const OWNER = { email: "owner@bench.test", password: `a long sentence ${randomBytes(6).toString("hex")}` };
/** Prefix and time of an id. */
const TIME_CHARACTERS = 14;

/** A durable Postgres, both servers, WhatsApp's stand-in and the load generator, each a process of its own. */
export const startMeasuredWorld = async () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "switchboard-bench-"));
  const place = path.join(directory, "postgres");
  const settings = { shared_preload_libraries: "pg_stat_statements", shared_buffers: "512MB", max_wal_size: "4GB" };
  const database = await startPostgres({ directory: place, settings });
  const generator = startLoadGenerator();
  const stop = async () => {
    generator.stop();
    stopChildren();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await migrateDatabase(database.url);
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    await sql`create extension pg_stat_statements`;
    const platform = await startChild("platform.mjs", {});
    const partner = await startChild("partner.mjs", {});
    const environment = { DATABASE_URL: database.url, WHATSAPP_GRAPH_URL: platform.url, APP_SECRET };
    const floor = await startChild("floor.mjs", environment);
    const workspaces = [MEASURED_WORKSPACE, ...neighbours(NEIGHBOURS), workspaceOf(OWNER)];
    const where = {
      databaseUrl: database.url,
      platformUrl: platform.url,
      partnerUrl: partner.url,
      logFolder: directory,
    };
    const ours = await startOurs({ ...where, workspaces });
    const pids = { ours: ours.pid, floor: floor.pid, postgres: postmasterPid(place) };
    const targets = await prepareTargets(sql, {
      oursUrl: ours.url,
      floorUrl: floor.url,
      platformUrl: platform.url,
      workspaces: ours.workspaces,
    });
    const [full] = ours.workspaces.slice(-1);
    if (!full) throw new Error("the workspace to fill was not created");
    const pair: Pair = { ours: targets.ours, floor: targets.floor, pids };
    return {
      databaseUrl: database.url,
      sql,
      pair,
      full,
      owner: OWNER,
      measuredId: ours.workspaces[0]?.id ?? "",
      partnerUrl: partner.url,
      platform: targets.platform,
      sixteen: targets.sixteen,
      loads: createLoads({ generator, sql }),
      startBeside: ours.startBeside,
      stop: async () => {
        await sql.end({ timeout: 5 });
        await ours.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** The process that every backend is a child of. */
const postmasterPid = (directory: string): number =>
  Number(readFileSync(path.join(placeFor(directory).data, "postmaster.pid"), "utf8").split("\n")[0]);

type Addresses = { oursUrl: string; floorUrl: string; platformUrl: string; workspaces: BenchWorkspace[] };

const prepareTargets = async (sql: Sql, { oursUrl, floorUrl, platformUrl, workspaces }: Addresses) => {
  const [measured] = workspaces;
  if (!measured?.keys.main || !measured.keys.refused) throw new Error("the benchmark's keys were not created");
  const keys = workspaces.slice(0, 1 + NEIGHBOURS).flatMap(({ keys }) => keys.main ?? []);
  const floorKey = { apiKey: "pk_floor", apiSecret: "sk_floor" };
  const common = { appSecret: APP_SECRET, seededIdPrefix: "", messageId: "" };
  const ours = { ...common, name: "ours" as const, url: oursUrl, keys: [measured.keys.main] };
  const floor = { ...common, name: "floor" as const, url: floorUrl, keys: [floorKey] };
  const refusedFloorKey = { apiKey: "pk_refused", apiSecret: "sk_refused" };
  await readTemplatesLater(sql);
  await copyTemplates(sql, measured.id);
  await exhaustLimit(sql, measured.keys.refused.apiKey);
  const oursReady = await withFirstMessage({ ...ours, refusedKey: measured.keys.refused });
  const floorReady = await withFirstMessage({ ...floor, refusedKey: refusedFloorKey });
  await refuseOnce(floorReady);
  const platform: Target = { ...oursReady, name: "platform", url: platformUrl };
  return { ours: oursReady, floor: floorReady, platform, sixteen: { ...oursReady, keys } };
};

/** Sends a message, which the status calls read and the seeded messages are copies of. */
const withFirstMessage = async (target: Target): Promise<Target> => {
  const response = await callOnce(target, target.keys);
  const { data }: { data?: { id: string } } = await response.json();
  if (!data) throw new Error(`the first send of ${target.name} was ${response.status}`);
  return { ...target, messageId: data.id, seededIdPrefix: data.id.slice(0, TIME_CHARACTERS) };
};

/** The floor's counter starts at nought: of its refused key one call is let through. */
const refuseOnce = async (target: Target): Promise<void> => {
  await callOnce(target, [target.refusedKey]);
  const { status } = await callOnce(target, [target.refusedKey]);
  if (status !== 429) throw new Error(`a key over its limit was ${status}`);
};

const callOnce = (target: Target, keys: KeyPair[]): Promise<Response> => {
  const call = SEND_TEXT.call({ ...target, keys }, 0);
  return fetch(`${target.url}${call.path}`, { method: call.method, headers: call.headers, body: call.body ?? null });
};

/** The sweeper reads the templates of a new account; the stand-in has none to give. */
const readTemplatesLater = (sql: Sql) => sql`
  insert into template_reads (workspace_id, whatsapp_business_account_id, due_at, not_before)
  select distinct workspace_id, whatsapp_business_account_id, now() + interval '6 hours', now() from phone_numbers
  on conflict (workspace_id, whatsapp_business_account_id) do update set due_at = excluded.due_at`;

const copyTemplates = (sql: Sql, workspaceId: string) => sql`
  insert into floor.templates (workspace_id, id, name, language, category, status, components)
  select 'ws', id, name, language, category, status, components from templates where workspace_id = ${workspaceId}`;

/** In this window and the next: a window that is ahead of its time stands until it is over. */
const exhaustLimit = (sql: Sql, apiKey: string) => sql`
  insert into rate_windows (id, bucket, used)
  select 'rl:key:' || id, floor(extract(epoch from clock_timestamp()) / 900)::bigint + 1, 999999999
  from api_keys where api_key = ${apiKey}`;
