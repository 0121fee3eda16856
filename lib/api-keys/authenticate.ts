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
  type KeyLimits,
  type Line,
  type Mode,
  monthlyLimit,
  type Plan,
  type Principal,
  provenWorkspaceId,
} from "@/lib/core/principal";
import { hashSecret, matchingHash } from "./key-pair";

/** An authenticated principal. */
export type KeyHolder = Principal & { apiKeyId: string };

export type Credentials = { apiKey: string; apiSecret: string };

/**
 * Checks a pair. Undefined for absent, malformed, unknown, wrong, expired and revoked pairs, which all take the
 * same path and time. Throws DatabaseUnavailable by the deadline.
 */
export async function authenticate(
  { apiKey, apiSecret }: Credentials,
  { deadline, pool = "requests" }: { deadline: Deadline; pool?: PoolName },
): Promise<KeyHolder | undefined> {
  const [found] = await onSql((sql) => selectKeyRow(sql, sql`${apiKey}`), { deadline, pool });
  const proven = matchSecret(found, hashesOf(apiSecret));
  return found && proven && toPrincipal(found, { apiSecret, matchingHash: proven, deadline });
}

/**
 * Returns the stored hash that one of the secret's equals, if any. The previous secret counts until its overlap
 * ends; both are always compared, so timing reveals nothing.
 */
export function matchSecret(found: KeyRow | undefined, hashes: readonly Uint8Array[]): Uint8Array | undefined {
  const proven = matchingHash(hashes, [found?.secretHash, found?.previousSecretHash]);
  return found?.isUsable ? proven : undefined;
}

/** Returns the secret's hash under the current pepper, then under the previous one, if set. */
export function hashesOf(apiSecret: string): Uint8Array[] {
  return [env().KEY_PEPPER, env().KEY_PEPPER_PREVIOUS].flatMap((pepper) =>
    pepper === undefined ? [] : [hashSecret(apiSecret, pepper)],
  );
}

/** Returns the principal of a verified key; records its use and rehashes it under the current pepper. */
export async function toPrincipal(
  found: KeyRow,
  { apiSecret, matchingHash: proven, deadline }: { apiSecret: string; matchingHash: Uint8Array; deadline: Deadline },
): Promise<KeyHolder> {
  if (found.isStale) await recordUse(found, deadline);
  if (env().KEY_PEPPER_PREVIOUS !== undefined) {
    const hash = hashSecret(apiSecret, env().KEY_PEPPER);
    if (!matchingHash([hash], [proven])) await rehashSecret(found, { hash, matchingHash: proven, deadline });
  }
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

/** The same 401 for every invalid key pair. */
export function unauthorized() {
  return new AppError(
    "UNAUTHORIZED",
    "Headers `apiKey` and `apiSecret` (or `X-API-Key` and `X-API-Secret`) must hold one active key pair. Send both, without quotes or spaces; no Authorization header is used. An owner or admin of the workspace can see which keys are active.",
    { details: { retryable: false } },
  );
}

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
async function rehashSecret(
  { workspaceId, id }: KeyRow,
  { hash, matchingHash, deadline }: { hash: Uint8Array; matchingHash: Uint8Array; deadline: Deadline },
): Promise<void> {
  const isThisKey = and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, id));
  try {
    await onDatabase(
      async (db) => {
        await db
          .update(apiKeys)
          .set({ secretHash: hash })
          .where(and(isThisKey, eq(apiKeys.secretHash, matchingHash)));
        await db
          .update(apiKeys)
          .set({ previousSecretHash: hash })
          .where(and(isThisKey, eq(apiKeys.previousSecretHash, matchingHash)));
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
  secretHash: Uint8Array;
  /** The previous secret, until its overlap ends. */
  previousSecretHash: Uint8Array | null;
  isUsable: boolean;
  /** Whether `lastUsedAt` is more than a minute old. */
  isStale: boolean;
  plan: Plan;
  messageLimit: number | null;
  limits: KeyLimits | null;
  lines: Line[];
};

/** The SQL condition that a key is usable. */
export const USABLE = "(revoked_at is null and (expires_at is null or expires_at > now()))";

/** Selects the key with the public half `apiKey`, an SQL expression, as a KeyRow. */
export function selectKeyRow(sql: Sql, apiKey: PendingQuery<Row[]>) {
  return sql<KeyRow[]>`
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
