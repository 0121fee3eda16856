import { databaseRefusal, onDatabase } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { MOST_ENDPOINTS, type Mode, webhookEndpoints } from "@/db/schema";
import type { Author } from "@/lib/audit/author";
import { changeOf } from "@/lib/audit/change";
import { recordAudit } from "@/lib/audit/record-audit";
import { invalid } from "@/lib/errors/app-error";
import { encryptionKeys } from "@/lib/secrets/encryption-keys";
import { newId } from "@/lib/tenancy/new-id";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";
import { newEndpointSecret, sealSecret } from "./endpoint-secret";
import type { EventType } from "./event-types";

export type NewEndpoint = { mode: Mode; url: string; label: string; events: readonly EventType[] };

/** The secret is returned once, here. */
export type CreatedEndpoint = { id: string; secret: string };

const UNIQUE_VIOLATION = "23505";

/**
 * Makes an endpoint in the first free slot of its mode. Whether `by` may, and whether the URL may be called, is for the
 * caller to check. Throws VALIDATION_ERROR where all slots are taken.
 */
export const createEndpoint = async (
  workspaceId: WorkspaceId,
  endpoint: NewEndpoint,
  by: Author,
): Promise<CreatedEndpoint> => {
  const id = newId("whe");
  const secret = newEndpointSecret();
  const sealed = sealSecret(secret, { workspaceId, id }, encryptionKeys());
  // Two that are made at once choose the same slot, and the index lets one of them in.
  for (let attempt = 1; attempt <= MOST_ENDPOINTS; attempt++) {
    try {
      await insert(workspaceId, { ...endpoint, id, secret: sealed }, by);
      return { id, secret };
    } catch (error) {
      if (databaseRefusal(error)?.code !== UNIQUE_VIOLATION) throw error;
    }
  }
  throw tooMany(endpoint.mode);
};

const insert = (workspaceId: WorkspaceId, endpoint: NewEndpoint & { id: string; secret: string }, by: Author) =>
  onDatabase((db) =>
    db.transaction(async (tx) => {
      const { id, mode, url, label, events } = endpoint;
      const [free] = await rawSql(tx)<{ slot: number }[]>`
        select slot from generate_series(1, ${MOST_ENDPOINTS}::int) slot
        where not exists (
          select from webhook_endpoints e
          where e.workspace_id = ${workspaceId} and e.mode = ${mode} and e.deleted_at is null and e.slot = slot.slot)
        order by slot limit 1`;
      if (!free) throw tooMany(mode);
      await tx.insert(webhookEndpoints).values({ ...endpoint, events: [...events], workspaceId, slot: free.slot });
      const change = changeOf(undefined, { mode, url, label, events });
      if (change)
        await recordAudit(tx, workspaceId, { by, action: "webhookEndpoint.created", targetId: id, ...change });
    }),
  );

const tooMany = (mode: Mode) =>
  invalid([
    {
      path: "",
      message: `This workspace has ${MOST_ENDPOINTS} ${mode} endpoints, which is the limit. Delete one first.`,
    },
  ]);
