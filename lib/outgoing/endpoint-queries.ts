import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type Mode, webhookEndpoints } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";

/** What may be shown of an endpoint: everything but its secrets. */
export const ENDPOINT_COLUMNS = {
  id: webhookEndpoints.id,
  mode: webhookEndpoints.mode,
  url: webhookEndpoints.url,
  label: webhookEndpoints.label,
  events: webhookEndpoints.events,
  previousSecretEndsAt: webhookEndpoints.previousSecretEndsAt,
  pausedAt: webhookEndpoints.pausedAt,
  pausedBy: webhookEndpoints.pausedBy,
  failingSince: webhookEndpoints.failingSince,
  /** Of a computer that runs `listen`. */
  listensUntil: webhookEndpoints.listensUntil,
  createdAt: webhookEndpoints.createdAt,
};

export type Endpoint = Awaited<ReturnType<typeof listEndpoints>>[number];

/** The endpoints of a mode, and the computers that listen, oldest first. */
export function listEndpoints(workspaceId: WorkspaceId, mode: Mode) {
  return onDatabase((db) =>
    db
      .select(ENDPOINT_COLUMNS)
      .from(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.workspaceId, workspaceId),
          eq(webhookEndpoints.mode, mode),
          isNull(webhookEndpoints.deletedAt),
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

/** The endpoint, unless it is deleted. */
export function isEndpoint(workspaceId: WorkspaceId, endpointId: string): SQL {
  return sql`${webhookEndpoints.workspaceId} = ${workspaceId} and ${webhookEndpoints.id} = ${endpointId}
    and ${webhookEndpoints.deletedAt} is null`;
}

export function noSuchEndpoint() {
  return new AppError("NOT_FOUND", "This endpoint does not exist, or was deleted. Reload the page.", {
    details: { retryable: false },
  });
}
