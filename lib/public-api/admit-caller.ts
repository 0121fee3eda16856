import { timingSafeEqual } from "node:crypto";
import {
  authenticate,
  type Credentials,
  type KeyHolder,
  type KeyName,
  nameOf,
  toPrincipal,
} from "@/lib/api-keys/authenticate";
import { isWithin } from "@/lib/api-keys/ip-ranges";
import { hashSecret } from "@/lib/api-keys/key-pair";
import { setNewest } from "@/lib/core/budget";
import { env } from "@/lib/core/env";
import {
  findExhaustedLimit,
  limitOf,
  queueCount,
  type RateLimitState,
  type TakeFromUpstash,
  upstashStore,
  windowId,
} from "@/lib/limits/limiter";
import type { NamedMessage } from "@/lib/messages/queries";
import { admitTogether, type Caller } from "./admit-together";

/** The result of both rate limits and the authentication. */
export type Admission = {
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

/** Does it in one statement, because limits and keys are in the same database. */
const admitByPostgres = async (caller: Caller): Promise<Admission> => {
  const { credentials, deadline } = caller;
  const askedAtMs = performance.now();
  const entry = await admitTogether(caller);
  if (!entry.key || !credentials) return { address: entry.address };
  const { row, matchingHash, limit, named } = entry.key;
  if (!limit) return { address: entry.address, key: { name: nameOf(row) } };
  const holder = await toPrincipal(row, { apiSecret: credentials.apiSecret, matchingHash, deadline });
  if (!limit.isAllowed) rememberPair(credentials, holder, askedAtMs);
  return { address: entry.address, key: { name: holder, limit, holder, named } };
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
