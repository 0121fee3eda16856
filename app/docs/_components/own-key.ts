import { unstable_rethrow } from "next/navigation";
import { findUsableKey } from "@/lib/api-keys/queries";
import { currentMember } from "@/lib/auth/page-member";
import { errorFields, log } from "@/lib/process/log";
import { can } from "@/lib/workspaces/roles";

/**
 * The id of the newest test key of the reader's workspace, for owners and admins; null for all others. The docs are
 * there without a database too.
 */
export const ownKey = async (): Promise<string | null> => {
  try {
    const member = await currentMember();
    if (!member || !can(member.role, "seeApiKeys")) return null;
    return (await findUsableKey(member.workspaceId, "test")) ?? null;
  } catch (error) {
    unstable_rethrow(error);
    log("warn", "docs.key-not-read", errorFields(error));
    return null;
  }
};
