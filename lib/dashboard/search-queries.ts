import { and, desc, eq, ilike, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { type Db, onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { literally } from "@/db/raw-sql";
import {
  apiKeys,
  apiRequests,
  contacts,
  messages,
  phoneNumbers,
  type Role,
  templates,
  webhookDeliveries,
  webhookEndpoints,
} from "@/db/schema";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { hasIdOrFormerId, isFoundBy, withPhone } from "@/lib/contacts/queries";
import { searchedPhones, shownContact, shownRecipient } from "@/lib/contacts/recipient";
import type { WorkspaceId } from "@/lib/core/principal";
import type { SearchTerm } from "@/lib/core/search-term";
import { ERROR_CATALOGUE, isErrorCode } from "@/lib/docs/error-catalogue";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import { isEndpoint } from "@/lib/outgoing/endpoint-queries";
import { hasInName } from "@/lib/templates/queries";
import { can } from "@/lib/workspaces/roles";

/** A search result: its title, a detail and the page's path. */
type Found = { word: string; detail: string; path: string };

const MAX_OF_A_KIND = 5;

/** Returns everything in the workspace that matches the search term and is visible to `role`. */
export function findByTerm(workspaceId: WorkspaceId, term: SearchTerm, role: Role): Promise<Found[]> {
  return onDatabase(async (db) => {
    const search: Search = { db, workspaceId, role };
    switch (term.kind) {
      case "id":
        return BY_PREFIX[term.prefix]?.(search, term.id) ?? [];
      case "whatsappMessageId":
        return findMessages(search, ofLine(search, eq(messages.whatsappMessageId, term.whatsappMessageId)));
      case "apiKey":
        return findKey(search, eq(apiKeys.apiKey, term.apiKey));
      case "text": {
        const { text } = term;
        const found = await Promise.all([
          findPeople(search, term),
          findMessages(search, ofEitherMode(eq(messages.idempotencyKey, text))),
          findRequests(search, eq(apiRequests.idempotencyKey, text)),
          findLines(
            search,
            or(
              eq(phoneNumbers.whatsappPhoneNumberId, text),
              hasDigits(term.phone),
              ilike(phoneNumbers.label, including(text)),
            ),
          ),
          findTemplates(search, hasInName(text)),
          findKey(search, ilike(apiKeys.label, including(text))),
          findEndpoint(search, ilike(webhookEndpoints.label, including(text))),
        ]);
        return [...findErrors(text), ...found.flat()];
      }
      default:
        return term satisfies never;
    }
  });
}

type Search = { db: Db; workspaceId: WorkspaceId; role: Role };
type Condition = SQL | undefined;

/** What an id is of, by its prefix. */
const BY_PREFIX: Record<string, (search: Search, id: string) => Promise<Found[]>> = {
  msg: (search, id) => findMessages(search, eq(messages.id, id)),
  req: (search, id) => findRequests(search, eq(apiRequests.id, id)),
  pn: (search, id) => findLines(search, eq(phoneNumbers.id, id)),
  ct: (search, id) => findContacts(search, hasIdOrFormerId(search.workspaceId, id)),
  key: (search, id) => findKey(search, eq(apiKeys.id, id)),
  tpl: (search, id) => findTemplates(search, eq(templates.id, id)),
  whe: (search, id) => findEndpoint(search, isEndpoint(search.workspaceId, id)),
  whd: (search, id) => findDelivery(search, id),
};

type Own = PgTable & { workspaceId: PgColumn };

/** Some columns of a few rows of the workspace. */
const firstRows = <Table extends Own, Name extends keyof Table["_"]["columns"]>(
  { db, workspaceId }: Search,
  table: Table,
  names: readonly Name[],
  condition: Condition,
) =>
  db
    .select(columnsOf(table, ...names))
    .from(table as Own)
    .where(and(eq(table.workspaceId, workspaceId), condition))
    .limit(MAX_OF_A_KIND);

async function findMessages(search: Search, condition: Condition): Promise<Found[]> {
  const columns = ["id", "phone", "status", "mode"] as const;
  const found = await firstRows(search, messages, columns, condition).orderBy(desc(messages.createdAt));
  return found.map(({ id, phone, status, mode }) => ({
    word: `Message to ${shownRecipient(phone, search.role)}`,
    detail: `${mode}, ${status.toLowerCase()} · ${id}`,
    path: `/dashboard/messages/${id}`,
  }));
}

async function findRequests(search: Search, condition: Condition): Promise<Found[]> {
  const columns = ["id", "method", "path", "status", "errorCode"] as const;
  const found = await firstRows(search, apiRequests, columns, condition).orderBy(desc(apiRequests.at));
  return found.map((request) => ({
    word: `Request ${request.status}${request.errorCode ? ` ${request.errorCode}` : ""}`,
    detail: `${request.method} ${request.path} · ${request.id}`,
    path: `/dashboard/requests/${request.id}`,
  }));
}

async function findLines(search: Search, condition: Condition): Promise<Found[]> {
  const found = await firstRows(search, phoneNumbers, ["id", "label", "displayPhoneNumber"], condition);
  return found.map((line) => ({
    word: `Line ${line.label}`,
    detail: `${line.displayPhoneNumber} · ${line.id}`,
    path: `/dashboard/phone-numbers/${line.id}`,
  }));
}

async function findContacts(search: Search, condition: Condition): Promise<Found[]> {
  const isThere = and(isNull(contacts.erasedAt), condition);
  const found = await firstRows(search, contacts, ["id", "name", "phone", "whatsappUserId"], isThere);
  return found.map((contact) => ({
    word: `Contact ${contact.name ?? shownContact(contact, search.role)}`,
    detail: `${shownContact(contact, search.role)} · ${contact.id}`,
    path: `/dashboard/contacts/${contact.id}`,
  }));
}

async function findTemplates(search: Search, condition: Condition): Promise<Found[]> {
  const found = await firstRows(search, templates, ["id", "name", "language"], condition);
  return found.map(({ id, name, language }) => ({
    word: `Template ${name}`,
    detail: `${language} · ${id}`,
    path: `/dashboard/templates/${id}`,
  }));
}

/** Finds the page of an error code, WhatsApp's or ours. */
function findErrors(text: string): Found[] {
  const code = text.toUpperCase();
  if (isErrorCode(code)) {
    return [{ word: ERROR_CATALOGUE[code].title, detail: code, path: `/docs/errors/${code}` }];
  }
  const page = /^\d{1,6}$/.test(text) ? explainPlatformCode(Number(text)) : undefined;
  if (!page) return [];
  return [{ word: page.title, detail: `WhatsApp error ${page.code}`, path: `/docs/errors/platform/${page.code}` }];
}

/** For members there are no keys. */
async function findKey(search: Search, condition: Condition): Promise<Found[]> {
  if (!can(search.role, "seeApiKeys")) return [];
  const found = await firstRows(search, apiKeys, ["id", "label", "apiKey"], condition);
  return found.map(({ id, label, apiKey }) => ({
    word: `Key ${label}`,
    detail: apiKey,
    path: `/dashboard/settings/api-keys/${id}`,
  }));
}

/** For members there are no endpoints. */
async function findEndpoint(search: Search, condition: Condition): Promise<Found[]> {
  if (!can(search.role, "manageWebhooks")) return [];
  const found = await firstRows(search, webhookEndpoints, ["id", "label", "url"], condition);
  return found.map(({ id, label, url }) => ({
    word: `Webhook ${label}`,
    detail: url,
    path: `/dashboard/settings/webhooks/${id}`,
  }));
}

/** Finds a delivery by its `webhook-id`, which receivers log. */
async function findDelivery(search: Search, id: string): Promise<Found[]> {
  const columns = ["endpointId", "type", "state"] as const;
  const [delivery] = await firstRows(search, webhookDeliveries, columns, eq(webhookDeliveries.id, id));
  const endpoints = delivery ? await findEndpoint(search, isEndpoint(search.workspaceId, delivery.endpointId)) : [];
  return endpoints.map(({ word, path }) => ({
    word: `${word}, ${delivery?.type}`,
    detail: `${delivery?.state.toLowerCase()} · ${id}`,
    path: `${path}/deliveries/${id}`,
  }));
}

/** Finds people by their number as it was written, or by a name or a part of a number. */
async function findPeople(search: Search, { text, phone }: { text: string; phone: string | undefined }) {
  const found = phone === undefined ? [] : await findPhone(search, phone);
  const people = readContactSearch(text, search.role);
  if (found.length > 0 || people === undefined) return found;
  const areThose = await isFoundBy(search.db, search.workspaceId, people);
  return findContacts(search, and(isNull(contacts.mergedInto), areThose));
}

/** Finds a recipient's messages and contacts. */
async function findPhone(search: Search, phone: string): Promise<Found[]> {
  const people = await findContacts(search, withPhone(search.workspaceId, searchedPhones(phone, search.role)));
  if (people.length === 0) return [];
  const sent = {
    word: `Messages to ${shownRecipient(phone, search.role)}`,
    detail: "Everything that was sent to this number",
    path: `/dashboard/messages?${new URLSearchParams({ q: `+${phone}` })}`,
  };
  return [sent, ...people];
}

/** WhatsApp's ids are indexed by line, the keys of callers by mode. */
const ofLine = ({ db, workspaceId }: Search, condition: Condition): Condition =>
  and(
    inArray(
      messages.phoneNumberId,
      db.select({ id: phoneNumbers.id }).from(phoneNumbers).where(eq(phoneNumbers.workspaceId, workspaceId)),
    ),
    condition,
  );

const ofEitherMode = (condition: Condition): Condition => and(inArray(messages.mode, ["live", "test"]), condition);

const including = (text: string): string => `%${literally(text)}%`;

const hasDigits = (phone: string | undefined): Condition =>
  phone === undefined ? undefined : sql`regexp_replace(${phoneNumbers.displayPhoneNumber}, '\\D', '', 'g') = ${phone}`;
