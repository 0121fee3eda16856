import { and, desc, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { literally, onSql, readInstant } from "@/db/raw-sql";
import type { ListReader } from "@/db/read-lists";
import { contacts } from "@/db/schema";
import { searchKey } from "@/lib/core/fold";
import { beyondCursor, type PageCursor, type PagePlace, readingOrder, readKeysetPage } from "@/lib/core/keyset-page";
import type { PhoneMatch } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ContactSearch } from "./contact-search";

/** The condition that a contact has the id, or that the contact with the id was merged into it. */
export function hasIdOrFormerId(workspaceId: SQLWrapper | string, contactId: SQLWrapper | string): SQL {
  return sql`${contacts.id} = (
  select coalesce(was.merged_into, was.id) from contacts was where was.workspace_id = ${workspaceId} and was.id = ${contactId})`;
}

/** Returns the ids that a person's messages and sessions may have: its own, and those of contacts merged into it. */
export async function idsOfContact(workspaceId: WorkspaceId, contactId: string): Promise<string[]> {
  const rows = await onSql(
    (sql) => sql<{ id: string }[]>`
      select c.id from contacts asked join contacts c on c.workspace_id = asked.workspace_id
        and coalesce(asked.merged_into, asked.id) in (c.id, c.merged_into)
      where asked.workspace_id = ${workspaceId} and asked.id = ${contactId}`,
  );
  return rows.map(({ id }) => id);
}

const CONTACTS_PER_PAGE = 50;
/** The most matches that a search sorts; users can narrow a broader one. */
const MAX_FOUND = 1_000;

/** Lists contacts, newest first, with the last message and whether a flow awaits a reply. */
export function listContacts(
  workspaceId: WorkspaceId,
  { search, older, newer }: PagePlace & { search: ContactSearch | undefined },
) {
  return readKeysetPage(
    { older, newer },
    {
      perPage: CONTACTS_PER_PAGE,
      read: (step) =>
        onDatabase(async (db) =>
          selectContacts(db)
            .where(
              and(
                rowsOf(contacts, workspaceId, { erasedAt: null, mergedInto: null }),
                search && (await isFoundBy(db, workspaceId, search)),
                beyondCursor(BY_TIME, step),
              ),
            )
            .orderBy(...readingOrder(BY_TIME, step))
            .limit(step.limit),
        ),
      cursorOf: ({ createdAt, id }) => ({ createdAt, id }),
    },
  );
}

const CONTACTS_AT_ONCE = 500;

/** Every contact with a number, newest first, a page at a time. */
export async function* numberPages(
  workspaceId: WorkspaceId,
  lists: ListReader,
): AsyncGenerator<Pick<ContactSummary, "phone" | "name" | "marketingOptedOutAt">[]> {
  for (let older: PageCursor | undefined; ; ) {
    const step = { direction: "older", cursor: older } as const;
    const rows = await lists.read(() =>
      onDatabase((db) =>
        db
          .select(columnsOf(contacts, "id", "createdAt", "phone", "name", "marketingOptedOutAt"))
          .from(contacts)
          .where(
            and(
              rowsOf(contacts, workspaceId, { erasedAt: null, mergedInto: null }),
              isNotNull(contacts.phone),
              beyondCursor(BY_TIME, step),
            ),
          )
          .orderBy(...readingOrder(BY_TIME, step))
          .limit(CONTACTS_AT_ONCE),
      ),
    );
    yield rows;
    older = rows.at(-1);
    if (rows.length < CONTACTS_AT_ONCE) return;
  }
}

/** Returns the contact for its page, even after an erasure. */
export async function findContact(workspaceId: WorkspaceId, contactId: string) {
  // Postgres rejects text with a NUL.
  if (contactId.includes("\0")) return undefined;
  const [contact] = await onDatabase((db) =>
    selectContacts(db).where(and(rowsOf(contacts, workspaceId), hasIdOrFormerId(workspaceId, contactId))),
  );
  return contact;
}

export type ContactSummary = NonNullable<Awaited<ReturnType<typeof findContact>>>;

const BY_TIME = { at: contacts.createdAt, id: contacts.id };

const selectContacts = (db: Db) =>
  db
    .select({
      ...columnsOf(contacts, "id", "phone", "whatsappUserId", "name", "lastInboundAt", "erasedAt", "createdAt"),
      ...columnsOf(contacts, "marketingOptedOutAt", "marketingOptOutSource"),
      ...columnsOf(contacts, "testMarketingOptedOutAt", "testMarketingOptOutSource"),
      // Raw SQL, because drizzle omits table names from columns in a single-table select.
      names: sql<KnownName[]>`(
        select coalesce(json_agg(json_build_object(
          'name', n.name, 'firstSeenAt', n.first_seen_at, 'lastSeenAt', n.last_seen_at, 'isLeft', n.is_left,
          'leftAt', least(n.left_at, n.taken_at))
          order by n.is_left, n.last_seen_at desc nulls last, n.first_seen_at desc, n.name), '[]')
        from contact_names n where n.workspace_id = contacts.workspace_id and n.contact_id = contacts.id)`.mapWith(
        (names: RawName[]): KnownName[] => names.map(toKnownName),
      ),
      // Messages keep the contact that they were sent to, even if it was merged into this one.
      lastMessageAt: sql<Date | null>`(
        select m.created_at from contacts was cross join lateral (
          select created_at from messages
          where workspace_id = was.workspace_id and contact_id = was.id order by created_at desc, id desc limit 1
        ) m
        where was.workspace_id = contacts.workspace_id and contacts.id in (was.id, was.merged_into)
        order by m.created_at desc limit 1)`.mapWith(contacts.createdAt),
      hasOpenFlow: sql<boolean>`exists (
        select from flow_sessions s
        where s.workspace_id = contacts.workspace_id and s.contact_id = contacts.id and s.closed_at is null)`,
    })
    .from(contacts);

/** A current or former number or user id of the person at WhatsApp. */
export type KnownName = {
  name: string;
  firstSeenAt: Date;
  lastSeenAt: Date | null;
  isLeft: boolean;
  leftAt: Date | null;
};
type RawName = { name: string; firstSeenAt: string; lastSeenAt: string | null; isLeft: boolean; leftAt: string | null };

const toKnownName = ({ firstSeenAt, lastSeenAt, leftAt, ...rest }: RawName): KnownName => ({
  ...rest,
  firstSeenAt: readInstant(firstSeenAt),
  lastSeenAt: lastSeenAt === null ? null : readInstant(lastSeenAt),
  leftAt: leftAt === null ? null : readInstant(leftAt),
});

/** The condition that a contact is one that was searched for. */
export async function isFoundBy(db: Db, workspaceId: WorkspaceId, search: ContactSearch): Promise<SQL> {
  switch (search.by) {
    case "id":
      return hasIdOrFormerId(workspaceId, search.id);
    case "phone":
      return search.part === undefined
        ? withPhone(workspaceId, search.phones)
        : sql`(${withPhone(workspaceId, search.phones)} or ${withDigits(workspaceId, search.part)})`;
    case "name":
      return withName(db, workspaceId, search.prefix);
    default:
      return search satisfies never;
  }
}

/** The most names of a workspace through which a search looks for a word or digits within them, about 0.3 s of Postgres. */
const MAX_LOOKED_THROUGH = 1_000_000;
/** What words of a name are behind. */
const BEFORE_A_WORD = [" ", "-", "'", "’", "(", ".", "/"];

async function withName(db: Db, workspaceId: WorkspaceId, prefix: string): Promise<SQL> {
  const waiting = JSON.stringify(await waitingWithName(db, workspaceId, prefix));
  const hasWord = prefix.split(" ").map((word) => {
    const patterns = BEFORE_A_WORD.map((before) => `%${before}${literally(word)}%`);
    // The first condition leaves few names to the second, which takes seven times as long.
    return sql`n.folded_name like ${`%${literally(word)}%`}
      and ' ' || n.folded_name like any (array(select json_array_elements_text(${JSON.stringify(patterns)}::text::json)))`;
  });
  // The inner names come from the index alone.
  return sql`${contacts.id} in (
    (select c.id from contacts c
      where c.workspace_id = ${workspaceId} and c.folded_name like ${`${literally(prefix)}%`} limit ${MAX_FOUND})
    union all
    (select c.id from contacts c where c.workspace_id = ${workspaceId} and c.folded_name = any (array(
      select n.folded_name from (
        select folded_name from contacts
        where workspace_id = ${workspaceId} and folded_name is not null limit ${MAX_LOOKED_THROUGH}) n
      where ${and(...hasWord)} limit ${MAX_FOUND})) limit ${MAX_FOUND})
    union all select json_array_elements_text(${waiting}::text::json))`;
}

/** Among the newest contacts whose names the sweeper has not folded yet. */
async function waitingWithName(db: Db, workspaceId: WorkspaceId, prefix: string): Promise<string[]> {
  const rows = await db
    .select(columnsOf(contacts, "id", "name"))
    .from(contacts)
    .where(and(rowsOf(contacts, workspaceId, { foldedName: null }), isNotNull(contacts.name)))
    .orderBy(desc(contacts.id))
    .limit(MAX_FOUND);
  return rows.filter(({ name }) => hasWords(searchKey(name ?? ""), prefix)).map(({ id }) => id);
}

function hasWords(name: string, prefix: string): boolean {
  return prefix.split(" ").every((word) => BEFORE_A_WORD.some((before) => ` ${name}`.includes(`${before}${word}`)));
}

/** The condition that a contact has or had a number with the digits in it. A user id is no number. */
function withDigits(workspaceId: WorkspaceId, digits: string): SQL {
  return sql`${contacts.id} in (
  select n.contact_id from (
    select contact_id, name from contact_names where workspace_id = ${workspaceId} limit ${MAX_LOOKED_THROUGH}) n
  where n.name like ${`%${digits}%`} and n.name !~ '[^0-9]' limit ${MAX_FOUND})`;
}

/** The condition that a contact has or had one of the numbers: the index reads the range, the pattern filters within it. */
export function withPhone(workspaceId: WorkspaceId, { from, to, like }: PhoneMatch): SQL {
  return sql`${contacts.id} in (
  select n.contact_id from contact_names n
  where n.workspace_id = ${workspaceId} and n.name between ${from} and ${to} and n.name like ${like} limit ${MAX_FOUND})`;
}
