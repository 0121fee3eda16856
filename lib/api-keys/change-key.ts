import { and, isNotNull, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import type { KeyLimits, KeyRights, Mode, WorkspaceId } from "@/lib/core/principal";
import { OVERLAP_SECONDS, type Overlap, TRIAL_MINUTES } from "@/lib/core/secret-life";
import { type Author, audited, changeOf, recorder, userBehind } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { assertInFuture, assertOwnLines, orNull } from "./change-limits";
import { hashSecret, newKeyPair } from "./key-pair";
import { findKey, isUsable, noSuchKey } from "./queries";

// None checks permissions: the callers must. Those that change a key throw NOT_FOUND.

type NewKey = { label: string; mode: Mode; ref?: string; expiresAt?: Date | null; limits?: KeyLimits };

/** A secret is returned once, when it is created; only its hash is stored. */
type CreatedKey = { id: string; apiKey: string; apiSecret: string };

export function createKey(workspaceId: WorkspaceId, key: NewKey, by: Author): Promise<CreatedKey> {
  return inTransaction((tx) => addKey(tx, workspaceId, key, by));
}

/** The same within the caller's transaction. */
export async function addKey(tx: Transaction, workspaceId: WorkspaceId, key: NewKey, by: Author): Promise<CreatedKey> {
  const { limits = {}, expiresAt, ...named } = key;
  if (expiresAt) assertInFuture(expiresAt);
  await assertOwnLines(tx, workspaceId, { mode: key.mode, limits });
  const id = newId("key");
  const { apiKey, apiSecret } = newKeyPair(key.mode);
  const stored = { workspaceId, id, apiKey, secretHash: hashSecret(apiSecret, env().KEY_PEPPER) };
  const until = { limits: orNull(limits), expiresAt: expiresAt ?? null };
  await tx.insert(apiKeys).values({ ...named, ...stored, ...until, createdBy: userBehind(by) });
  const shown = { ...named, ...(expiresAt ? { expiresAt } : {}), apiKey, ...limits };
  await recorder(tx, workspaceId, by)("apiKey.created", id, changeOf(undefined, shown));
  return { id, apiKey, apiSecret };
}

const TRIAL_LABEL = "Try it in the docs";

/**
 * Issues a test key for a member's browser, to try the API on its reference page. Each member has one per workspace;
 * each issue rotates its secret; it expires.
 */
export function issueTrialKey(
  workspaceId: WorkspaceId,
  { userId, limits }: { userId: string; limits: KeyRights | null },
  by: Author,
): Promise<{ apiKey: string; apiSecret: string; expiresAt: Date }> {
  return audited(workspaceId, by, async (tx, record) => {
    // A revoked key stays revoked, and a new one takes its place.
    await tx
      .update(apiKeys)
      .set({ trialOf: null })
      .where(and(rowsOf(apiKeys, workspaceId, { trialOf: userId }), isNotNull(apiKeys.revokedAt)));
    const pair = newKeyPair("test");
    const [id, shown] = [newId("key"), { label: TRIAL_LABEL, mode: "test" } as const];
    const secret = {
      secretHash: hashSecret(pair.apiSecret, env().KEY_PEPPER),
      expiresAt: sql`now() + make_interval(mins => ${TRIAL_MINUTES})`,
      limits,
    };
    const [issued] = await tx
      .insert(apiKeys)
      .values({ workspaceId, id, ...shown, trialOf: userId, apiKey: pair.apiKey, createdBy: userId, ...secret })
      .onConflictDoUpdate({
        target: [apiKeys.trialOf, apiKeys.workspaceId],
        // The previous secret works until it expires, for another tab.
        set: {
          ...secret,
          secretMadeAt: sql`now()`,
          previousSecretHash: sql`${apiKeys.secretHash}`,
          previousSecretEndsAt: sql`${apiKeys.expiresAt}`,
        },
      })
      .returning({ id: apiKeys.id, apiKey: apiKeys.apiKey, expiresAt: apiKeys.expiresAt });
    if (!issued?.expiresAt) throw new Error("the trial key was not stored");
    const { apiKey, expiresAt } = issued;
    const action = issued.id === id ? "apiKey.created" : "apiKey.rotated";
    await record(action, issued.id, { before: null, after: { apiKey, ...shown, expiresAt } });
    return { apiKey, apiSecret: pair.apiSecret, expiresAt };
  });
}

/** Changes the label of a key, even a revoked one. */
export function renameKey(
  workspaceId: WorkspaceId,
  { apiKey, label }: { apiKey: string; label: string },
  by: Author,
): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const key = await findKey(tx, workspaceId, apiKey);
    if (!key) throw noSuchKey(apiKey);
    const change = changeOf({ label: key.label }, { label });
    if (!change) return;
    await tx
      .update(apiKeys)
      .set({ label })
      .where(rowsOf(apiKeys, workspaceId, { id: key.id }));
    await record("apiKey.renamed", key.id, change);
  });
}

/** Gives an active key a new secret. The previous one works until the overlap ends, an older one no longer. */
export function rotateKey(
  workspaceId: WorkspaceId,
  { apiKey, overlap }: { apiKey: string; overlap: Overlap },
  by: Author,
): Promise<CreatedKey & { previousSecretEndsAt: Date | null }> {
  return audited(workspaceId, by, async (tx, record) => {
    const isThisKey = and(rowsOf(apiKeys, workspaceId, { apiKey }), isUsable);
    const [stored] = await tx.select({ mode: apiKeys.mode }).from(apiKeys).where(isThisKey);
    if (!stored) throw noSuchKey(apiKey);
    const { apiSecret } = newKeyPair(stored.mode);
    const seconds = OVERLAP_SECONDS[overlap];
    const [rotated] = await tx
      .update(apiKeys)
      .set({
        secretHash: hashSecret(apiSecret, env().KEY_PEPPER),
        secretMadeAt: sql`now()`,
        previousSecretHash: seconds > 0 ? sql`${apiKeys.secretHash}` : null,
        previousSecretEndsAt: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
      })
      // Checked again, because it may have been revoked since.
      .where(isThisKey)
      .returning({ id: apiKeys.id, previousSecretEndsAt: apiKeys.previousSecretEndsAt });
    if (!rotated) throw noSuchKey(apiKey);
    const { id, previousSecretEndsAt } = rotated;
    await record("apiKey.rotated", id, { before: null, after: { apiKey, overlap, previousSecretEndsAt } });
    return { ...rotated, apiKey, apiSecret };
  });
}

/**
 * Revokes a key and all its secrets, permanently: the next request is refused. Revoking it again returns
 * the time of the first revocation.
 */
export function revokeKey(
  workspaceId: WorkspaceId,
  apiKey: string,
  by: Author,
): Promise<{ id: string; apiKey: string; revokedAt: Date }> {
  return audited(workspaceId, by, async (tx, record) => {
    const [revoked] = await tx
      .update(apiKeys)
      .set({ revokedAt: sql`now()`, revokedBy: userBehind(by), previousSecretHash: null, previousSecretEndsAt: null })
      .where(rowsOf(apiKeys, workspaceId, { apiKey, revokedAt: null }))
      .returning({ id: apiKeys.id, label: apiKeys.label, revokedAt: apiKeys.revokedAt });
    const key = revoked ?? (await findKey(tx, workspaceId, apiKey));
    if (!key?.revokedAt) throw noSuchKey(apiKey);
    const { id, label, revokedAt } = key;
    const change = { before: { revokedAt: null }, after: { apiKey, label, revokedAt } };
    await record("apiKey.revoked", id, revoked && change);
    return { id, apiKey, revokedAt };
  });
}
