import { MOST_ENDPOINTS } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { newEndpointSecret } from "./endpoint-secret";
import { insertEndpoint, type NewEndpoint } from "./insert-endpoint";

/** The secret is returned once, here. */
export type CreatedEndpoint = { id: string; secret: string };

/**
 * Makes an endpoint in the first free slot of its mode. Whether `by` may, and whether the URL may be called, is for the
 * caller to check. Throws VALIDATION_ERROR where all slots are taken.
 */
export async function createEndpoint(
  workspaceId: WorkspaceId,
  endpoint: NewEndpoint,
  by: Author,
): Promise<CreatedEndpoint> {
  const secret = newEndpointSecret();
  const row = { ...endpoint, secret, listensUntil: null };
  const id = await insertEndpoint(workspaceId, { ...row, slots: [1, MOST_ENDPOINTS] }, by);
  if (id) return { id, secret };
  throw invalid([
    {
      path: "",
      message: `This workspace has ${MOST_ENDPOINTS} ${endpoint.mode} endpoints, which is the limit. Delete one first.`,
    },
  ]);
}
