import type { Sql } from "postgres";
import { responseTimeoutMs, withinDeadline } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import {
  authenticate,
  type Credentials,
  IS_PROVEN,
  KEY_FIELDS,
  type KeyHolder,
  type KeyName,
  type KeyRow,
  nameOf,
  PROOF,
  type Proof,
  type ProvenKey,
  selectKey,
  toPrincipal,
  toProve,
  UNKNOWN_KEY,
} from "@/lib/api-keys/authenticate";
import { hashSecret, VerifiedKeyCache } from "@/lib/api-keys/key-pair";
import { batcher } from "@/lib/core/batcher";
import type { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { setNewest } from "@/lib/core/process-wide";
import {
  addedToWindow,
  bucketNow,
  countedState,
  findExhaustedLimit,
  instantNow,
  queueCount,
  type TakeFromUpstash,
  upstashStore,
  windowId,
  windowPrefix,
  windowResetInMs,
} from "@/lib/limits/limiter";
import { limitOf, type RateLimitState } from "@/lib/limits/rate-limit";
import {
  isPlausible,
  type MessageName,
  type NamedMessage,
  readNamed,
  type StoredNamed,
  selectNamed,
} from "@/lib/messages/queries";

type Caller = {
  /** As limits count it. */
  address: string;
  /** The address itself, for the ranges of keys. */
  ip: string;
  /** Undefined if the call is refused anyway, so that it counts for the address only. */
  credentials: Credentials | undefined;
  /** The message that the call is about, which is read with its key. */
  name: MessageName | undefined;
  /** The request's own. */
  deadline: Deadline;
};

/** The result of both rate limits and the authentication. */
type Admission = {
  address: RateLimitState;
  /**
   * Absent if the address is over its limit, no key was given, or the credentials are invalid. Without a `limit` the call
   * comes from outside the key's IP ranges, and does not count for the key. `named` is the message that the call names, null
   * if there is none, undefined if it was not looked up.
   */
  key?: { name: KeyName; limit?: RateLimitState; holder?: KeyHolder; named?: NamedMessage | null | undefined };
};

/**
 * Counts a call for its IP address, authenticates it, and counts it for the key; each only if the one before passes.
 * Known exhausted limits need no statement. Rejects with DatabaseUnavailable by the deadline.
 */
export async function admitCaller(caller: Caller): Promise<Admission> {
  const known = findKnownRefusal(caller);
  if (known) return known;
  const take = upstashStore();
  return take ? admitByUpstash(take, caller) : admitByPostgres(caller);
}

/** In one statement for concurrent calls of an address, because limits and keys are in the same database. */
async function admitByPostgres({ address, deadline, ...call }: Caller): Promise<Admission> {
  const { credentials } = call;
  const askedAtMs = performance.now();
  const signal = { aborted: false, reason: undefined as unknown };
  const admitted = withinDeadline(deadline.within(responseTimeoutMs()), admit(call, { key: address, signal }));
  const { key, ...entry } = await admitted.catch((error: unknown) => {
    // A caller that has given up is not counted.
    Object.assign(signal, { aborted: true, reason: error });
    throw error;
  });
  if (!key || !credentials) return entry;
  const { row, limit, named } = key;
  if (!limit) return { ...entry, key: { name: nameOf(row) } };
  const holder = await toPrincipal(row, { apiSecret: credentials.apiSecret, deadline });
  if (!limit.isAllowed) rememberPair(call, holder, askedAtMs);
  return { ...entry, key: { name: holder, limit, holder, named } };
}

async function admitByUpstash(
  take: TakeFromUpstash,
  { address, ip, credentials, deadline }: Caller,
): Promise<Admission> {
  const ofAddress = await take("ip", address);
  if (!ofAddress.isAllowed || !credentials) return { address: ofAddress };
  const holder = await authenticate(credentials, { ip, deadline });
  if (!holder) return { address: ofAddress };
  if (!holder.isWithin) return { address: ofAddress, key: { name: holder } };
  return { address: ofAddress, key: { name: holder, limit: await take("key", holder.apiKeyId), holder } };
}

/**
 * Refuses exhausted keys from memory if the database verified them less than 10 s ago. Verified that often, so that a
 * revoked key soon gets a 401 and the key's last use stays accurate. Its address is counted within a second.
 */
function findKnownRefusal({ address, ip, credentials }: Caller): Admission | undefined {
  const ofAddress = findExhaustedLimit("ip", address);
  if (ofAddress) return { address: ofAddress };
  if (!credentials) return undefined;
  const { apiKey, apiSecret } = credentials;
  const nowMs = performance.now();
  const hash = () => hashSecret(apiSecret, env().KEY_PEPPER);
  const name = provenPairs.find(apiKey, hash, nowMs) ?? provenPairs.find(pairFrom(apiKey, ip), hash, nowMs);
  const limit = name && findExhaustedLimit("key", name.apiKeyId);
  if (!limit) return undefined;
  const endsAtMs = nowMs + limit.resetAtMs - Date.now();
  if (!queueCount(windowId("ip", address), endsAtMs)) return undefined;
  // The address's remaining calls are unknown, but the key's limit is tighter anyway.
  const passing = { scope: "ip", isAllowed: true, limit: limitOf("ip"), remaining: 0 } as const;
  return { address: { ...passing, resetAtMs: limit.resetAtMs }, key: { name, limit } };
}

function rememberPair({ ip, credentials }: Call, { workspaceId, apiKeyId, mode, limits }: KeyHolder, nowMs: number) {
  if (!credentials) return;
  const { apiKey, apiSecret } = credentials;
  const hash = hashSecret(apiSecret, env().KEY_PEPPER);
  const holder = { workspaceId, apiKeyId, mode };
  provenPairs.remember(limits.ipRanges ? pairFrom(apiKey, ip) : apiKey, hash, { holder, nowMs });
}

/** A key with IP ranges is known by the addresses that it was used from. */
function pairFrom(apiKey: string, ip: string): string {
  return `${apiKey} ${ip}`;
}

const provenPairs = new VerifiedKeyCache<KeyName>();

/** A call's result; `key` is set if the address is within its limit and the credentials are valid. */
type Entry = {
  address: RateLimitState;
  key?: { row: ProvenKey; limit?: RateLimitState; named?: NamedMessage | null | undefined };
};

/** The workspaces of verified keys, which never change: a statement that names one reads one partition. */
const workspaces = new Map<string, string>();
const MAX_WORKSPACES = 10_000;

type Call = Pick<Caller, "ip" | "credentials" | "name">;

async function admitAll(calls: Call[], address: string): Promise<Entry[]> {
  const asked = instantNow();
  const owners = calls.map(({ credentials, name }) => name && credentials && workspaces.get(credentials.apiKey));
  // An address has the keys of one workspace nearly always.
  const workspaceId = owners.find((owner) => owner !== undefined);
  const tries = calls.flatMap(({ name, ...call }, index) =>
    toTry(call, {
      place: index + 1,
      name: name && owners[index] === workspaceId && isPlausible(name) ? name : undefined,
    }),
  );
  const order = { address, count: calls.length, tries, workspaceId };
  const rows = await onSql((sql) => countAndFind(sql, order), { pool: "limits" });
  const [first] = rows;
  if (!first) throw new Error("an upsert returns its row");
  const { addressUsed, addressResetInMs } = first;
  const found = new Map(rows.flatMap((row) => (row.apiKey === null ? [] : [[row.apiKey, row] as const])));

  const seen = calls.map(({ credentials: pair }, index) => {
    const row = pair && found.get(pair.apiKey);
    const proof = row?.proofs?.[index + 1];
    if (pair && proof) setNewest(workspaces, pair.apiKey, row.workspaceId, MAX_WORKSPACES);
    const stored = row?.named?.[index + 1];
    return { row, proof, named: stored && readNamed(stored) };
  });
  // Calls of a batch were counted together: give each its own count, in order.
  const countOf = countsInOrder(seen.flatMap(({ row, proof }) => (row && proof?.isWithin ? [row] : [])));
  const keyOf = ({ row, proof, named }: (typeof seen)[number]): Pick<Entry, "key"> => {
    if (!row || !proof) return {};
    const proven = { ...row, ...proof };
    if (!proof.isWithin) return { key: { row: proven } };
    return { key: { row: proven, named, limit: countedState("key", row.id, { ...countOf(row), asked }) } };
  };
  return seen.map((one, index) => {
    const used = addressUsed - calls.length + index + 1;
    return { address: countedState("ip", address, { used, resetInMs: addressResetInMs, asked }), ...keyOf(one) };
  });
}

const admit = batcher(admitAll);

/** Gives each call with a key its own count, in the order of the calls. */
function countsInOrder(proven: FoundKey[]) {
  const left = new Map<FoundKey, number>();
  for (const row of proven) left.set(row, (left.get(row) ?? 0) + 1);
  return (row: FoundKey) => {
    if (row.keyUsed === null || row.keyResetInMs === null) throw new Error("a verified key has no count");
    const following = (left.get(row) ?? 1) - 1;
    left.set(row, following);
    return { used: row.keyUsed - following, resetInMs: row.keyResetInMs };
  };
}

/** Other values cannot be a key; they are not sent, to keep the statement small. */
const PLAUSIBLE_KEY = /^[\x21-\x7e]{1,100}$/;

function toTry(
  { ip, credentials }: Omit<Call, "name">,
  { place, name }: { place: number; name: MessageName | undefined },
) {
  if (!credentials) return [];
  const apiKey = PLAUSIBLE_KEY.test(credentials.apiKey) ? credentials.apiKey : UNKNOWN_KEY.apiKey;
  const named: { messageId?: string; idempotencyKey?: string } = name ?? {};
  return [{ place, apiKey, ...toProve(credentials.apiSecret, ip), ...named }];
}

type Try = ReturnType<typeof toTry>[number];
type FoundKey = KeyRow & {
  keyUsed: number | null;
  keyResetInMs: number | null;
  /** By place of the call; without those whose secret is none of the key's. */
  proofs: Record<number, Proof> | null;
  /** By place of the call: null if there is none, absent if it was not looked up. */
  named?: Record<number, StoredNamed | null> | null;
};
type EntryRow = { addressUsed: number; addressResetInMs: number } & (FoundKey | { apiKey: null });

/** `workspaceId` owns the messages that the tries name. */
type Order = { address: string; count: number; tries: Try[]; workspaceId: string | undefined };

/**
 * Returns one row per key named by a call within the address's limit, or one without a key. Counts for a key, and reads
 * messages, only if a hash matches and the call is from its IP ranges: calls refused for these or the address do not count
 * against it. Locks addresses before keys, and keys in order, to prevent deadlocks.
 */
const countAndFind = (sql: Sql, { address, count, tries, workspaceId }: Order) => sql<EntryRow[]>`
  with address as (
    insert into rate_windows as w (id, bucket, used)
    values (${windowId("ip", address)}, ${bucketNow(sql)}, ${count}::int)
    ${addedToWindow(sql)}
    returning w.used, ${windowResetInMs(sql)} as reset_in_ms
  ), call as (
    select given.place, given."apiKey", given.ip, given."messageId", given."idempotencyKey",
      decode(given.hash, 'hex') as hash, decode(given."formerHash", 'hex') as former_hash
    from address cross join json_to_recordset(${JSON.stringify(tries)}::text::json)
      as given (place int, "apiKey" text, hash text, "formerHash" text, ip text, "messageId" text, "idempotencyKey" text)
    where address.used - ${count}::int + given.place <= ${limitOf("ip")}::int
  ), key as (
    select key.* from (select distinct "apiKey" from call) as name
    cross join lateral (${selectKey(sql, sql`name."apiKey"`)} limit 1) as key
  ), proven as (
    select key.id, key."workspaceId", key.mode, call.place, call."messageId", call."idempotencyKey", ${sql.unsafe(PROOF)}
    from call join key using ("apiKey") where ${sql.unsafe(IS_PROVEN)}
  ), key_window as (
    insert into rate_windows as w (id, bucket, used)
    select ${windowPrefix("key")} || id, ${bucketNow(sql)}, count(*)::int from proven where "isWithin" group by id order by id
    ${addedToWindow(sql)}
    returning w.id, w.used, ${windowResetInMs(sql)} as reset_in_ms
  )
  select address.used as "addressUsed", address.reset_in_ms as "addressResetInMs", ${sql.unsafe(KEY_FIELDS)},
    key_window.used as "keyUsed", key_window.reset_in_ms as "keyResetInMs", (
      select json_object_agg(p.place, json_build_object('isUnderFormerPepper', p."isUnderFormerPepper", 'isWithin', p."isWithin"))
      from proven p where p.id = key.id
    ) as proofs ${workspaceId === undefined ? sql`` : namedMessages(sql, workspaceId, tries)}
  from address left join key on true left join key_window on key_window.id = ${windowPrefix("key")} || key.id`;

/** The messages that the calls of a key name. Postgres sets up each part for every execution: only those that are asked for. */
function namedMessages(sql: Sql, workspaceId: string, tries: Try[]) {
  const parts = (["messageId", "idempotencyKey"] as const)
    .filter((by) => tries.some((one) => one[by] !== undefined))
    .map((by) => sql`(${selectNamed(sql, workspaceId, { mode: sql`p.mode`, by, value: sql`p.${sql(by)}` })})`);
  if (parts.length === 0) return sql``;
  return sql`, (
      select json_object_agg(p.place, coalesce(${parts.reduce((all, part) => sql`${all}, ${part}`)})) from proven p
      where p.id = key.id and p."isWithin" and p."workspaceId" = ${workspaceId} and num_nonnulls(p."messageId", p."idempotencyKey") = 1
    ) as named`;
}
