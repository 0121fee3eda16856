import { and, eq, sql } from "drizzle-orm";
import { onDatabase, prepared } from "@/db/client";
import { type Contact, contacts } from "@/db/schema";
import { AppError } from "@/lib/errors";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** The contact, or NOT_FOUND, which is also the answer for another workspace's contact. */
export const getContact = async (workspaceId: WorkspaceId, contactId: string): Promise<Contact> => {
  const [contact] = await onDatabase((db) => contactById(db).execute({ workspaceId, contactId }));
  if (contact && contact.erasedAt === null) return contact;
  throw new AppError(
    "NOT_FOUND",
    `No contact "${contactId.slice(0, 80)}" in this workspace. Use an id such as each message in the dashboard shows (ct_…), or send \`phone\` instead.`,
    { details: { field: "contactId", retryable: false } },
  );
};

const contactById = prepared((db) =>
  db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, sql.placeholder("workspaceId")), eq(contacts.id, sql.placeholder("contactId"))))
    .prepare("contact_by_id"),
);
