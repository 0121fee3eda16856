import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { Sql } from "postgres";
import { responseTimeoutMs, withinDeadline } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import {
  authenticate,
  type Credentials,
  hashesOf,
  type KeyHolder,
  type KeyName,
  type KeyRow,
  matchSecret,
  nameOf,
  selectKeyRow,
  toPrincipal,
  UNKNOWN_KEY,
} from "@/lib/api-keys/authenticate";
import { isWithin } from "@/lib/api-keys/ip-ranges";
import { hashSecret } from "@/lib/api-keys/key-pair";
import { batcher } from "@/lib/core/batcher";
import { setNewest } from "@/lib/core/budget";
import type { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import {
  addedToWindow,
  bucketNow,
  countedState,
  findExhaustedLimit,
  instantNow,
  limitOf,
  queueCount,
  type RateLimitState,
  type TakeFromUpstash,
  upstashStore,
  windowId,
  windowPrefix,
  windowResetInMs,
} from "@/lib/limits/limiter";

/** The result of both rate limits and the authentication. */
export type Admission = {
  address: RateLimitState;
  /**
   * Absent if the address is over its limit, no key was given, or the credentials are invalid. Without a `limit` the call
   * comes from outside the key's IP ranges, and does not count for the key.
   */
  key?: { name: KeyName; limit?: RateLimitState; holder?: KeyHolder };
};

type Caller = {
  /** As limits count it. */
  address: string;
  /** The address itself, for the ranges of keys. */
  ip: string;
  /** Undefined if the call is refused anyway, so that it counts for the address only. */
  credentials: Credentials | undefined;
  /** When the result is due, by `performance.now()`. */
  deadline: Deadline;
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

/** Does it in one statement, because limits and keys are in the same database. */
const admitByPostgres = async (caller: Caller): Promise<Admission> => {
  const { credentials, deadline } = caller;
  const askedAtMs = performance.now();
  const entry = await admitTogether(caller);
  if (!entry.key || !credentials) return { address: entry.address };
  const { row, matchingHash, limit } = entry.key;
  if (!limit) return { address: entry.address, key: { name: nameOf(row) } };
  const holder = await toPrincipal(row, { apiSecret: credentials.apiSecret, matchingHash, deadline });
  if (!limit.isAllowed) rememberPair(credentials, holder, askedAtMs);
  return { address: entry.address, key: { name: holder, limit, holder } };
};

const admitByUpstash = async (
  take: TakeFromUpstash,
  { address, ip, credentials, deadline }: Caller,
): Promise<Admission> => {
  const ofAddress = await take("ip", address);
  if (!ofAddress.isAllowed || !credentials) return { address: ofAddress };
  const holder = await authenticate(credentials, { deadline });
  if (!holder) return { address: ofAddress };
  if (!isWithin(ip, holder.limits.ipRanges)) return { address: ofAddress, key: { name: holder } };
  return { address: ofAddress, key: { name: holder, limit: await take("key", holder.apiKeyId), holder } };
};

/**
 * Refuses exhausted keys from memory if the database verified them less than 10 s ago. Verified that often, so that a
 * revoked key soon gets a 401 and the key's last use stays accurate. Its address is counted within a second.
 */
const findKnownRefusal = ({ address, credentials }: Caller): Admission | undefined => {
  const ip = findExhaustedLimit("ip", address);
  if (ip) return { address: ip };
  if (!credentials) return undefined;
  const { apiKey, apiSecret } = credentials;
  const nowMs = performance.now();
  const name = provenPairs.find(apiKey, () => hashSecret(apiSecret, env().KEY_PEPPER), nowMs);
  const limit = name && findExhaustedLimit("key", name.apiKeyId);
  if (!limit) return undefined;
  const endsAtMs = nowMs + limit.resetAtMs - Date.now();
  if (!queueCount(windowId("ip", address), endsAtMs)) return undefined;
  // The address's remaining calls are unknown, but the key's limit is tighter anyway.
  const passing = { scope: "ip", isAllowed: true, limit: limitOf("ip"), remaining: 0 } as const;
  return { address: { ...passing, resetAtMs: limit.resetAtMs }, key: { name, limit } };
};

const rememberPair = ({ apiKey, apiSecret }: Credentials, holder: KeyHolder, nowMs: number) => {
  const { workspaceId, apiKeyId, mode } = holder;
  const hash = hashSecret(apiSecret, env().KEY_PEPPER);
  provenPairs.remember(apiKey, hash, { holder: { workspaceId, apiKeyId, mode }, nowMs });
};

/** A call's result; `key` is set if the address is within its limit and the credentials are valid. */
type Entry = {
  address: RateLimitState;
  key?: { row: KeyRow; matchingHash: Uint8Array; limit?: RateLimitState };
};

/**
 * Counts a call for its address, authenticates it and counts it for the key, in one statement for concurrent calls of
 * an address. Rejects with DatabaseUnavailable if there is no result by the deadline.
 */
const admitTogether = ({ address, deadline, ...call }: Caller): Promise<Entry> => {
  const signal = { aborted: false, reason: undefined as unknown };
  const entry = admit(call, { key: address, signal });
  return withinDeadline(deadline.within(responseTimeoutMs()), entry).catch((error: unknown) => {
    // A caller that has given up is not counted.
    Object.assign(signal, { aborted: true, reason: error });
    throw error;
  });
};

type Call = Pick<Caller, "ip" | "credentials">;

const admitAll = async (calls: Call[], address: string): Promise<Entry[]> => {
  const asked = instantNow();
  const hashes = calls.map(({ credentials: pair }) => (pair ? hashesOf(pair.apiSecret) : []));
  const tries = calls.flatMap((call, index) => toTry(call, hashes[index] ?? [], index + 1));
  const rows = await onSql((sql) => countAndFind(sql, { address, count: calls.length, tries }), { pool: "limits" });
  const [first] = rows;
  if (!first) throw new Error("an upsert returns its row");
  const { addressUsed, addressResetInMs } = first;
  const found = new Map(rows.flatMap((row) => (row.apiKey === null ? [] : [[row.apiKey, row] as const])));

  const seen = calls.map(({ ip, credentials: pair }, index) => {
    const used = addressUsed - calls.length + index + 1;
    const row = pair && used <= limitOf("ip") ? found.get(pair.apiKey) : undefined;
    const proven = pair && matchSecret(row, hashes[index] ?? []);
    const proof = row && proven && { row, matchingHash: proven };
    return { used, proof, isCounted: proof && row.keyUsed !== null && isWithin(ip, row.limits?.ipRanges) };
  });
  // Calls of a batch were counted together: give each its own count, in order.
  const place = placesOf(seen.flatMap(({ proof, isCounted }) => (proof && isCounted ? [proof.row] : [])));
  const keyOf = ({ proof, isCounted }: (typeof seen)[number]): Pick<Entry, "key"> => {
    if (!proof) return {};
    if (!isCounted) return { key: proof };
    return { key: { ...proof, limit: countedState("key", proof.row.id, { ...place(proof.row), asked }) } };
  };
  return seen.map((one) => ({
    address: countedState("ip", address, { used: one.used, resetInMs: addressResetInMs, asked }),
    ...keyOf(one),
  }));
};

const admit = batcher(admitAll);

/** Gives each call with a key its own count, in the order of the calls. */
const placesOf = (proven: FoundKey[]) => {
  const left = new Map<FoundKey, number>();
  for (const row of proven) left.set(row, (left.get(row) ?? 0) + 1);
  return (row: FoundKey) => {
    if (row.keyUsed === null || row.keyResetInMs === null) throw new Error("a verified key has no count");
    const following = (left.get(row) ?? 1) - 1;
    left.set(row, following);
    return { used: row.keyUsed - following, resetInMs: row.keyResetInMs };
  };
};

/** Other values cannot be a key; they are not sent, to keep the statement small. */
const PLAUSIBLE_KEY = /^[\x21-\x7e]{1,100}$/;

const toTry = ({ ip, credentials }: Call, hashes: Uint8Array[], place: number) => {
  if (!credentials) return [];
  const [hash, formerHash] = hashes.map((bytes) => Buffer.from(bytes).toString("hex"));
  const apiKey = PLAUSIBLE_KEY.test(credentials.apiKey) ? credentials.apiKey : UNKNOWN_KEY.apiKey;
  return [{ place, apiKey, hash, formerHash, ip: isIP(ip) === 0 ? undefined : ip }];
};

type Try = ReturnType<typeof toTry>[number];
type FoundKey = KeyRow & { keyUsed: number | null; keyResetInMs: number | null };
type EntryRow = { addressUsed: number; addressResetInMs: number } & (FoundKey | { apiKey: null });

/**
 * Returns one row per key named by a call within the address's limit, or one without a key. Counts for a key only if a hash
 * matches and the call is from its IP ranges: calls refused for these or the address do not count against it. Locks
 * addresses before keys, and keys in order, to prevent deadlocks.
 */
const countAndFind = (sql: Sql, { address, count, tries }: { address: string; count: number; tries: Try[] }) => sql<
  EntryRow[]
>`
  with address as (
    insert into rate_windows as w (id, bucket, used)
    values (${windowId("ip", address)}, ${bucketNow(sql)}, ${count}::int)
    ${addedToWindow(sql)}
    returning w.used, ${windowResetInMs(sql)} as reset_in_ms
  ), tried as (
    select given."apiKey", given.ip, decode(given.hash, 'hex') as hash, decode(given."formerHash", 'hex') as former_hash
    from address cross join json_to_recordset(${JSON.stringify(tries)}::text::json)
      as given (place int, "apiKey" text, hash text, "formerHash" text, ip text)
    where address.used - ${count}::int + given.place <= ${limitOf("ip")}::int
  ), named as (
    select key.* from (select distinct "apiKey" from tried) as name
    cross join lateral (${selectKeyRow(sql, sql`name."apiKey"`)} limit 1) as key
  ), key_window as (
    insert into rate_windows as w (id, bucket, used)
    select ${windowPrefix("key")} || named.id, ${bucketNow(sql)}, count(*)::int from tried join named using ("apiKey")
    where named."isUsable" and (
      named."secretHash" in (tried.hash, tried.former_hash) or named."previousSecretHash" in (tried.hash, tried.former_hash))
      and case when named.limits -> 'ipRanges' is null then true else tried.ip::inet <<= any (
        select range::cidr from jsonb_array_elements_text(named.limits -> 'ipRanges') as range) end
    group by named.id order by named.id
    ${addedToWindow(sql)}
    returning w.id, w.used, ${windowResetInMs(sql)} as reset_in_ms
  )
  select address.used as "addressUsed", address.reset_in_ms as "addressResetInMs", named.*,
    key_window.used as "keyUsed", key_window.reset_in_ms as "keyResetInMs"
  from address left join named on true left join key_window on key_window.id = ${windowPrefix("key")} || named.id`;

/** For this long, a revoked key may get a 429 instead of a 401. */
const TRUSTED_MS = 10_000;

/**
 * A cache of recently authenticated key pairs and their holders. Secrets are compared as
 * hashes, in constant time. Bounded: the pair verified longest ago is evicted.
 */
export class VerifiedKeyCache<Holder> {
  private readonly pairs = new Map<string, { hash: Uint8Array; holder: Holder; provenAtMs: number }>();

  constructor(private readonly maxPairs = 10_000) {}

  /** `nowMs` is from the monotonic clock, taken before the query. */
  remember(apiKey: string, hash: Uint8Array, { holder, nowMs }: { holder: Holder; nowMs: number }): void {
    setNewest(this.pairs, apiKey, { hash, holder, provenAtMs: nowMs }, this.maxPairs);
  }

  find(apiKey: string, hashSecret: () => Uint8Array, nowMs: number): Holder | undefined {
    const pair = this.pairs.get(apiKey);
    if (!pair) return undefined;
    if (nowMs - pair.provenAtMs >= TRUSTED_MS) {
      this.pairs.delete(apiKey);
      return undefined;
    }
    return timingSafeEqual(pair.hash, hashSecret()) ? pair.holder : undefined;
  }
}

const provenPairs = new VerifiedKeyCache<KeyName>();
