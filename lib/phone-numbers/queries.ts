import { and, asc, eq, isNull } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type Mode, type PhoneNumber, phoneNumbers } from "@/db/schema";
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

/** The lines that a send could go out on, without their tokens. */
export const listActiveLines = (workspaceId: WorkspaceId, mode: Mode) =>
  onDatabase((db) =>
    db
      .select({
        id: phoneNumbers.id,
        label: phoneNumbers.label,
        whatsappBusinessAccountId: phoneNumbers.whatsappBusinessAccountId,
      })
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.workspaceId, workspaceId),
          eq(phoneNumbers.mode, mode),
          phoneNumbers.isActive,
          isNull(phoneNumbers.disconnectedAt),
        ),
      )
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id)),
  );
