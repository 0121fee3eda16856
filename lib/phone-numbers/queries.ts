import { asc, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** Every line of a workspace, live and test, oldest first. */
export const listPhoneNumbers = (workspaceId: WorkspaceId): Promise<PhoneNumber[]> =>
  onDatabase((db) =>
    db
      .select()
      .from(phoneNumbers)
      .where(eq(phoneNumbers.workspaceId, workspaceId))
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id)),
  );
