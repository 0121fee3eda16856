import type { Sql } from "postgres";
import { answeredBy, patienceMs } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { type Credentials, peppers, provenBy, UNKNOWN_KEY } from "@/lib/api-keys/authenticate";
import { hashSecret } from "@/lib/api-keys/key-pair";
import { type KeyRow, selectKeyRow } from "@/lib/api-keys/key-row";
import { batcher } from "@/lib/core/batcher";
import type { Deadline } from "@/lib/core/deadline";
import { processWide } from "@/lib/core/process-wide";
import { countedState, instantNow, limitOf, windowId, windowPrefix } from "@/lib/limits/limiter";
import type { RateLimitState } from "@/lib/limits/policies";
import { addedToWindow, bucketNow, windowResetInMs } from "@/lib/limits/postgres-window";

/** What one statement says of a call; `key` is there where the address has room and the pair proves a key. */
export type Entry = {
  address: RateLimitState;
  key?: { row: KeyRow; provenHash: Uint8Array; limit: RateLimitState };
};

/**
 * Counts a call for its address, proves its key and counts it for the key, in one statement for all calls of the address
 * that come together. Rejects with DatabaseUnavailable where there is no answer by the deadline.
 */
export function admitTogether(
  address: string,
  credentials: Credentials | undefined,
  { deadline }: { deadline: Deadline },
): Promise<Entry> {
  const admit = processWide("edge", () => batcher(admitAll));
  const caller = new AbortController();
  const entry = admit(credentials, { key: address, signal: caller.signal });
  // One that waits no longer is not counted either.
  return answeredBy(deadline.within(patienceMs()), entry).finally(() => caller.abort());
}

const admitAll = async (calls: (Credentials | undefined)[], address: string): Promise<Entry[]> => {
  const asked = instantNow();
  const tries = calls.flatMap((pair, index) => (pair ? [toTry(pair, index + 1)] : []));
  const rows = await onSql((sql) => countAndFind(sql, { address, count: calls.length, tries }), {
    pool: "limits",
  });
  const [first] = rows;
  if (!first) throw new Error("an upsert returns its row");
  const { addressUsed, addressResetInMs } = first;
  const found = new Map(rows.flatMap((row) => (row.apiKey === null ? [] : [[row.apiKey, row] as const])));

  const seen = calls.map((pair, index) => {
    const used = addressUsed - calls.length + index + 1;
    const row = pair && used <= limitOf("ip") ? found.get(pair.apiKey) : undefined;
    const proven = pair && provenBy(row, pair.apiSecret);
    return { used, proof: row && proven && { row, provenHash: proven } };
  });
  // Those who came together were counted together: the first of them is the first to have been counted.
  const place = placesOf(seen.flatMap(({ proof }) => (proof ? [proof.row] : [])));
  return seen.map(({ used, proof }) => ({
    address: countedState("ip", address, { used, resetInMs: addressResetInMs, asked }),
    ...(proof ? { key: { ...proof, limit: countedState("key", proof.row.id, { ...place(proof.row), asked }) } } : {}),
  }));
};

/** Gives each call with a key its own count, in the order of the calls. */
const placesOf = (proven: FoundKey[]) => {
  const left = new Map<FoundKey, number>();
  for (const row of proven) left.set(row, (left.get(row) ?? 0) + 1);
  return (row: FoundKey) => {
    if (row.keyUsed === null || row.keyResetInMs === null) throw new Error("who is proven here was counted there");
    const following = (left.get(row) ?? 1) - 1;
    left.set(row, following);
    return { used: row.keyUsed - following, resetInMs: row.keyResetInMs };
  };
};

/** Longer ones, and those with other characters, belong to no key: they must not make a burst's statement large. */
const PUBLIC_HALF = /^[\x21-\x7e]{1,100}$/;

const toTry = ({ apiKey, apiSecret }: Credentials, place: number) => {
  const [hash, formerHash] = peppers().map((pepper) => Buffer.from(hashSecret(apiSecret, pepper)).toString("hex"));
  return { place, apiKey: PUBLIC_HALF.test(apiKey) ? apiKey : UNKNOWN_KEY.apiKey, hash, formerHash };
};

type Try = ReturnType<typeof toTry>;
type FoundKey = KeyRow & { keyUsed: number | null; keyResetInMs: number | null };
type EntryRow = { addressUsed: number; addressResetInMs: number } & (FoundKey | { apiKey: null });

/**
 * One row for each key that was named by a call within the address's limit, or one without. A key's window is taken only
 * where a hash is the stored one: who is refused for the address or the secret takes nothing of it. Addresses are locked
 * before keys, and keys in order, so that two statements never wait for each other.
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
    select given."apiKey", decode(given.hash, 'hex') as hash, decode(given."formerHash", 'hex') as former_hash
    from address cross join json_to_recordset(${JSON.stringify(tries)}::text::json)
      as given (place int, "apiKey" text, hash text, "formerHash" text)
    where address.used - ${count}::int + given.place <= ${limitOf("ip")}::int
  ), named as (
    select key.* from (select distinct "apiKey" from tried) as name
    cross join lateral (${selectKeyRow(sql, sql`name."apiKey"`)} limit 1) as key
  ), key_window as (
    insert into rate_windows as w (id, bucket, used)
    select ${windowPrefix("key")} || named.id, ${bucketNow(sql)}, count(*)::int from tried join named using ("apiKey")
    where named."isUsable" and (
      named."secretHash" in (tried.hash, tried.former_hash) or named."previousSecretHash" in (tried.hash, tried.former_hash))
    group by named.id order by named.id
    ${addedToWindow(sql)}
    returning w.id, w.used, ${windowResetInMs(sql)} as reset_in_ms
  )
  select address.used as "addressUsed", address.reset_in_ms as "addressResetInMs", named.*,
    key_window.used as "keyUsed", key_window.reset_in_ms as "keyResetInMs"
  from address left join named on true left join key_window on key_window.id = ${windowPrefix("key")} || named.id`;
