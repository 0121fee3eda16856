import { createHmac } from "node:crypto";
import type { WorkspaceId } from "@/lib/core/workspace-id";

/** Shows whether a number was erased, only to a holder of the number and the pepper; never shows the number. */
export function phoneDigest(workspaceId: WorkspaceId, phone: string, pepper: string): string {
  return createHmac("sha256", pepper).update(`erased phone\0${workspaceId}\0${phone}`).digest("base64url");
}
