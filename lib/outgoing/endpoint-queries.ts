import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { auditLog, type WebhookEndpoint, webhookEndpoints } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** An endpoint's columns that may be shown: all but its secrets. */
export const ENDPOINT_COLUMNS = {
  ...columnsOf(webhookEndpoints, "id", "mode", "url", "format", "label", "events", "createdAt"),
  ...columnsOf(webhookEndpoints, "previousSecretEndsAt", "pausedAt", "pausedBy", "failingSince"),
  /** Set for a `listen` session. */
  ...columnsOf(webhookEndpoints, "listensUntil"),
};

export type Endpoint = Awaited<ReturnType<typeof listEndpoints>>[number];

/** Returns a mode's endpoints and `listen` sessions, oldest first. */
export function listEndpoints(workspaceId: WorkspaceId, mode: Mode) {
  return onDatabase((db) =>
    db
      .select(ENDPOINT_COLUMNS)
      .from(webhookEndpoints)
      .where(
        and(
          rowsOf(webhookEndpoints, workspaceId, { mode, deletedAt: null }),
          sql`coalesce(${webhookEndpoints.listensUntil} > now(), true)`,
        ),
      )
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id)),
  );
}

/** Returns an endpoint that is not deleted. */
export async function findEndpoint(workspaceId: WorkspaceId, endpointId: string): Promise<Endpoint | undefined> {
  const [endpoint] = await onDatabase((db) =>
    db.select(ENDPOINT_COLUMNS).from(webhookEndpoints).where(isEndpoint(workspaceId, endpointId)),
  );
  return endpoint;
}

/** Days after which the page of an endpoint advises a new secret. */
export const ROTATE_AFTER_DAYS = 180;
const DAY_MS = 86_400_000;

/** Returns the age of an endpoint's secret in whole days: since it was last rotated, by the audit log, else since it was created. */
export async function getSecretDays(workspaceId: WorkspaceId, { id, createdAt }: Endpoint, now: Date): Promise<number> {
  const isRotation = rowsOf(auditLog, workspaceId, { targetId: id, action: "webhookEndpoint.secretRotated" });
  const [rotated] = await onDatabase((db) =>
    db.select(columnsOf(auditLog, "at")).from(auditLog).where(isRotation).orderBy(desc(auditLog.at)).limit(1),
  );
  return Math.max(0, Math.floor((now.getTime() - (rotated?.at ?? createdAt).getTime()) / DAY_MS));
}

/** Matches the endpoint, unless it is deleted. */
export function isEndpoint(workspaceId: WorkspaceId, endpointId: string): SQL {
  return rowsOf(webhookEndpoints, workspaceId, { id: endpointId, deletedAt: null });
}

export function noSuchEndpoint() {
  return new AppError("NOT_FOUND", "This endpoint does not exist, or was deleted. Reload the page.", {
    details: { retryable: false },
  });
}

/** Paused by a member, after a 410 or after days of failures; a `listen` session; else active or failing. */
export type EndpointState = "active" | "listening" | "failing" | "paused" | "pausedGone" | "pausedFailing";

/** What the state depends on. */
export type EndpointFacts = Pick<WebhookEndpoint, "pausedAt" | "pausedBy" | "failingSince" | "listensUntil">;

const PAUSED = { member: "paused", gone: "pausedGone", failing: "pausedFailing" } as const;

export function endpointState({ pausedAt, pausedBy, failingSince, listensUntil }: EndpointFacts): EndpointState {
  if (pausedAt) return PAUSED[pausedBy ?? "member"];
  if (listensUntil) return "listening";
  return failingSince ? "failing" : "active";
}
