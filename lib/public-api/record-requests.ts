import { sql } from "drizzle-orm";
import { DatabaseUnavailable, onDatabase, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { durationHours, type Mode, requestHours } from "@/db/schema";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { ProcessWindow } from "@/lib/limits/process-window";
import type { ReceivedRequest } from "./received-request";
import { RequestBuffer } from "./request-buffer";
import { countDurations, countRequests, type OwnedRequest } from "./request-counts";

const FLUSH_EVERY_MS = 1_000;
const BATCH = 200;
const MOST_HELD = 2_000;
const REPORT_EVERY_MS = 60_000;
const MINUTE_MS = 60_000;
/** Of refusals of one key and address; more are counted, and leave no row each: a client in a loop fills no disk. */
const REFUSALS_KEPT_A_MINUTE = 60;

/** Notes a call for the request log. Costs its caller nothing to wait for, and never throws. */
export function recordRequest(request: ReceivedRequest): void {
  const { buffer, refusals } = state();
  const isFlood = request.status === 401 || request.status === 429;
  const isKept = !isFlood || refusals.take(`${request.apiKey} ${request.ip}`, Date.now()).isAllowed;
  buffer.add({ request, isKept });
  if (buffer.size >= BATCH) void flushRequests();
  else flushSoon();
}

/** Stores what is logged so far. Never throws: what cannot be stored now stays in memory, as much as fits. */
export function flushRequests(): Promise<void> {
  const current = state();
  clearTimeout(current.timer);
  current.timer = undefined;
  if (current.buffer.size > 0) current.writing ??= writeAll();
  return current.writing ?? Promise.resolve();
}

type LoggedRequest = { request: ReceivedRequest; isKept: boolean };
type State = {
  buffer: RequestBuffer<LoggedRequest>;
  refusals: ProcessWindow;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void> | undefined;
  reportAgainAtMs: number;
};

const state = (): State =>
  processWide("requestLog", () => ({
    buffer: new RequestBuffer(MOST_HELD),
    refusals: new ProcessWindow(REFUSALS_KEPT_A_MINUTE, MINUTE_MS, 5_000),
    timer: undefined,
    writing: undefined,
    reportAgainAtMs: 0,
  }));

const flushSoon = () => {
  const current = state();
  current.timer ??= setTimeout(() => void flushRequests(), FLUSH_EVERY_MS).unref();
};

const writeAll = async (): Promise<void> => {
  const current = state();
  while (current.buffer.size > 0) {
    const batch = current.buffer.take(BATCH);
    if (await write(batch)) continue;
    current.buffer.giveBack(batch);
    break;
  }
  current.writing = undefined;
  if (current.buffer.size > 0) flushSoon();
};

/** False where the database is unavailable. A row that it refuses is dropped alone, without the rest of its batch. */
const write = async (batch: LoggedRequest[]): Promise<boolean> => {
  try {
    await onDatabase((db) => db.transaction((tx) => insert(tx, batch)), { pool: "records" });
    return true;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) {
      reportAway(error);
      return false;
    }
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      return (await write(batch.slice(0, middle))) && (await write(batch.slice(middle)));
    }
    log("error", "request-log.row-refused", { requestId: batch[0]?.request.id, ...errorFields(error) });
    return true;
  }
};

/** A batch that is written twice counts once: only rows that are new are counted. */
const insert = async (tx: Transaction, batch: LoggedRequest[]): Promise<void> => {
  const given = JSON.stringify(
    batch.map(({ request, isKept }) => ({ ...request, isKept })),
    storable,
  );
  const written = await rawSql(tx)<{ workspace_id: string; api_key_id: string; mode: Mode; id: string }[]>`
    with given as (
      select * from json_to_recordset(${given}::text::json) as r (
        "id" text, "at" timestamptz, "apiKey" text, "operation" text, "method" text, "path" text, "status" int,
        "errorCode" text, "clientRequestId" text, "idempotencyKey" text, "isReplay" boolean, "messageId" text,
        "ip" text, "userAgent" text, "durationMs" int, "platformMs" int, "body" text, "answer" text, "isKept" boolean)
    ), owned as (
      select k.workspace_id, k.id as api_key_id, k.mode, g.* from given g join api_keys k on k.api_key = g."apiKey"
    ), kept as (
      insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, error_code,
        client_request_id, idempotency_key, is_replay, message_id, ip, user_agent, duration_ms, platform_ms, body, answer)
      select workspace_id, id, at, mode, api_key_id, operation, method, path, status, "errorCode",
        "clientRequestId", "idempotencyKey", "isReplay", "messageId", ip, "userAgent", "durationMs", "platformMs", body, answer
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
};

const addCounts = async (tx: Transaction, owned: OwnedRequest[]): Promise<void> => {
  const calls = countRequests(owned);
  if (calls.length > 0) {
    const { workspaceId, mode, startsAt, apiKeyId, operation, status, errorCode } = requestHours;
    await tx
      .insert(requestHours)
      .values(calls)
      .onConflictDoUpdate({
        target: [workspaceId, mode, startsAt, apiKeyId, operation, status, errorCode],
        set: { count: sql`${requestHours.count} + excluded.count` },
      });
  }
  const durations = countDurations(owned);
  if (durations.length > 0) {
    const { workspaceId, mode, startsAt, kind, bucket } = durationHours;
    await tx
      .insert(durationHours)
      .values(durations)
      .onConflictDoUpdate({
        target: [workspaceId, mode, startsAt, kind, bucket],
        set: { count: sql`${durationHours.count} + excluded.count` },
      });
  }
};

/** Postgres holds no NUL and no half of a surrogate pair, and one such text would lose the whole batch. */
const storable = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value;

const reportAway = (error: unknown) => {
  const current = state();
  if (Date.now() < current.reportAgainAtMs) return;
  current.reportAgainAtMs = Date.now() + REPORT_EVERY_MS;
  const held = current.buffer.size;
  log("warn", "request-log.not-written", { held, lost: current.buffer.takeLost(), ...errorFields(error) });
};
