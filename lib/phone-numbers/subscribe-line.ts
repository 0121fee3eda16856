import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import { refusedByPlatform } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { failureSentence } from "@/lib/whatsapp/graph-failure";
import { subscribeApp } from "@/lib/whatsapp/subscribed-apps";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { getConnectedLine } from "./queries";
import { openLine } from "./whatsapp-line";

/**
 * Makes WhatsApp send the webhooks of the line's business account to the app of its token. Every line of that
 * account is subscribed with it. Throws CHAT_GRAPH_ERROR with WhatsApp's words, or that it could not be reached.
 */
export async function subscribeLine(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  const line = await getConnectedLine(workspaceId, id);
  const { mode, whatsappBusinessAccountId } = line;
  const subscription = await subscribeApp(openLine(workspaceId, line));
  if (subscription.outcome === "failed") {
    throw refusedByPlatform("platform", `The app was not subscribed. ${failureSentence(subscription)}`, {
      retryable: subscription.kind !== "refused",
      ...(subscription.platform ? { platform: subscription.platform } : {}),
    });
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
        by,
        action: "phoneNumber.subscribed",
        targetId: id,
        before: null,
        after: { whatsappBusinessAccountId },
      });
    }),
  );
}
