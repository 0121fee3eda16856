import { and, asc, desc, eq, gte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Db, onDatabase, type Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { instantArray } from "@/db/raw-sql";
import { apiKeys, apiRequests, requestHours, users } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { lastDays } from "@/lib/core/local-time";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { quote } from "@/lib/core/text";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { USABLE } from "./authenticate";

/** The columns that may be shown. Hashes leave the database only for authentication. */
const KEY_COLUMNS = {
  ...columnsOf(apiKeys, "id", "ref", "trialOf", "label", "mode", "apiKey", "lastUsedAt"),
  ...columnsOf(apiKeys, "previousSecretEndsAt", "secretMadeAt", "expiresAt", "limits", "revokedAt", "createdAt"),
};

/** Every key of a workspace, revoked ones too, oldest first. */
export function listKeys(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(KEY_COLUMNS)
      .from(apiKeys)
      .where(rowsOf(apiKeys, workspaceId))
      .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),
  );
}

/** Returns a key by its public half, including revoked and expired keys. */
export async function findKey(tx: Transaction, workspaceId: WorkspaceId, apiKey: string) {
  const [key] = await tx
    .select(KEY_COLUMNS)
    .from(apiKeys)
    .where(rowsOf(apiKeys, workspaceId, { apiKey }));
  return key;
}

/** Returns the public half of the newest usable key, for sample calls. Not a trial key: no one has its secret. */
export async function findUsableKey(workspaceId: WorkspaceId, mode: Mode): Promise<string | undefined> {
  const [key] = await onDatabase((db) =>
    db
      .select({ apiKey: apiKeys.apiKey })
      .from(apiKeys)
      .where(and(rowsOf(apiKeys, workspaceId, { mode, trialOf: null }), isUsable))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(1),
  );
  return key?.apiKey;
}

export const isUsable = sql<boolean>`${sql.raw(USABLE)}`;

export function noSuchKey(apiKey: string) {
  return new AppError(
    "NOT_FOUND",
    `No active API key ${quote(apiKey)} in this workspace. Give its public half, pk_….`,
    { details: { retryable: false } },
  );
}

// What the dashboard shows about keys: never a hash.

const SPARKLINE_DAYS = 14;
const RECENT_CALLS = 2_000;

/** Successful calls of a day, and refused or failed ones. */
export type DayOfUse = { ok: number; errors: number };

/** Lists every key of a workspace: active ones first, then newest first. */
export function listShownKeys(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    selectKeys(db)
      .where(rowsOf(apiKeys, workspaceId))
      .orderBy(sql`${apiKeys.revokedAt} desc nulls first`, desc(apiKeys.createdAt), desc(apiKeys.id)),
  );
}

export type ShownKey = Awaited<ReturnType<typeof listShownKeys>>[number];

export async function findShownKey(workspaceId: WorkspaceId, keyId: string): Promise<ShownKey | undefined> {
  const [key] = await onDatabase((db) => selectKeys(db).where(rowsOf(apiKeys, workspaceId, { id: keyId })));
  return key;
}

/** Returns use by key for the last 14 days in the workspace's time zone, oldest first; unused keys have no entry. */
export async function listDaysOfUse(
  workspaceId: WorkspaceId,
  timeZone: string,
): Promise<ReadonlyMap<string, DayOfUse[]>> {
  const starts = lastDays(SPARKLINE_DAYS, new Date(), timeZone).map(({ since }) => since);
  const day = sql<number>`width_bucket(${requestHours.startsAt}, ${instantArray(starts)}::text::timestamptz[])`;
  const rows = await onDatabase((db) =>
    db
      .select({ keyId: requestHours.apiKeyId, day: day.as("day"), ...COUNTS })
      .from(requestHours)
      .where(and(rowsOf(requestHours, workspaceId), gte(requestHours.startsAt, starts[0] ?? new Date())))
      .groupBy(requestHours.apiKeyId, sql`day`),
  );
  const byKey = new Map<string, DayOfUse[]>();
  for (const { keyId, day, ok, errors } of rows) {
    const days = byKey.get(keyId) ?? Array.from({ length: SPARKLINE_DAYS }, () => ({ ok: 0, errors: 0 }));
    byKey.set(keyId, days);
    days[day - 1] = { ok, errors };
  }
  return byKey;
}

/** Returns how often a key was used in the last 24 hours, and by whom last. */
export function getRecentUse(workspaceId: WorkspaceId, keyId: string) {
  return onDatabase(async (db) => {
    const [[counted], [last]] = await Promise.all([
      db
        .select(COUNTS)
        .from(requestHours)
        .where(inHours(workspaceId, keyId, 1)),
      db
        .select({ at: apiRequests.at, ip: apiRequests.ip })
        .from(apiRequests)
        .where(inLast24Hours(workspaceId, keyId))
        .orderBy(desc(apiRequests.at))
        .limit(1),
    ]);
    return { calls: (counted?.ok ?? 0) + (counted?.errors ?? 0), last };
  });
}

export type RecentUse = Awaited<ReturnType<typeof getRecentUse>>;

/** Returns a key's refusals of the last 14 days by code, most frequent first. */
export function listRefusals(workspaceId: WorkspaceId, keyId: string) {
  return onDatabase((db) =>
    db
      .select({ errorCode: requestHours.errorCode, count: sum(requestHours.count) })
      .from(requestHours)
      .where(and(inHours(workspaceId, keyId, SPARKLINE_DAYS), gte(requestHours.status, 400)))
      .groupBy(requestHours.errorCode)
      .orderBy(desc(sum(requestHours.count))),
  );
}

/** Returns where a key was used from, among its latest 2,000 calls of the last 24 hours. */
export function listCallers(workspaceId: WorkspaceId, keyId: string) {
  return onDatabase((db) => {
    const recent = db
      .select({ ip: apiRequests.ip, userAgent: apiRequests.userAgent, at: apiRequests.at })
      .from(apiRequests)
      .where(inLast24Hours(workspaceId, keyId))
      .orderBy(desc(apiRequests.at))
      .limit(RECENT_CALLS)
      .as("recent");
    return db
      .select({
        ip: recent.ip,
        userAgent: recent.userAgent,
        count: sql<number>`count(*)::int`,
        lastAt: sql<Date>`max(${recent.at})`.mapWith(apiRequests.at),
      })
      .from(recent)
      .groupBy(recent.ip, recent.userAgent)
      .orderBy(desc(sql`max(${recent.at})`))
      .limit(20);
  });
}

const creator = alias(users, "creator");
const revoker = alias(users, "revoker");

const selectKeys = (db: Db) =>
  db
    .select({ ...KEY_COLUMNS, createdByName: creator.name, revokedByName: revoker.name })
    .from(apiKeys)
    .leftJoin(creator, eq(creator.id, apiKeys.createdBy))
    .leftJoin(revoker, eq(revoker.id, apiKeys.revokedBy));

const sum = (column: typeof requestHours.count) => sql<number>`coalesce(sum(${column}), 0)::int`;

const COUNTS = {
  ok: sql<number>`coalesce(sum(${requestHours.count}) filter (where ${requestHours.status} < 400), 0)::int`.as("ok"),
  errors: sql<number>`coalesce(sum(${requestHours.count}) filter (where ${requestHours.status} >= 400), 0)::int`.as(
    "errors",
  ),
};

const daysAgo = (days: number) => sql`now() - make_interval(days => ${days})`;

const inHours = (workspaceId: WorkspaceId, apiKeyId: string | undefined, days: number): SQL | undefined =>
  and(rowsOf(requestHours, workspaceId, { apiKeyId }), gte(requestHours.startsAt, daysAgo(days)));

const inLast24Hours = (workspaceId: WorkspaceId, apiKeyId: string): SQL | undefined =>
  and(rowsOf(apiRequests, workspaceId, { apiKeyId }), gte(apiRequests.at, daysAgo(1)));
