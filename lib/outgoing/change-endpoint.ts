import { sql } from "drizzle-orm";
import { onSql } from "@/db/raw-sql";
import { webhookEndpoints } from "@/db/schema";
import { type AppError, invalidAt } from "@/lib/core/app-error";
import { encryptionKeys } from "@/lib/core/crypto";
import { dateFormat } from "@/lib/core/local-time";
import type { WorkspaceId } from "@/lib/core/principal";
import { OVERLAP_SECONDS, type Overlap } from "@/lib/core/secret-life";
import { type EventType, TEST_EVENT } from "@/lib/outgoing/events/event-types";
import { type Author, audited, changeOf } from "@/lib/workspaces/record-audit";
import { ENDPOINT_COLUMNS, isEndpoint, noSuchEndpoint } from "./endpoint-queries";
import { encryptSecret, newEndpointSecret } from "./signed-request";

const RESET_HEALTH = { failures: 0, failingSince: null, heldUntil: null, answerMs: null };

/**
 * Changes an endpoint's URL, label or events. Waiting deliveries go to the new URL. The caller checks permissions and
 * whether the URL is allowed. Throws NOT_FOUND.
 */
export function changeEndpoint(
  workspaceId: WorkspaceId,
  { endpointId, ...after }: { endpointId: string; url: string; label: string; events: readonly EventType[] },
  by: Author,
): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = isPartners(workspaceId, endpointId);
    const [before] = await tx.select(ENDPOINT_COLUMNS).from(webhookEndpoints).where(isThis).for("no key update");
    if (!before) throw noSuchEndpoint();
    const change = changeOf(before, after);
    if (!change) return;
    await tx
      .update(webhookEndpoints)
      // A new URL may be another server, so the old health data no longer applies.
      .set({ ...after, events: [...after.events], ...(before.url === after.url ? {} : RESET_HEALTH) })
      .where(isThis);
    await record("webhookEndpoint.changed", endpointId, change);
  });
}

/** Not a Slack channel, whose only setting is a URL that is not shown again: delete it and add another one. */
const isPartners = (workspaceId: WorkspaceId, endpointId: string) =>
  sql`${isEndpoint(workspaceId, endpointId)} and ${webhookEndpoints.format} = 'events'`;

/**
 * Deletes an endpoint and drops its waiting deliveries. The rows are removed a day later: a
 * status that is being written now may still refer to them. Throws NOT_FOUND.
 */
export function deleteEndpoint(workspaceId: WorkspaceId, endpointId: string, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const [deleted] = await tx
      .update(webhookEndpoints)
      .set({ deletedAt: sql`now()`, secret: "", previousSecret: null, previousSecretEndsAt: null })
      .where(isEndpoint(workspaceId, endpointId))
      .returning({ url: webhookEndpoints.url, label: webhookEndpoints.label });
    if (!deleted) throw noSuchEndpoint();
    await record("webhookEndpoint.deleted", endpointId, { before: deleted, after: { isDeleted: true } });
  });
}

/** Pauses deliveries. Events are still stored, and are sent after a resume. Throws NOT_FOUND. */
export function pauseEndpoint(workspaceId: WorkspaceId, endpointId: string, by: Author): Promise<void> {
  return setPause(workspaceId, { endpointId, isPaused: true }, by);
}

/** Resumes deliveries, oldest first. Throws NOT_FOUND. */
export function resumeEndpoint(workspaceId: WorkspaceId, endpointId: string, by: Author): Promise<void> {
  return setPause(workspaceId, { endpointId, isPaused: false }, by);
}

const setPause = (
  workspaceId: WorkspaceId,
  { endpointId, isPaused }: { endpointId: string; isPaused: boolean },
  by: Author,
) =>
  audited(workspaceId, by, async (tx, record) => {
    const isThis = isEndpoint(workspaceId, endpointId);
    const [before] = await tx.select(ENDPOINT_COLUMNS).from(webhookEndpoints).where(isThis).for("no key update");
    if (!before) throw noSuchEndpoint();
    if ((before.pausedAt !== null) === isPaused) return;
    await tx
      .update(webhookEndpoints)
      .set(
        isPaused
          ? { pausedAt: sql`now()`, pausedBy: "member" }
          : { pausedAt: null, pausedBy: null, failingSince: null, failures: 0, heldUntil: null },
      )
      .where(isThis);
    await record(isPaused ? "webhookEndpoint.paused" : "webhookEndpoint.resumed", endpointId, {
      before: null,
      after: { isPaused },
    });
  });

/**
 * Rotates an endpoint's secret and returns the new one. Until the overlap ends, deliveries are signed with both. An
 * overlap can be cut short only by `now`, which revokes both older secrets. The caller must check permissions.
 * Throws NOT_FOUND, and VALIDATION_ERROR during an overlap.
 */
export async function rotateSecret(
  workspaceId: WorkspaceId,
  { endpointId, overlap }: { endpointId: string; overlap: Overlap },
  by: Author,
): Promise<string> {
  const secret = newEndpointSecret();
  const seconds = OVERLAP_SECONDS[overlap];
  await audited(workspaceId, by, async (tx, record) => {
    const isThis = isPartners(workspaceId, endpointId);
    const { previousSecretEndsAt } = webhookEndpoints;
    const isRunning = sql<boolean>`coalesce(${previousSecretEndsAt} > now(), false)`;
    const [before] = await tx
      .select({ previousSecretEndsAt, isRunning })
      .from(webhookEndpoints)
      .where(isThis)
      .for("no key update");
    if (!before) throw noSuchEndpoint();
    const promised = before.isRunning ? before.previousSecretEndsAt : null;
    if (promised && seconds > 0) throw stillWorks(promised);
    const [rotated] = await tx
      .update(webhookEndpoints)
      .set({
        secret: encryptSecret(secret, { workspaceId, id: endpointId }, encryptionKeys()),
        previousSecret: seconds > 0 ? sql`${webhookEndpoints.secret}` : null,
        previousSecretEndsAt: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
      })
      .where(isThis)
      .returning({ previousSecretEndsAt });
    const after = { overlap, previousSecretEndsAt: rotated?.previousSecretEndsAt ?? null };
    await record("webhookEndpoint.secretRotated", endpointId, {
      before: promised && { previousSecretEndsAt: promised },
      after,
    });
  });
  return secret;
}

const stillWorks = (until: Date): AppError =>
  invalidAt(
    "overlap",
    `The previous secret works until ${WHEN.format(until)} UTC. Rotate again after that. If a secret has leaked, choose "Revoke now", which ends both at once.`,
  );

const WHEN = dateFormat({ timeZone: "UTC", dateStyle: "medium", timeStyle: "short" });

/**
 * Queues a `webhook.test` event for an endpoint, whatever it subscribes to. Returns the delivery's id. Throws NOT_FOUND.
 */
export async function sendTestEvent(workspaceId: WorkspaceId, endpointId: string): Promise<string> {
  const deliveryId = `whd_${crypto.randomUUID().replaceAll("-", "")}`;
  const written = await onSql(
    (sql) => sql`
      with endpoint as (
        update webhook_endpoints set held_until = null
        where workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null
        returning workspace_id, id
      )
      insert into webhook_deliveries (
        workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
      select workspace_id, ${deliveryId}, id, ${TEST_EVENT}, ${deliveryId}, 1, '{}'::jsonb, now() from endpoint`,
  );
  if (written.count === 0) throw noSuchEndpoint();
  return deliveryId;
}
