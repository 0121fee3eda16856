import { isIP } from "node:net";
import type { Sql } from "postgres";
import { responseTimeoutMs, withinDeadline } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import {
  type Credentials,
  hashesOf,
  type KeyRow,
  matchSecret,
  selectKeyRow,
  UNKNOWN_KEY,
} from "@/lib/api-keys/authenticate";
import { isWithin } from "@/lib/api-keys/ip-ranges";
import { batcher } from "@/lib/core/batcher";
import { setNewest } from "@/lib/core/budget";
import type { Deadline } from "@/lib/core/deadline";
import {
  addedToWindow,
  bucketNow,
  countedState,
  instantNow,
  limitOf,
  type RateLimitState,
  windowId,
  windowPrefix,
  windowResetInMs,
} from "@/lib/limits/limiter";
import {
  isPlausible,
  type MessageName,
  type NamedMessage,
  readNamed,
  type StoredNamed,
  selectNamed,
} from "@/lib/messages/queries";

export type Caller = {
  /** As limits count it. */
  address: string;
  /** The address itself, for the ranges of keys. */
  ip: string;
  /** Undefined if the call is refused anyway, so that it counts for the address only. */
  credentials: Credentials | undefined;
  /** The message that the call is about, which is read with its key. */
  name: MessageName | undefined;
  /** When the result is due, by `performance.now()`. */
  deadline: Deadline;
};

/** A call's result; `key` is set if the address is within its limit and the credentials are valid. */
type Entry = {
  address: RateLimitState;
  key?: { row: KeyRow; matchingHash: Uint8Array; limit?: RateLimitState; named?: NamedMessage | null | undefined };
};

/** The workspaces of verified keys, which never change: a statement that names one reads one partition. */
const workspaces = new Map<string, string>();
const MAX_WORKSPACES = 10_000;

/**
 * Counts a call for its address, authenticates it and counts it for the key, in one statement for concurrent calls of
 * an address. Rejects with DatabaseUnavailable if there is no result by the deadline.
 */
export function admitTogether({ address, deadline, ...call }: Caller): Promise<Entry> {
  const signal = { aborted: false, reason: undefined as unknown };
  const entry = admit(call, { key: address, signal });
  return withinDeadline(deadline.within(responseTimeoutMs()), entry).catch((error: unknown) => {
    // A caller that has given up is not counted.
    Object.assign(signal, { aborted: true, reason: error });
    throw error;
  });
}

type Call = Pick<Caller, "ip" | "credentials" | "name">;

const admitAll = async (calls: Call[], address: string): Promise<Entry[]> => {
  const asked = instantNow();
  const hashes = calls.map(({ credentials: pair }) => (pair ? hashesOf(pair.apiSecret) : []));
  const owners = calls.map(({ credentials, name }) => name && credentials && workspaces.get(credentials.apiKey));
  // An address has the keys of one workspace nearly always.
  const workspaceId = owners.find((owner) => owner !== undefined);
  const tries = calls.flatMap(({ name, ...call }, index) =>
    toTry(call, {
      hashes: hashes[index] ?? [],
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

  const seen = calls.map(({ ip, credentials: pair }, index) => {
    const used = addressUsed - calls.length + index + 1;
    const row = pair && used <= limitOf("ip") ? found.get(pair.apiKey) : undefined;
    const proven = pair && matchSecret(row, hashes[index] ?? []);
    const proof = row && proven && { row, matchingHash: proven };
    if (proof) setNewest(workspaces, pair.apiKey, row.workspaceId, MAX_WORKSPACES);
    const stored = row?.named?.[index + 1];
    const named = stored && readNamed(stored);
    return { used, proof, named, isCounted: proof && row.keyUsed !== null && isWithin(ip, row.limits?.ipRanges) };
  });
  // Calls of a batch were counted together: give each its own count, in order.
  const place = placesOf(seen.flatMap(({ proof, isCounted }) => (proof && isCounted ? [proof.row] : [])));
  const keyOf = ({ proof, named, isCounted }: (typeof seen)[number]): Pick<Entry, "key"> => {
    if (!proof) return {};
    if (!isCounted) return { key: proof };
    return { key: { ...proof, named, limit: countedState("key", proof.row.id, { ...place(proof.row), asked }) } };
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

type Trying = { hashes: Uint8Array[]; place: number; name: MessageName | undefined };

const toTry = ({ ip, credentials }: Omit<Call, "name">, { hashes, place, name }: Trying) => {
  if (!credentials) return [];
  const [hash, formerHash] = hashes.map((bytes) => Buffer.from(bytes).toString("hex"));
  const apiKey = PLAUSIBLE_KEY.test(credentials.apiKey) ? credentials.apiKey : UNKNOWN_KEY.apiKey;
  const named: { messageId?: string; idempotencyKey?: string } = name ?? {};
  return [{ place, apiKey, hash, formerHash, ip: isIP(ip) === 0 ? undefined : ip, ...named }];
};

type Try = ReturnType<typeof toTry>[number];
type FoundKey = KeyRow & {
  keyUsed: number | null;
  keyResetInMs: number | null;
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
  ), tried as (
    select given.*, decode(given.hash, 'hex') as hash_bytes, decode(given."formerHash", 'hex') as former_hash_bytes
    from address cross join json_to_recordset(${JSON.stringify(tries)}::text::json)
      as given (place int, "apiKey" text, hash text, "formerHash" text, ip text, "messageId" text, "idempotencyKey" text)
    where address.used - ${count}::int + given.place <= ${limitOf("ip")}::int
  ), named as (
    select key.* from (select distinct "apiKey" from tried) as name
    cross join lateral (${selectKeyRow(sql, sql`name."apiKey"`)} limit 1) as key
  ), proven as (
    select named.id, named."workspaceId", named.mode, tried.place, tried."messageId", tried."idempotencyKey"
    from tried join named using ("apiKey")
    where named."isUsable" and (
      named."secretHash" in (tried.hash_bytes, tried.former_hash_bytes)
      or named."previousSecretHash" in (tried.hash_bytes, tried.former_hash_bytes))
      and case when named.limits -> 'ipRanges' is null then true else tried.ip::inet <<= any (
        select range::cidr from jsonb_array_elements_text(named.limits -> 'ipRanges') as range) end
  ), key_window as (
    insert into rate_windows as w (id, bucket, used)
    select ${windowPrefix("key")} || id, ${bucketNow(sql)}, count(*)::int from proven group by id order by id
    ${addedToWindow(sql)}
    returning w.id, w.used, ${windowResetInMs(sql)} as reset_in_ms
  )
  select address.used as "addressUsed", address.reset_in_ms as "addressResetInMs", named.*,
    key_window.used as "keyUsed", key_window.reset_in_ms as "keyResetInMs" ${workspaceId === undefined ? sql`` : namedMessages(sql, workspaceId, tries)}
  from address left join named on true left join key_window on key_window.id = ${windowPrefix("key")} || named.id`;

/** The messages that the calls of a key name. Postgres sets up each part for every execution: only those that are asked for. */
const namedMessages = (sql: Sql, workspaceId: string, tries: Try[]) => {
  const parts = (["messageId", "idempotencyKey"] as const)
    .filter((by) => tries.some((one) => one[by] !== undefined))
    .map((by) => sql`(${selectNamed(sql, workspaceId, { mode: sql`p.mode`, by, value: sql`p.${sql(by)}` })})`);
  if (parts.length === 0) return sql``;
  return sql`, (
      select json_object_agg(p.place, coalesce(${parts.reduce((all, part) => sql`${all}, ${part}`)})) from proven p
      where p.id = named.id and p."workspaceId" = ${workspaceId} and num_nonnulls(p."messageId", p."idempotencyKey") = 1
    ) as named`;
};
