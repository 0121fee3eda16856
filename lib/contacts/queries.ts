import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase, prepared } from "@/db/client";
import { readInstant } from "@/db/raw-sql";
import { type Contact, contacts } from "@/db/schema";
import { beyondCursor, type PagePlace, readingOrder, readKeysetPage } from "@/lib/dashboard/keyset-page";
import { AppError } from "@/lib/errors/app-error";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";
import type { PhoneMatch } from "@/lib/text/phone";
import type { ContactSearch } from "./contact-search";
import { isOnePhoneOf } from "./phone-condition";

/** The contact, or NOT_FOUND, which is also the answer for another workspace's contact. */
export const getContact = async (workspaceId: WorkspaceId, contactId: string): Promise<Contact> => {
  const [contact] = await onDatabase((db) => contactById(db).execute({ workspaceId, contactId }));
  if (contact && contact.erasedAt === null) return contact;
  throw contactNotFound(contactId);
};

export const contactNotFound = (contactId: string): AppError =>
  new AppError(
    "NOT_FOUND",
    `No contact "${contactId.slice(0, 80)}" in this workspace. Use a contact id from the dashboard (ct_…), or send \`phone\` instead.`,
    { details: { field: "contactId", retryable: false } },
  );

const contactById = prepared((db) =>
  db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, sql.placeholder("workspaceId")), eq(contacts.id, sql.placeholder("contactId"))))
    .prepare("contact_by_id"),
);

const CONTACTS_PER_PAGE = 50;
/** A search is sorted among these: a person who finds more types another letter. */
const MOST_FOUND = 1_000;

/** Contacts, newest first, each with its last message and whether a flow waits for its answer. */
export const listContacts = (
  workspaceId: WorkspaceId,
  { search, older, newer }: PagePlace & { search: ContactSearch | undefined },
) =>
  readKeysetPage(
    { older, newer },
    {
      perPage: CONTACTS_PER_PAGE,
      read: (step) =>
        onDatabase((db) =>
          selectContacts(db)
            .where(
              and(
                eq(contacts.workspaceId, workspaceId),
                isNull(contacts.erasedAt),
                found(workspaceId, search),
                beyondCursor(BY_TIME, step),
              ),
            )
            .orderBy(...readingOrder(BY_TIME, step))
            .limit(step.limit),
        ),
      cursorOf: ({ createdAt, id }) => ({ createdAt, id }),
    },
  );

/** The contact as a page shows it, also after an erasure. */
export const findContact = async (workspaceId: WorkspaceId, contactId: string) => {
  const [contact] = await onDatabase((db) =>
    selectContacts(db).where(and(eq(contacts.workspaceId, workspaceId), eq(contacts.id, contactId))),
  );
  return contact;
};

export type ContactSummary = NonNullable<Awaited<ReturnType<typeof findContact>>>;

const BY_TIME = { at: contacts.createdAt, id: contacts.id };

const selectContacts = (db: Db) =>
  db
    .select({
      id: contacts.id,
      phone: contacts.phone,
      whatsappUserId: contacts.whatsappUserId,
      name: contacts.name,
      lastInboundAt: contacts.lastInboundAt,
      erasedAt: contacts.erasedAt,
      createdAt: contacts.createdAt,
      // Written out, because drizzle drops the tables' names in the columns of a select from one table.
      aliases: sql<string[]>`(
        select coalesce(json_agg(a.wa_id order by a.wa_id), '[]') from contact_aliases a
        where a.workspace_id = contacts.workspace_id and a.contact_id = contacts.id)`,
      lastMessage: sql<LastMessage | null>`(
        select json_build_object('id', m.id, 'at', m.created_at) from messages m
        where m.workspace_id = contacts.workspace_id and m.contact_id = contacts.id
        order by m.created_at desc, m.id desc limit 1)`.mapWith(
        ({ id, at }: { id: string; at: string }): LastMessage => ({ id, at: readInstant(at) }),
      ),
      hasOpenFlow: sql<boolean>`exists (
        select from flow_sessions s
        where s.workspace_id = contacts.workspace_id and s.contact_id = contacts.id and s.closed_at is null)`,
    })
    .from(contacts);

type LastMessage = { id: string; at: Date };

const found = (workspaceId: WorkspaceId, search: ContactSearch | undefined): SQL | undefined => {
  switch (search?.by) {
    case undefined:
      return undefined;
    case "id":
      return eq(contacts.id, search.id);
    case "phone":
      return withPhone(workspaceId, search.phones);
    case "name": {
      const pattern = `${search.prefix.replace(/[\\%_]/g, "\\$&")}%`;
      return amongFirst(sql`c.workspace_id = ${workspaceId} and lower(c.name) like ${pattern}`);
    }
    default:
      return search satisfies never;
  }
};

/** The contacts with one of the numbers, as their own or as another under which WhatsApp knows them. */
export const withPhone = (workspaceId: WorkspaceId, phones: PhoneMatch): SQL => sql`${contacts.id} in (
  (select c.id from contacts c where c.workspace_id = ${workspaceId} and ${isOnePhoneOf(sql`c.phone`, phones)}
    limit ${MOST_FOUND})
  union all
  (select a.contact_id from contact_aliases a
    where a.workspace_id = ${workspaceId} and ${isOnePhoneOf(sql`a.wa_id`, phones)} limit ${MOST_FOUND}))`;

const amongFirst = (condition: SQL): SQL =>
  sql`${contacts.id} in (select c.id from contacts c where ${condition} limit ${MOST_FOUND})`;
