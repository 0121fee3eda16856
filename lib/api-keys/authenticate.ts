import { sql } from "drizzle-orm";
import { onDatabase, type PoolName } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { apiKeys } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { monthlyLimit } from "@/lib/core/plans";
import type { Principal } from "@/lib/core/principal";
import { provenWorkspaceId } from "@/lib/core/workspace-id";
import { provenHash, secretMatches } from "./key-pair";
import { type KeyRow, selectKeyRow } from "./key-row";
import { rehashSecret } from "./rehash-secret";

/** A principal that a key has proven. */
export type KeyHolder = Principal & { apiKeyId: string };

export type Credentials = { apiKey: string; apiSecret: string };

/**
 * Proves a key pair. Undefined for absent, malformed, unknown, wrong, expired and revoked pairs, which all take the same
 * path and the same time. Throws DatabaseUnavailable at the deadline at the latest.
 */
export async function authenticate(
  { apiKey, apiSecret }: Credentials,
  { deadline, pool = "requests" }: { deadline: Deadline; pool?: PoolName },
): Promise<KeyHolder | undefined> {
  const [found] = await onSql((sql) => selectKeyRow(sql, sql`${apiKey}`), { deadline, pool });
  const proven = provenBy(found, apiSecret);
  return found && proven && toHolder(found, { apiSecret, provenHash: proven, deadline });
}

/**
 * The stored hash by which the secret proves the key, if it does. The secret before a rotation counts until its overlap
 * ends; both are compared always, so that time reveals nothing.
 */
export function provenBy(found: KeyRow | undefined, apiSecret: string): Uint8Array | undefined {
  const proven = provenHash(apiSecret, [found?.secretHash, found?.previousSecretHash], peppers());
  return found?.isUsable ? proven : undefined;
}

/** The holder of a key that was just proven; notes its use, and moves its hash to the pepper in use. */
export async function toHolder(
  found: KeyRow,
  { apiSecret, provenHash: proven, deadline }: { apiSecret: string; provenHash: Uint8Array; deadline: Deadline },
): Promise<KeyHolder> {
  if (found.isStale) await recordUse(found, deadline);
  const pepper = env().KEY_PEPPER;
  if (env().KEY_PEPPER_PREVIOUS !== undefined && !secretMatches(apiSecret, proven, [pepper])) {
    await rehashSecret(found, { secret: apiSecret, provenHash: proven, pepper, deadline });
  }
  return {
    workspaceId: provenWorkspaceId(found.workspaceId),
    apiKeyId: found.id,
    mode: found.mode,
    monthlyLimit: monthlyLimit(found.plan, found.messageLimit),
    lines: found.lines,
  };
}

/** The one 401 of every pair that proves nothing. */
export function unauthorized() {
  return new AppError(
    "UNAUTHORIZED",
    "Headers `apiKey` and `apiSecret` (or `X-API-Key` and `X-API-Secret`) must hold one active key pair. Send both, without quotes or spaces; no Authorization header is used. An owner or admin of the workspace can see which keys are active.",
    { details: { retryable: false } },
  );
}

/** What a call without a pair is taken for, so that it takes as long as any other. */
export const UNKNOWN_KEY: Credentials = { apiKey: "pk_live_0000000000000000000000", apiSecret: "" };

/** The pepper in use, then the one before it, where there is one. */
export function peppers() {
  return [env().KEY_PEPPER, env().KEY_PEPPER_PREVIOUS].filter((pepper) => pepper !== undefined);
}

/** At most one write a minute and key, also in a race. */
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
