import { and, asc, type Column, count, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import type { ListReader } from "@/db/read-lists";
import { contacts, messages, phoneNumbers, statusEvents } from "@/db/schema";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { idsOfContact, isFoundBy, withPhone } from "@/lib/contacts/queries";
import { searchedPhones } from "@/lib/contacts/recipient";
import { type PageCursor, type PagePlace, type PageStep, readingOrder, readKeysetPage } from "@/lib/core/keyset-page";
import { timeOfId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { readSearchTerm } from "@/lib/core/search-term";
import { type MessageSummary, type Shows, selectMessage, selectMessages } from "@/lib/messages/message-summary";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { beyond, beyondCount, beyondInRange, foundInRanges, inMode, messagesOf, ofRequest } from "./conditions";
import { listQuarters, QUARTER_MS, QUARTERS_AT_ONCE, rolledUpUntil, sumCounts } from "./count-queries";
import type { LogView } from "./log-view";
import { clip, merge, rangesOf, type TimeRange } from "./time-ranges";

const MESSAGES_PER_PAGE = 50;
const MAX_COUNTED = 1_000;
const MAX_COUNTED_LATELY = 10_000;

type PageOptions = { perPage?: number; shows?: Shows };

/** A page of the log, newest first. */
export function listMessages(
  view: LogView,
  place: PagePlace,
  { perPage = MESSAGES_PER_PAGE, shows = {} }: PageOptions = {},
) {
  return onDatabase(async (db) => {
    const selection = await selectionOf(db, view);
    return readKeysetPage(place, {
      perPage,
      read: (step) => read(db, view, { selection, shows, ...step }),
      cursorOf: ({ createdAt, id }) => ({ createdAt, id }),
    });
  });
}

/** Returns a message and its WhatsApp events in order of arrival, without secrets and contents. */
export function findMessageWithEvents(workspaceId: WorkspaceId, messageId: string) {
  return onDatabase(async (db) => {
    const [[message], events] = await Promise.all([
      selectMessage(db).where(and(eq(messages.workspaceId, workspaceId), eq(messages.id, messageId))),
      db
        .select({
          id: statusEvents.id,
          status: statusEvents.status,
          failureCode: statusEvents.failureCode,
          failureReason: statusEvents.failureReason,
          occurredAt: statusEvents.occurredAt,
          receivedAt: statusEvents.receivedAt,
          repeats: statusEvents.repeats,
          hasRaw: sql<boolean>`${statusEvents.raw} is not null`,
        })
        .from(statusEvents)
        .where(and(eq(statusEvents.workspaceId, workspaceId), eq(statusEvents.messageId, messageId)))
        .orderBy(asc(statusEvents.receivedAt), asc(statusEvents.occurredAt), asc(statusEvents.id)),
    ]);
    return message && { ...message, events };
  });
}

export type MessageWithEvents = NonNullable<Awaited<ReturnType<typeof findMessageWithEvents>>>;

/** Every page of the log in turn, newest first. */
export async function* messagePages(
  view: LogView,
  rowsPerPage: number,
  lists: ListReader,
): AsyncGenerator<MessageSummary[]> {
  for (let older: PageCursor | undefined; ; ) {
    const page = await lists.read(() => listMessages(view, { older }, { perPage: rowsPerPage }));
    yield page.rows;
    older = page.older;
    if (!older) return;
  }
}

/** Returns an approximate count: the roll-up lags slightly, and a recipient's count stops at 1,000. */
export function countMessages(view: LogView): Promise<{ count: number; isMore: boolean }> {
  return onDatabase(async (db) => {
    const selection = await selectionOf(db, view);
    if (selection.by === "nothing") return { count: 0, isMore: false };
    if (selection.by === "condition") return countUpTo(db, and(messagesOf(view), selection.condition), MAX_COUNTED);
    const since = await rolledUpUntil(db);
    const [earlier, lately] = await Promise.all([
      since ? sumCounts(db, view, since) : 0,
      countUpTo(db, and(messagesOf(view), inMode(view), since ? from(since) : undefined), MAX_COUNTED_LATELY),
    ]);
    return { count: earlier + lately.count, isMore: lately.isMore };
  });
}

/** Returns the number of messages since the first one shown, up to 100. */
export function countNewer(view: LogView, shown: PageCursor): Promise<number> {
  return onDatabase(async (db) => {
    const selection = await selectionOf(db, view);
    if (selection.by === "nothing") return 0;
    const which = selection.by === "condition" ? selection.condition : inMode(view);
    return (await countUpTo(db, and(messagesOf(view), which, beyond("newer", shown)), 100)).count;
  });
}

/** How the rows are found: by time alone, or by a condition that has an index of its own. */
type Selection = { by: "time" } | { by: "condition"; condition: SQL | undefined } | { by: "nothing" };

/** Searches an id in both modes, because its holder may not know the mode. */
async function selectionOf(db: Db, view: LogView): Promise<Selection> {
  const { q, recipient } = view.filters;
  const sentTo = recipient === undefined ? undefined : await sentToPhone(db, view, phoneOf(recipient));
  if (recipient !== undefined && sentTo === undefined) return { by: "nothing" };
  if (q === undefined) return sentTo ? { by: "condition", condition: and(sentTo, inMode(view)) } : { by: "time" };
  const searched = await searchedFor(db, view, q);
  return searched ? { by: "condition", condition: and(searched, sentTo) } : { by: "nothing" };
}

async function searchedFor(db: Db, view: LogView, q: string): Promise<SQL | undefined> {
  const { workspaceId } = view;
  const term = readSearchTerm(q);
  switch (term?.kind) {
    case "id": {
      const { id, prefix } = term;
      if (prefix === "msg") return eq(messages.id, id);
      if (prefix === "req") return ofRequest(workspaceId, id, timeOfId(id));
      if (prefix !== "ct") return undefined;
      return isAmong(messages.contactId, await idsOfContact(workspaceId, id));
    }
    // WhatsApp's ids are indexed by line, the keys of callers by mode.
    case "whatsappMessageId":
      return and(
        inArray(
          messages.phoneNumberId,
          db.select({ id: phoneNumbers.id }).from(phoneNumbers).where(rowsOf(phoneNumbers, workspaceId)),
        ),
        eq(messages.whatsappMessageId, term.whatsappMessageId),
      );
    case "text": {
      const isBound = rowsOf(messages, workspaceId, { idempotencyKey: term.text });
      const bound = await db
        .select({ id: messages.id })
        .from(messages)
        .where(and(isBound, inArray(messages.mode, ["live", "test"])));
      const sentTo = await sentToFound(db, view, q);
      return or(isAmong(messages.id, idsOf(bound)), sentTo && and(sentTo, inMode(view)));
    }
    default:
      return undefined;
  }
}

function phoneOf(given: string): string | undefined {
  const term = readSearchTerm(given);
  return term?.kind === "text" ? term.phone : undefined;
}

const isAmong = (column: Column, ids: readonly string[]): SQL | undefined =>
  ids.length === 0 ? undefined : inArray(column, [...ids]);

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** More than the phones that the mask of a typical 12-digit number can stand for. */
const MAX_PEOPLE = 1_000;

function sentToPhone(db: Db, { workspaceId, role }: LogView, phone: string | undefined) {
  if (phone === undefined) return undefined;
  return sentToPeople(db, workspaceId, withPhone(workspaceId, searchedPhones(phone, role)));
}

/** Those whose name or number a text is, or a part of it. */
async function sentToFound(db: Db, { workspaceId, role }: Pick<LogView, "workspaceId" | "role">, q: string) {
  const search = readContactSearch(q, role);
  return search && sentToPeople(db, workspaceId, await isFoundBy(db, workspaceId, search));
}

/** Returns the ids of the newest 1,000 messages to people whose name or number `q` is, or a part of it. */
export function newestTo({ workspaceId, role, mode }: Pick<LogView, "workspaceId" | "role" | "mode">, q: string) {
  return onDatabase(async (db) => {
    const sentTo = await sentToFound(db, { workspaceId, role }, q);
    if (!sentTo) return [];
    const found = await db
      .select({ id: messages.id })
      .from(messages)
      .where(and(rowsOf(messages, workspaceId, { mode }), sentTo))
      .orderBy(desc(messages.createdAt))
      .limit(MAX_COUNTED);
    return idsOf(found);
  });
}

async function sentToPeople(db: Db, workspaceId: WorkspaceId, areThose: SQL): Promise<SQL | undefined> {
  const found = await db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(rowsOf(contacts, workspaceId), areThose))
    .limit(MAX_PEOPLE);
  const isFormer = isAmong(contacts.mergedInto, idsOf(found));
  if (!isFormer) return undefined;
  const former = await db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(rowsOf(contacts, workspaceId), isFormer));
  return isAmong(messages.contactId, idsOf([...found, ...former]));
}

type Reading = PageStep & { selection: Selection; shows: Shows };

async function read(db: Db, view: LogView, reading: Reading): Promise<MessageSummary[]> {
  const { selection, direction, cursor } = reading;
  if (selection.by === "nothing") return [];
  if (selection.by === "time") return readByTime(db, view, reading);
  return inOrder(db, and(messagesOf(view), selection.condition, beyond(direction, cursor)), reading);
}

/**
 * Messages have no index by status or key, because it would slow every send. The roll-up knows which quarters of an
 * hour hold matches, and only those are read; what it has not counted yet is read in full.
 */
async function readByTime(db: Db, view: LogView, reading: Reading): Promise<MessageSummary[]> {
  const { direction, cursor, limit } = reading;
  const countedUntil = await rolledUpUntil(db);
  const uncounted: TimeRange = { since: countedUntil, until: null };
  const within = (after: Date | undefined) =>
    and(
      messagesOf(view),
      inMode(view),
      cursor && beyondInRange(direction, cursor),
      after && beyondCount(messages.createdAt, direction, after, QUARTER_MS),
    );
  const rows: MessageSummary[] = [];
  for (let after: Date | undefined, isFirst = true; ; isFirst = false) {
    const quarters = countedUntil ? await listQuarters(db, view, { direction, cursor, countedUntil, after }) : [];
    const isLast = quarters.length < QUARTERS_AT_ONCE;
    const hasUncounted = direction === "older" ? isFirst : isLast;
    const all = merge([...rangesOf(quarters, QUARTER_MS), ...(hasUncounted ? [uncounted] : [])]);
    const ranges = cursor ? clip(all, direction, cursor.createdAt) : all;
    const wanted = limit - rows.length;
    const found = foundInRanges(ranges, { where: within(after), direction, limit: wanted });
    if (ranges.length > 0) {
      const where = and(eq(messages.workspaceId, view.workspaceId), found);
      rows.push(...(await inOrder(db, where, { ...reading, limit: wanted })));
    }
    if (isLast || rows.length >= limit) return rows;
    after = quarters.at(-1);
  }
}

const from = (since: Date) => sql`${messages.createdAt} >= ${since.toISOString()}::timestamptz`;

const inOrder = (db: Db, where: SQL | undefined, { direction, limit, shows }: Omit<Reading, "selection">) =>
  selectMessages(db, shows)
    .where(where)
    .orderBy(...readingOrder({ at: messages.createdAt, id: messages.id }, { direction }))
    .limit(limit);

async function countUpTo(db: Db, where: SQL | undefined, most: number) {
  const some = db
    .select({ id: messages.id })
    .from(messages)
    .where(where)
    .limit(most + 1)
    .as("some");
  const [row] = await db.select({ count: count() }).from(some);
  const found = row?.count ?? 0;
  return { count: Math.min(found, most), isMore: found > most };
}
