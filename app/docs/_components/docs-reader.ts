import { unstable_rethrow } from "next/navigation";
import { findUsableKey } from "@/lib/api-keys/queries";
import { currentMember } from "@/lib/auth/page-member";
import { errorFields, log } from "@/lib/core/log";
import { can } from "@/lib/workspaces/roles";

/** Who reads the docs: a stranger, a member without access to keys, or one who has it. */
export type DocsReader =
  | { kind: "stranger" }
  | { kind: "member"; workspace: string }
  | { kind: "keyHolder"; workspace: string; workspaceId: string };

type Read = { reader: DocsReader; apiKey: string | null };

/**
 * The reader, and the id of the newest test key of their workspace for owners and admins; null for all others. The docs
 * are there without a database too.
 */
export async function docsReader(): Promise<Read> {
  try {
    const member = await currentMember();
    if (!member) return STRANGER;
    const { workspaceId, workspace, role } = member;
    if (!can(role, "seeApiKeys")) return { reader: { kind: "member", workspace: workspace.name }, apiKey: null };
    const apiKey = (await findUsableKey(workspaceId, "test")) ?? null;
    return { reader: { kind: "keyHolder", workspace: workspace.name, workspaceId }, apiKey };
  } catch (error) {
    unstable_rethrow(error);
    log("warn", "docs.key-not-read", errorFields(error));
    return STRANGER;
  }
}

export const STRANGER = { reader: { kind: "stranger" }, apiKey: null } satisfies Read;
