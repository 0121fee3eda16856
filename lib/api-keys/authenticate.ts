import { sql } from "drizzle-orm";
import { onDatabase, prepared } from "@/db/client";
import { apiKeys, type Mode, phoneNumbers, workspaces } from "@/db/schema";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { monthlyLimit } from "@/lib/plans/plans";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/workspaces/workspace-id";
import { provenHash, secretMatches } from "./key-pair";
import { isUsable } from "./queries";
import { rehashSecret } from "./rehash-secret";

/** A line as a key sees it. `accessToken` is still encrypted. */
export type Line = {
  id: string;
  label: string;
  displayPhoneNumber: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  accessToken: string;
  isActive: boolean;
  isDefault: boolean;
  hasTokenProblem: boolean;
};

/** Who sends: a workspace in one mode, with the lines that it may send from. */
export type Principal = {
  workspaceId: WorkspaceId;
  /** Null where a member sends from the dashboard. */
  apiKeyId: string | null;
  mode: Mode;
  /** Messages a calendar month; null is no limit. */
  monthlyLimit: number | null;
  lines: Line[];
};

/** The same, proven by a key. */
export type KeyHolder = Principal & { apiKeyId: string };

export type Credentials = { apiKey: string; apiSecret: string };

/**
 * Proves a key pair. Undefined for absent, malformed, unknown, wrong, expired and revoked pairs, which all take the same
 * path and the same time. Throws DatabaseUnavailable at the instant `byMs` of `performance.now()` at the latest.
 */
export const authenticate = async (
  { apiKey, apiSecret }: Credentials,
  { byMs }: { byMs: number },
): Promise<KeyHolder | undefined> => {
  const [found] = await onDatabase((db) => keyByPublicId(db).execute({ apiKey }), { byMs });
  // The secret before a rotation counts until its overlap ends; both are compared always, so that time tells nothing.
  const proven = provenHash(apiSecret, [found?.secretHash, found?.previousSecretHash], peppers());
  if (!found || !proven || !found.isUsable) return undefined;
  if (found.isStale) await recordUse(found, byMs);
  const pepper = env().KEY_PEPPER;
  if (env().KEY_PEPPER_PREVIOUS !== undefined && !secretMatches(apiSecret, proven, [pepper])) {
    await rehashSecret(found, { secret: apiSecret, provenHash: proven, pepper, byMs });
  }
  return {
    workspaceId: provenWorkspaceId(found.workspaceId),
    apiKeyId: found.id,
    mode: found.mode,
    monthlyLimit: monthlyLimit(found.plan, found.messageLimit),
    lines: found.lines,
  };
};

/** The one 401 of every pair that proves nothing. */
export const unauthorized = () =>
  new AppError(
    "UNAUTHORIZED",
    "Headers `apiKey` and `apiSecret` (or `X-API-Key` and `X-API-Secret`) must hold one active key pair. Send both, without quotes or spaces; no Authorization header is used. An owner or admin of the workspace can tell which keys are active.",
    { details: { retryable: false } },
  );

/** What a call without a pair is taken for, so that it takes as long as any other. */
export const NOBODY: Credentials = { apiKey: "pk_live_0000000000000000000000", apiSecret: "" };
const peppers = () => [env().KEY_PEPPER, env().KEY_PEPPER_PREVIOUS].filter((pepper) => pepper !== undefined);

const keyByPublicId = prepared((db) =>
  db
    .select({
      workspaceId: apiKeys.workspaceId,
      id: apiKeys.id,
      mode: apiKeys.mode,
      secretHash: apiKeys.secretHash,
      previousSecretHash: sql<Uint8Array | null>`case when ${apiKeys.previousSecretEndsAt} > now() then ${apiKeys.previousSecretHash} end`,
      isUsable,
      isStale: sql<boolean>`${apiKeys.lastUsedAt} is null or ${apiKeys.lastUsedAt} < now() - interval '1 minute'`,
      plan: workspaces.plan,
      messageLimit: workspaces.messageLimit,
      lines: sql<Line[]>`(
        select coalesce(json_agg(json_build_object(
          'id', ${phoneNumbers.id},
          'label', ${phoneNumbers.label},
          'displayPhoneNumber', ${phoneNumbers.displayPhoneNumber},
          'whatsappPhoneNumberId', ${phoneNumbers.whatsappPhoneNumberId},
          'whatsappBusinessAccountId', ${phoneNumbers.whatsappBusinessAccountId},
          'accessToken', ${phoneNumbers.accessToken},
          'isActive', ${phoneNumbers.isActive},
          'isDefault', ${phoneNumbers.isDefault},
          'hasTokenProblem', ${phoneNumbers.tokenProblem} is not null
        ) order by ${phoneNumbers.createdAt}, ${phoneNumbers.id}), '[]')
        from ${phoneNumbers}
        where ${phoneNumbers.workspaceId} = ${apiKeys.workspaceId} and ${phoneNumbers.mode} = ${apiKeys.mode}
          and ${phoneNumbers.disconnectedAt} is null
      )`,
    })
    .from(apiKeys)
    .innerJoin(workspaces, sql`${workspaces.id} = ${apiKeys.workspaceId}`)
    .where(sql`${apiKeys.apiKey} = ${sql.placeholder("apiKey")}`)
    .prepare("authenticate"),
);

/** At most one write a minute and key, whoever races. */
const recordUse = ({ workspaceId, id }: { workspaceId: string; id: string }, byMs: number) =>
  onDatabase(
    (db) =>
      db
        .update(apiKeys)
        .set({ lastUsedAt: sql`now()` })
        .where(
          sql`${apiKeys.workspaceId} = ${workspaceId} and ${apiKeys.id} = ${id} and (${apiKeys.lastUsedAt} is null or ${apiKeys.lastUsedAt} < now() - interval '1 minute')`,
        ),
    { byMs },
  );
