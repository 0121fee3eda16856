import { isIP } from "node:net";
import { and, eq, sql } from "drizzle-orm";
import type { PendingQuery, Row, Sql } from "postgres";
import { onDatabase, type PoolName } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { apiKeys } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import {
  type KeyRights,
  type Line,
  type Mode,
  monthlyLimit,
  type Plan,
  type Principal,
  provenWorkspaceId,
} from "@/lib/core/principal";
import { hashSecret } from "./key-pair";

/** An authenticated principal. */
export type KeyHolder = Principal & { apiKeyId: string };

export type Credentials = { apiKey: string; apiSecret: string };

/**
 * Checks a pair. Undefined for absent, malformed, unknown, wrong, expired and revoked pairs, which all take the
 * same path and time. `isWithin` says whether `ip` is in the key's ranges. Throws DatabaseUnavailable by the deadline.
 */
export async function authenticate(
  { apiKey, apiSecret }: Credentials,
  { ip, deadline, pool = "requests" }: { ip?: string; deadline: Deadline; pool?: PoolName },
): Promise<(KeyHolder & { isWithin: boolean }) | undefined> {
  const { hash, formerHash = null, ip: address = null } = toProve(apiSecret, ip);
  const [found] = await onSql(
    (sql) => sql<ProvenKey[]>`
      select ${sql.unsafe(KEY_FIELDS)}, ${sql.unsafe(PROOF)}
      from (select decode(${hash}, 'hex') as hash, decode(${formerHash}, 'hex') as former_hash, ${address}::text as ip) as call
      cross join lateral (${selectKey(sql, sql`${apiKey}`)}) as key where ${sql.unsafe(IS_PROVEN)}`,
    { deadline, pool },
  );
  return found && { ...(await toPrincipal(found, { apiSecret, deadline })), isWithin: found.isWithin };
}

/** What a statement compares with a key: a secret's hashes under the current pepper and the previous one, and an address. */
export function toProve(apiSecret: string, ip = ""): { hash: string; formerHash?: string; ip?: string } {
  const { KEY_PEPPER: pepper, KEY_PEPPER_PREVIOUS: former } = env();
  const hashUnder = (one: string) => Buffer.from(hashSecret(apiSecret, one)).toString("hex");
  return {
    hash: hashUnder(pepper),
    ...(former === undefined ? {} : { formerHash: hashUnder(former) }),
    ...(isIP(ip) === 0 ? {} : { ip }),
  };
}

/** Returns the principal of a verified key; records its use and rehashes it under the current pepper. */
export async function toPrincipal(
  found: ProvenKey,
  { apiSecret, deadline }: { apiSecret: string; deadline: Deadline },
): Promise<KeyHolder> {
  if (found.isStale) await recordUse(found, deadline);
  if (found.isUnderFormerPepper) await rehashSecret(found, apiSecret, deadline);
  const limits = found.limits ?? {};
  return {
    ...nameOf(found),
    monthlyLimit: monthlyLimit(found.plan, found.messageLimit),
    limits,
    lines: found.lines.filter(({ id }) => limits.phoneNumberIds?.includes(id) ?? true),
  };
}

/** A key's owner and mode. */
export type KeyName = Pick<KeyHolder, "workspaceId" | "apiKeyId" | "mode">;

/** Names a verified key. */
export function nameOf({ workspaceId, id, mode }: KeyRow): KeyName {
  return { workspaceId: provenWorkspaceId(workspaceId), apiKeyId: id, mode };
}

/** The same 401 for every invalid key pair, except that it names a value which was copied with its mask. */
export function unauthorized(given: Credentials | undefined) {
  const [masked] = Object.entries(given ?? {}).flatMap(([name, value]) =>
    MASKS.flatMap(([sent, sign]) => (value.includes(sent) ? [`\`${name}\` holds \`${sign}\``] : [])),
  );
  return new AppError(
    "UNAUTHORIZED",
    masked
      ? `${masked}: it is a masked value or an example. Send the whole one, as it was shown when the key was created or rotated.`
      : "Headers `apiKey` and `apiSecret` (or `X-API-Key` and `X-API-Secret`) must hold one active key pair. Send both, without quotes or spaces; no Authorization header is used. An owner or admin of the workspace can see which keys are active.",
    { details: { retryable: false } },
  );
}

/** What pages and docs show in place of a secret, by its bytes as a header holds them. */
const MASKS = ["•", "…"].map((sign) => [Buffer.from(sign).toString("latin1"), sign] as const);

/** Stands in for missing credentials, so that such a call takes as long as any other. */
export const UNKNOWN_KEY: Credentials = { apiKey: "pk_live_0000000000000000000000", apiSecret: "" };

/** Writes at most once a minute per key, even in a race. */
const recordUse = ({ workspaceId, id }: KeyRow, deadline: Deadline) =>
  onDatabase(
    (db) =>
      db
        .update(apiKeys)
        .set({ lastUsedAt: sql`now()` })
        .where(
          sql`${apiKeys.workspaceId} = ${workspaceId} and ${apiKeys.id} = ${id} and (${apiKeys.lastUsedAt} is null or ${apiKeys.lastUsedAt} < now() - interval '1 minute')`,
        ),
    { deadline },
  );

/**
 * Replaces the hash of a just verified secret, so that the previous pepper can be removed once every key has been used.
 * Guarded by the verified hash, so it never undoes a rotation in between.
 */
async function rehashSecret({ workspaceId, id }: KeyRow, apiSecret: string, deadline: Deadline): Promise<void> {
  const { KEY_PEPPER: pepper, KEY_PEPPER_PREVIOUS: formerPepper = pepper } = env();
  const [hash, former] = [hashSecret(apiSecret, pepper), hashSecret(apiSecret, formerPepper)];
  const isThisKey = and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, id));
  try {
    await onDatabase(
      async (db) => {
        await db
          .update(apiKeys)
          .set({ secretHash: hash })
          .where(and(isThisKey, eq(apiKeys.secretHash, former)));
        await db
          .update(apiKeys)
          .set({ previousSecretHash: hash })
          .where(and(isThisKey, eq(apiKeys.previousSecretHash, former)));
      },
      { deadline },
    );
  } catch (error) {
    // The next use retries this; the request itself is authenticated and goes on.
    log("warn", "api-key.not-rehashed", { apiKeyId: id, ...errorFields(error) });
  }
}

/** A key with everything that a call needs. */
export type KeyRow = {
  apiKey: string;
  workspaceId: string;
  id: string;
  mode: Mode;
  /** Whether `lastUsedAt` is more than a minute old. */
  isStale: boolean;
  plan: Plan;
  messageLimit: number | null;
  limits: KeyRights | null;
  lines: Line[];
};

export type ProvenKey = KeyRow & Proof;

/** What a call has proven: that its secret is one of the key's, and whether it comes from the key's IP ranges. */
export type Proof = { isUnderFormerPepper: boolean; isWithin: boolean };

/** The SQL condition that a key is usable. */
export const USABLE = "(revoked_at is null and (expires_at is null or expires_at > now()))";

/** The columns of a KeyRow. No hash is among them: secrets are compared in the database. */
export const KEY_FIELDS = `key."apiKey", key."workspaceId", key.id, key.mode, key."isStale", key.plan, key."messageLimit",
  key.limits, key.lines`;

/**
 * Whether the secret of `call`, by its hashes (`toProve`), is one of `key`. The previous secret counts until its overlap ends.
 * The time of the comparison reveals nothing, because nobody can choose a hash without the pepper.
 */
export const IS_PROVEN = `key."isUsable" and (key."secretHash" in (call.hash, call.former_hash)
  or key."previousSecretHash" in (call.hash, call.former_hash))`;

/** The columns of a Proof. */
export const PROOF = `coalesce(call.former_hash in (key."secretHash", key."previousSecretHash"), false) as "isUnderFormerPepper",
  case when key.limits -> 'ipRanges' is null then true else coalesce(call.ip::inet <<= any (
    select range::cidr from jsonb_array_elements_text(key.limits -> 'ipRanges') as range), false) end as "isWithin"`;

/** Selects the key with the public half `apiKey`, an SQL expression, as the `key` of these. */
export function selectKey(sql: Sql, apiKey: PendingQuery<Row[]>) {
  return sql`
  select k.api_key as "apiKey", k.workspace_id as "workspaceId", k.id, k.mode, k.secret_hash as "secretHash",
    case when k.previous_secret_ends_at > now() then k.previous_secret_hash end as "previousSecretHash",
    ${sql.unsafe(USABLE)} as "isUsable",
    k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as "isStale",
    w.plan, w.message_limit as "messageLimit", k.limits,
    (
      select coalesce(json_agg(json_build_object(
        'id', p.id,
        'label', p.label,
        'displayPhoneNumber', p.display_phone_number,
        'whatsappPhoneNumberId', p.whatsapp_phone_number_id,
        'whatsappBusinessAccountId', p.whatsapp_business_account_id,
        'accessToken', p.access_token,
        'isActive', p.is_active,
        'isDefault', p.is_default,
        'hasTokenProblem', p.token_problem is not null
      ) order by p.created_at, p.id), '[]')
      from phone_numbers p
      where p.workspace_id = k.workspace_id and p.mode = k.mode and p.disconnected_at is null
    ) as lines
  from api_keys k join workspaces w on w.id = k.workspace_id
  where k.api_key = ${apiKey}`;
}
