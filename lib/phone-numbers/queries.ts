import { asc, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** A line as people see it. Its access token stays in the database: only who calls the platform reads that. */
export type ListedPhoneNumber = Pick<PhoneNumber, keyof typeof listed>;

/** Every line of a workspace, live and test, oldest first. */
export const listPhoneNumbers = (workspaceId: WorkspaceId): Promise<ListedPhoneNumber[]> =>
  onDatabase((db) =>
    db
      .select(listed)
      .from(phoneNumbers)
      .where(eq(phoneNumbers.workspaceId, workspaceId))
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id)),
  );

const listed = {
  id: phoneNumbers.id,
  label: phoneNumbers.label,
  mode: phoneNumbers.mode,
  displayPhoneNumber: phoneNumbers.displayPhoneNumber,
  verifiedName: phoneNumbers.verifiedName,
  isActive: phoneNumbers.isActive,
  isDefault: phoneNumbers.isDefault,
  qualityRating: phoneNumbers.qualityRating,
  whatsappPhoneNumberId: phoneNumbers.whatsappPhoneNumberId,
  whatsappBusinessAccountId: phoneNumbers.whatsappBusinessAccountId,
  createdAt: phoneNumbers.createdAt,
};
