import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { encrypt } from "@/lib/core/crypto";
import { encryptionKeys } from "@/lib/core/encryption-keys";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { getConnectedLine, isConnectedLine, noSuchLine } from "./queries";
import { queueRead } from "./queue-reads";
import { verifyAccess } from "./verify-access";

/**
 * Gives a live line another token, once WhatsApp has accepted it for the line's own number. Throws VALIDATION_ERROR
 * with WhatsApp's words otherwise, or CHAT_GRAPH_ERROR where it could not be reached; the old token stays then.
 */
export async function replaceToken(
  workspaceId: WorkspaceId,
  { id, accessToken }: { id: string; accessToken: string },
  by: Author,
): Promise<void> {
  const line = await getConnectedLine(workspaceId, id);
  if (line.mode === "test") {
    throw invalid([
      { path: "accessToken", message: "A test line belongs to the built-in sandbox and needs no token." },
    ]);
  }
  const { whatsappPhoneNumberId, whatsappBusinessAccountId } = line;
  const { token, isSubscribed } = await verifyAccess({
    mode: "live",
    whatsappPhoneNumberId,
    whatsappBusinessAccountId,
    accessToken,
  });
  const tokenExpiresAt = token?.expiry && token.expiry !== "never" ? token.expiry.at : null;
  await onDatabase((db) =>
    db.transaction(async (tx) => {
      const [replaced] = await tx
        .update(phoneNumbers)
        .set({
          accessToken: encrypt(accessToken, `${workspaceId}/${id}`, encryptionKeys()),
          tokenProblem: null,
          tokenExpiresAt,
          tokenCheckedAt: sql`now()`,
          updatedAt: sql`now()`,
          subscribedAt: isSubscribed ? sql`now()` : null,
        })
        .where(isConnectedLine(workspaceId, id))
        .returning({ id: phoneNumbers.id });
      if (!replaced) throw noSuchLine();
      // No list could be read with a token that WhatsApp refused.
      if (line.tokenProblem !== null) await queueRead(tx, workspaceId, whatsappBusinessAccountId);
      const change = changeOf(
        { accessToken: "", tokenExpiresAt: line.tokenExpiresAt },
        { accessToken, tokenExpiresAt },
      );
      if (change) {
        await recordAudit(tx, workspaceId, { by, action: "phoneNumber.tokenReplaced", targetId: id, ...change });
      }
    }),
  );
}
