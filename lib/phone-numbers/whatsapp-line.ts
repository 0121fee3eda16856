import type { PhoneNumber } from "@/db/schema";
import { decrypt } from "@/lib/crypto";
import { encryptionKeys } from "@/lib/encryption-keys";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

type StoredLine = Pick<
  PhoneNumber,
  "id" | "mode" | "whatsappPhoneNumberId" | "whatsappBusinessAccountId" | "accessToken"
>;

/** A stored line with its token readable, to speak to the platform. */
export const toWhatsappLine = (workspaceId: WorkspaceId, line: StoredLine): WhatsappLine => ({
  mode: line.mode,
  whatsappPhoneNumberId: line.whatsappPhoneNumberId,
  whatsappBusinessAccountId: line.whatsappBusinessAccountId,
  accessToken: decrypt(line.accessToken, `${workspaceId}/${line.id}`, encryptionKeys()),
});
