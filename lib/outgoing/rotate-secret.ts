import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { OVERLAP_SECONDS, type Overlap } from "@/lib/api-keys/overlap";
import { type AppError, invalid } from "@/lib/core/app-error";
import { dateFormat } from "@/lib/core/date-format";
import { encryptionKeys } from "@/lib/core/encryption-keys";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";
import { newEndpointSecret, sealSecret } from "./endpoint-secret";

/**
 * Gives an endpoint a new secret, which is returned once. Until the overlap ends, deliveries carry a signature of each. An
 * overlap that runs ends early only by `now`, which ends both older secrets. Does not check permissions: the caller must.
 * Throws NOT_FOUND, and VALIDATION_ERROR during an overlap.
 */
export async function rotateSecret(
  workspaceId: WorkspaceId,
  { endpointId, overlap }: { endpointId: string; overlap: Overlap },
  by: Author,
): Promise<string> {
  const secret = newEndpointSecret();
  const seconds = OVERLAP_SECONDS[overlap];
  await onDatabase((db) =>
    db.transaction(async (tx) => {
      const isThis = isEndpoint(workspaceId, endpointId);
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
          secret: sealSecret(secret, { workspaceId, id: endpointId }, encryptionKeys()),
          previousSecret: seconds > 0 ? sql`${webhookEndpoints.secret}` : null,
          previousSecretEndsAt: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
        })
        .where(isThis)
        .returning({ previousSecretEndsAt });
      const after = { overlap, previousSecretEndsAt: rotated?.previousSecretEndsAt ?? null };
      await recordAudit(tx, workspaceId, {
        by,
        action: "webhookEndpoint.secretRotated",
        targetId: endpointId,
        before: promised && { previousSecretEndsAt: promised },
        after,
      });
    }),
  );
  return secret;
}

const stillWorks = (until: Date): AppError =>
  invalid([
    {
      path: "overlap",
      message: `The previous secret works until ${WHEN.format(until)} UTC. Rotate again after that. If a secret has leaked, choose "Revoke now", which ends both at once.`,
    },
  ]);

const WHEN = dateFormat({ timeZone: "UTC", dateStyle: "medium", timeStyle: "short" });
