import type { PhoneNumber } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { decrypt, encryptionKeys } from "@/lib/core/crypto";
import type { WorkspaceId } from "@/lib/core/principal";
import type { WhatsappLine } from "@/lib/whatsapp/client";

type StoredLine = Pick<
  PhoneNumber,
  "id" | "mode" | "whatsappPhoneNumberId" | "whatsappBusinessAccountId" | "accessToken"
>;

/** Decrypts a stored line's credentials. Throws if the token's encryption key no longer exists. */
export function toWhatsappLine(workspaceId: WorkspaceId, line: StoredLine): WhatsappLine {
  const { id, mode, whatsappPhoneNumberId, whatsappBusinessAccountId } = line;
  const accessToken = decrypt(line.accessToken, `${workspaceId}/${id}`, encryptionKeys());
  return { mode, whatsappPhoneNumberId, whatsappBusinessAccountId, accessToken };
}

/** The same for a user who can fix it: an undecryptable token is a VALIDATION_ERROR. */
export function openLine(workspaceId: WorkspaceId, line: StoredLine): WhatsappLine {
  try {
    return toWhatsappLine(workspaceId, line);
  } catch {
    const message = "The stored token cannot be read under today’s ENCRYPTION_KEY. Replace the token of this line.";
    throw invalid([{ path: "", message }]);
  }
}
