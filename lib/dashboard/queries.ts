import { and, count, desc, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { messages, phoneNumbers, templates, usage } from "@/db/schema";
import { selectMessages } from "@/lib/message-log/queries";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

// Each read names its columns: access tokens and secret hashes never leave the database for a page.

const LATEST_MESSAGES = 5;

/** `month` is the first day of a calendar month (UTC), such as 2026-01-01. */
export const getOverview = (workspaceId: WorkspaceId, month: string) =>
  onDatabase(async (db) => {
    const [[monthly], [lines], [approved], latestMessages] = await Promise.all([
      db
        .select({ used: usage.used })
        .from(usage)
        .where(and(eq(usage.workspaceId, workspaceId), eq(usage.month, month))),
      db
        .select({ count: count() })
        .from(phoneNumbers)
        .where(and(eq(phoneNumbers.workspaceId, workspaceId), phoneNumbers.isActive)),
      db
        .select({ count: count() })
        .from(templates)
        .where(and(eq(templates.workspaceId, workspaceId), eq(templates.status, "APPROVED"))),
      selectMessages(db)
        .where(eq(messages.workspaceId, workspaceId))
        .orderBy(desc(messages.createdAt), desc(messages.id))
        .limit(LATEST_MESSAGES),
    ]);
    return {
      used: monthly?.used ?? 0,
      activeLines: lines?.count ?? 0,
      approvedTemplates: approved?.count ?? 0,
      latestMessages,
    };
  });
