import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { isConnectedLine, noSuchLine } from "./queries";

/**
 * Disconnects a line from every sender and deletes its token. Its messages stay, and late statuses of them still arrive;
 * connecting the number again gives it the same id. Throws NOT_FOUND where it is not connected.
 */
export function disconnectLine(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const [line] = await tx
        .update(phoneNumbers)
        .set({
          accessToken: "",
          isActive: false,
          isDefault: false,
          tokenProblem: null,
          tokenExpiresAt: null,
          subscribedAt: null,
          disconnectedAt: sql`now()`,
          updatedAt: sql`now()`,
        })
        .where(isConnectedLine(workspaceId, id))
        .returning({ label: phoneNumbers.label, disconnectedAt: phoneNumbers.disconnectedAt });
      if (!line) throw noSuchLine();
      await recordAudit(tx, workspaceId, {
        by,
        action: "phoneNumber.disconnected",
        targetId: id,
        before: { label: line.label, disconnectedAt: null },
        after: { disconnectedAt: line.disconnectedAt },
      });
    }),
  );
}
