import { authenticate, type Credentials, type KeyHolder, toHolder } from "@/lib/api-keys/authenticate";
import { hashSecret } from "@/lib/api-keys/key-pair";
import { ProvenPairs } from "@/lib/api-keys/proven-pairs";
import type { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { processWide } from "@/lib/core/process-wide";
import { countLater } from "@/lib/limits/count-later";
import { findUsedUp, limitOf, type TakeFromUpstash, upstashStore, windowId } from "@/lib/limits/limiter";
import type { RateLimitState } from "@/lib/limits/policies";
import { admitTogether } from "./admit-together";

/** Whose key it is, as far as a refusal needs it. */
export type KeyName = Pick<KeyHolder, "workspaceId" | "apiKeyId" | "mode">;

/** What both limits and the key say of a call. */
export type Admission = {
  address: RateLimitState;
  /** Absent where the address is over its limit, no key was asked about, or the pair proves none. */
  key?: { name: KeyName; limit: RateLimitState; holder?: KeyHolder };
};

type Caller = {
  address: string;
  /** Undefined where the call is refused in any case, so that its address is counted and no key. */
  credentials: Credentials | undefined;
  /** When the answer must be there, on the clock of `performance.now()`. */
  deadline: Deadline;
};

/**
 * Counts a call for its address, proves its key, and counts it for the key; each only where the one before holds. What
 * is known to be used up is answered without a statement. Rejects with DatabaseUnavailable at the deadline at the latest.
 */
export async function admitCaller(caller: Caller): Promise<Admission> {
  const known = findKnownRefusal(caller);
  if (known) return known;
  const take = upstashStore();
  return take ? admitByUpstash(take, caller) : admitByPostgres(caller);
}

/** In one statement: the limits are in the database that the key is in. */
const admitByPostgres = async ({ address, credentials, deadline }: Caller): Promise<Admission> => {
  const askedAtMs = performance.now();
  const entry = await admitTogether(address, credentials, { deadline });
  if (!entry.key || !credentials) return { address: entry.address };
  const { row, provenHash, limit } = entry.key;
  const holder = await toHolder(row, { apiSecret: credentials.apiSecret, provenHash, deadline });
  if (!limit.isAllowed) rememberPair(credentials, holder, askedAtMs);
  return { address: entry.address, key: { name: holder, limit, holder } };
};

const admitByUpstash = async (
  take: TakeFromUpstash,
  { address, credentials, deadline }: Caller,
): Promise<Admission> => {
  const ip = await take("ip", address);
  if (!ip.isAllowed || !credentials) return { address: ip };
  const holder = await authenticate(credentials, { deadline });
  if (!holder) return { address: ip };
  return { address: ip, key: { name: holder, limit: await take("key", holder.apiKeyId), holder } };
};

/**
 * A pair that the database proved less than 10 s ago, and whose limit is used up: proven again that often, so that a
 * revocation is soon a 401 and the key's last use stays true. Its address is counted within a second.
 */
const findKnownRefusal = ({ address, credentials }: Caller): Admission | undefined => {
  const ip = findUsedUp("ip", address);
  if (ip) return { address: ip };
  if (!credentials) return undefined;
  const { apiKey, apiSecret } = credentials;
  const nowMs = performance.now();
  const name = provenPairs().find(apiKey, () => hashSecret(apiSecret, env().KEY_PEPPER), nowMs);
  const limit = name && findUsedUp("key", name.apiKeyId);
  if (!limit) return undefined;
  const endsAtMs = nowMs + limit.resetAtMs - Date.now();
  if (!countLater(windowId("ip", address), endsAtMs)) return undefined;
  // How much the address has left is not known; the key's limit is the tighter one in any case.
  const passing = { scope: "ip", isAllowed: true, limit: limitOf("ip"), remaining: 0 } as const;
  return { address: { ...passing, resetAtMs: limit.resetAtMs }, key: { name, limit } };
};

const rememberPair = ({ apiKey, apiSecret }: Credentials, holder: KeyHolder, nowMs: number) => {
  const { workspaceId, apiKeyId, mode } = holder;
  const hash = hashSecret(apiSecret, env().KEY_PEPPER);
  provenPairs().remember(apiKey, hash, { holder: { workspaceId, apiKeyId, mode }, nowMs });
};

const provenPairs = () => processWide("proven-pairs", () => new ProvenPairs<KeyName>());
