import { createHmac } from "node:crypto";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";

/** Shows whether a number was erased to whoever holds the number and the pepper, and the number to nobody. */
export const phoneDigest = (workspaceId: WorkspaceId, phone: string, pepper: string): string =>
  createHmac("sha256", pepper).update(`erased phone\0${workspaceId}\0${phone}`).digest("base64url");
