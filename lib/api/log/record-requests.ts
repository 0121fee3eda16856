import { getTableColumns, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { DatabaseUnavailable, onDatabase, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { durationHours, requestHours } from "@/db/schema";
import { bucketOf } from "@/lib/core/duration-scale";
import { errorFields, log } from "@/lib/core/log";
import type { Mode } from "@/lib/core/principal";
import { ProcessWindow } from "@/lib/limits/upstash-limit";
import type { ReceivedRequest } from "./request-record";

const FLUSH_EVERY_MS = 1_000;
const BATCH = 200;
const MAX_HELD = 2_000;
const REPORT_EVERY_MS = 60_000;
const MINUTE_MS = 60_000;
/** Rows per minute for refusals of a key and address; the rest is only counted, so loops do not fill the disk. */
const REFUSALS_KEPT_A_MINUTE = 60;

/** Returns whether a call gets a row in the log, or is only counted: of a flood of refusals some are enough. */
export function isLogged({ status, apiKey, ip }: Pick<ReceivedRequest, "status" | "apiKey" | "ip">): boolean {
  const isRefusal = status === 401 || status === 403 || status === 429;
  return !isRefusal || refusals.take(`${apiKey} ${ip}`, Date.now()).isAllowed;
}

/** Queues a call for the request log. Does not block and never throws. */
export function recordRequest(request: ReceivedRequest, { isKept }: { isKept: boolean }): void {
  buffer.add({ request, isKept });
  if (buffer.size >= BATCH) writing ??= writeAll();
  else flushSoon();
}

/** Stores the queued calls. Never throws: on failure they stay in memory, up to a limit. */
export async function flushRequests(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  // It may have begun before the latest calls.
  await writing;
  if (buffer.size > 0) writing ??= writeAll();
  await writing;
}

type QueuedRequest = { request: ReceivedRequest; isKept: boolean };
const refusals = new ProcessWindow(REFUSALS_KEPT_A_MINUTE, MINUTE_MS, 5_000);
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> | undefined;
let reportAgainAtMs = 0;

function flushSoon() {
  timer ??= setTimeout(() => void flushRequests(), FLUSH_EVERY_MS).unref();
}

/** Writes what is queued now. Calls that come meanwhile wait for a batch of their own: under load there are always a few. */
async function writeAll(): Promise<void> {
  for (let left = buffer.size; left > 0; left -= BATCH) {
    const batch = buffer.take(BATCH);
    if (await write(batch)) continue;
    buffer.putBack(batch);
    break;
  }
  writing = undefined;
  if (buffer.size > 0) flushSoon();
}

/** Returns false if the database is unavailable. A rejected row is dropped without the rest of its batch. */
async function write(batch: QueuedRequest[]): Promise<boolean> {
  try {
    await onDatabase((db) => db.transaction((tx) => insert(tx, batch)), { pool: "records" });
    return true;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) {
      logUnavailable(error);
      return false;
    }
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      return (await write(batch.slice(0, middle))) && (await write(batch.slice(middle)));
    }
    log("error", "request-log.row-refused", { requestId: batch[0]?.request.id, ...errorFields(error) });
    return true;
  }
}

/** What a row has of a call, each with its type: its column has the same name. */
const FIELDS = {
  id: "text",
  at: "timestamptz",
  operation: "text",
  method: "text",
  path: "text",
  status: "int",
  errorCode: "text",
  clientRequestId: "text",
  idempotencyKey: "text",
  isReplay: "boolean",
  messageId: "text",
  ip: "text",
  userAgent: "text",
  durationMs: "int",
  platformMs: "int",
  body: "text",
  answer: "text",
} satisfies Record<Exclude<keyof ReceivedRequest, "apiKey">, string>;

function listOf(write: (field: string, type: string) => string): string {
  const written = Object.entries(FIELDS).map(([field, type]) => write(field, type));
  return written.join(", ");
}
const GIVEN = listOf((field, type) => `"${field}" ${type}`);
const COLUMNS = listOf((field) => toSnakeCase(field));
const VALUES = listOf((field) => `"${field}"`);

/** Idempotent: only new rows are counted. */
async function insert(tx: Transaction, batch: QueuedRequest[]): Promise<void> {
  const rows = batch.map(({ request, isKept }) => ({ ...request, isKept }));
  const text = JSON.stringify(rows);
  const given = UNSTORABLE.test(text) ? JSON.stringify(rows, storable) : text;
  const raw = rawSql(tx);
  const written = await raw<{ workspace_id: string; api_key_id: string; mode: Mode; id: string }[]>`
    with given as (
      select * from json_to_recordset(${given}::text::json) as r (
        ${raw.unsafe(GIVEN)}, "apiKey" text, "isKept" boolean)
    ), owned as (
      select k.workspace_id, k.id as api_key_id, k.mode, g.* from given g join api_keys k on k.api_key = g."apiKey"
    ), kept as (
      insert into api_requests (workspace_id, mode, api_key_id, ${raw.unsafe(COLUMNS)})
      select workspace_id, mode, api_key_id, ${raw.unsafe(VALUES)}
      from owned where "isKept"
      on conflict do nothing returning id
    )
    select workspace_id, api_key_id, mode, id from owned where not "isKept" or id in (select id from kept)`;
  const requests = new Map(batch.map(({ request }) => [request.id, request]));
  const owned = written.flatMap(({ workspace_id: workspaceId, api_key_id: apiKeyId, mode, id }): OwnedRequest[] => {
    const request = requests.get(id);
    return request ? [{ workspaceId, apiKeyId, mode, request }] : [];
  });
  await addCounts(tx, owned);
}

async function addCounts(tx: Transaction, owned: OwnedRequest[]): Promise<void> {
  const calls = countRequests(owned);
  if (calls.length > 0) {
    const { count, ...key } = getTableColumns(requestHours);
    const add = { target: Object.values(key), set: { count: sql`${count} + excluded.count` } };
    await tx.insert(requestHours).values(calls).onConflictDoUpdate(add);
  }
  const durations = countDurations(owned);
  if (durations.length > 0) {
    const { count, ...key } = getTableColumns(durationHours);
    const add = { target: Object.values(key), set: { count: sql`${count} + excluded.count` } };
    await tx.insert(durationHours).values(durations).onConflictDoUpdate(add);
  }
}

/** How JSON escapes what Postgres rejects, and with it the whole batch: NUL and lone surrogates. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function storable(_name: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value;
}

function logUnavailable(error: unknown) {
  if (Date.now() < reportAgainAtMs) return;
  reportAgainAtMs = Date.now() + REPORT_EVERY_MS;
  const held = buffer.size;
  log("warn", "request-log.not-written", { held, lost: buffer.takeLost(), ...errorFields(error) });
}

/** A call and its owner, found by the key that it names. */
export type OwnedRequest = { workspaceId: string; apiKeyId: string; mode: Mode; request: ReceivedRequest };

/**
 * Counts calls by 15 minutes, in a fixed order, so that concurrent updates of the same rows cannot deadlock.
 */
export function countRequests(owned: readonly OwnedRequest[]) {
  return counted(owned, ({ workspaceId, mode, apiKeyId, request: { at, operation, status, errorCode } }) => [
    { workspaceId, mode, startsAt: quarterOf(at), apiKeyId, operation, status, errorCode: errorCode ?? "" },
  ]);
}

/** Counts the durations of sends that reached WhatsApp: WhatsApp's share and ours. */
export function countDurations(owned: readonly OwnedRequest[]) {
  return counted(owned, ({ workspaceId, mode, request: { at, operation, durationMs, platformMs } }) => {
    if (operation !== "send" || platformMs === null) return [];
    const place = { workspaceId, mode, startsAt: quarterOf(at) };
    return [
      { ...place, kind: "ours" as const, bucket: bucketOf(Math.max(0, durationMs - platformMs)) },
      { ...place, kind: "platform" as const, bucket: bucketOf(platformMs) },
    ];
  });
}

// Some time zones are offset by 30 or 45 minutes, so hours would not fit into their days; quarters do.
const QUARTER_MS = 15 * 60 * 1_000;

function quarterOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);
}

function sortable(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value;
}

function counted<T extends object>(
  owned: readonly OwnedRequest[],
  placesOf: (one: OwnedRequest) => T[],
): (T & { count: number })[] {
  const counts = new Map<string, T & { count: number }>();
  for (const place of owned.flatMap(placesOf)) {
    const key = Object.values(place).map(sortable).join(" ");
    counts.set(key, { ...place, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

/**
 * A bounded buffer of `most` entries, unlike a batcher: when full, it drops the oldest and counts them.
 */
export class RequestBuffer<T> {
  private held: T[] = [];
  private lost = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.held.length;
  }

  add(entry: T): void {
    this.held.push(entry);
    this.trim();
  }

  /** Removes and returns the oldest entries. */
  take(count: number): T[] {
    return this.held.splice(0, count);
  }

  /** Puts entries that could not be written back, as the oldest. */
  putBack(entries: T[]): void {
    this.held = [...entries, ...this.held];
    this.trim();
  }

  /** Returns how many were dropped since the last call. */
  takeLost(): number {
    const { lost } = this;
    this.lost = 0;
    return lost;
  }

  private trim(): void {
    const surplus = this.held.length - this.most;
    if (surplus <= 0) return;
    this.held.splice(0, surplus);
    this.lost += surplus;
  }
}

const buffer = new RequestBuffer<QueuedRequest>(MAX_HELD);
