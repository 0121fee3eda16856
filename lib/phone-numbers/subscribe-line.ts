import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import type { Author } from "@/lib/audit/author";
import { recordAudit } from "@/lib/audit/record-audit";
import { invalid } from "@/lib/errors";
import { subscribeApp } from "@/lib/whatsapp/subscribed-apps";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import { getConnectedLine } from "./queries";
import { openLine } from "./whatsapp-line";

/**
 * Makes the platform send the webhooks of the line's business account to the app of its token. Every line of that
 * account is subscribed with it. Throws VALIDATION_ERROR with the platform's words where it refuses.
 */
export const subscribeLine = async (workspaceId: WorkspaceId, id: string, by: Author): Promise<void> => {
  const line = await getConnectedLine(workspaceId, id);
  const { mode, whatsappBusinessAccountId } = line;
  const subscription = await subscribeApp(openLine(workspaceId, line));
  if (subscription.outcome === "failed") {
    const message = `The app was not subscribed. The platform said: ${subscription.reason}`;
    throw invalid([{ path: "", message }]);
  }
  await onDatabase((db) =>
    db.transaction(async (tx) => {
      await tx
        .update(phoneNumbers)
        .set({ subscribedAt: sql`now()`, updatedAt: sql`now()` })
        .where(
          and(
            eq(phoneNumbers.workspaceId, workspaceId),
            eq(phoneNumbers.mode, mode),
            eq(phoneNumbers.whatsappBusinessAccountId, whatsappBusinessAccountId),
            isNull(phoneNumbers.disconnectedAt),
          ),
        );
      await recordAudit(tx, workspaceId, {
        ...{ by, action: "phoneNumber.subscribed", targetId: id },
        ...{ before: null, after: { whatsappBusinessAccountId } },
      });
    }),
  );
};
