import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { OVERLAP_SECONDS, type Overlap } from "@/lib/api-keys/overlap";
import type { Author } from "@/lib/audit/author";
import { recordAudit } from "@/lib/audit/record-audit";
import { encryptionKeys } from "@/lib/secrets/encryption-keys";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";
import { newEndpointSecret, sealSecret } from "./endpoint-secret";
import { isEndpoint, noSuchEndpoint } from "./queries";

/**
 * Gives an endpoint a new secret, which is returned once. Until the overlap ends, deliveries carry a signature of each.
 * Does not check permissions: the caller must. Throws NOT_FOUND.
 */
export const rotateSecret = async (
  workspaceId: WorkspaceId,
  { endpointId, overlap }: { endpointId: string; overlap: Overlap },
  by: Author,
): Promise<string> => {
  const secret = newEndpointSecret();
  const seconds = OVERLAP_SECONDS[overlap];
  await onDatabase((db) =>
    db.transaction(async (tx) => {
      const [rotated] = await tx
        .update(webhookEndpoints)
        .set({
          secret: sealSecret(secret, { workspaceId, id: endpointId }, encryptionKeys()),
          previousSecret: seconds > 0 ? sql`${webhookEndpoints.secret}` : null,
          previousSecretEndsAt: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
        })
        .where(isEndpoint(workspaceId, endpointId))
        .returning({ previousSecretEndsAt: webhookEndpoints.previousSecretEndsAt });
      if (!rotated) throw noSuchEndpoint();
      const after = { overlap, previousSecretEndsAt: rotated.previousSecretEndsAt };
      await recordAudit(tx, workspaceId, {
        by,
        action: "webhookEndpoint.secretRotated",
        targetId: endpointId,
        before: null,
        after,
      });
    }),
  );
  return secret;
};
