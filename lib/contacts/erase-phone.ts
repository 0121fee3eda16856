import type { Fragment, Sql } from "postgres";
import { inTransaction, type Transaction } from "@/db/client";
import { lockPeople, onSql, rawSql } from "@/db/raw-sql";
import { closedBy } from "@/db/schema/messages";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { ERASED_PHONE } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, recorder } from "@/lib/workspaces/record-audit";
import { eraseContactEvents } from "./erase-events";
import { eraseRows } from "./erase-rows";
import { findPerson, type Given, type Person } from "./find-person";
import { emptied, isTheirs, listOf, PERSONAL_DATA, phoneDigest, placesBy } from "./personal-data";
import { contactNotFound } from "./recipient-queries";

/** The numbers of rows that an erasure removed, as the workspace's audit log has them. */
export type Erasure = {
  contacts: number;
  messages: number;
  /** Set if the person had stopped marketing, which is forgotten with their names: a later send is not refused. */
  forgotStop?: true;
};

/**
 * There is no index by number, because it would slow every send: an erasure reads messages in steps of this size,
 * so that each step stays far below the statement timeout, even on a busy database.
 */
const STEP = 500;

/**
 * Erases a recipient: number, name, contents and reasons are removed; ids, statuses, counts
 * and fingerprints stay, so replays still work. Each transaction that removed rows is audited, so an interrupted run
 * is logged, and it can be run again. Does not check permissions: the caller must.
 */
export function erasePhone(workspaceId: WorkspaceId, phone: string, by: Author): Promise<Erasure> {
  return erasePerson(workspaceId, { phone }, by);
}

/** The same for a contact, which may have no number. Both erase all the person's other names at WhatsApp, too. */
export function eraseContact(workspaceId: WorkspaceId, contactId: string, by: Author): Promise<Erasure> {
  return erasePerson(workspaceId, { contactId }, by);
}

async function erasePerson(workspaceId: WorkspaceId, given: Given, by: Author): Promise<Erasure> {
  const total: Erasure = { contacts: 0, messages: 0 };
  let person = await onSql((sql) => findPerson(sql, workspaceId, given));
  if (!person && "contactId" in given) throw contactNotFound(given.contactId);
  if (!person) throw new AppError("NOT_FOUND", "No such contact in this workspace.");
  while (person) person = await eraseFound({ person, given, by }, total);
  return total;
}

type Asked = { person: Person; given: Given; by: Author };

/** Adds to `total`. Returns the person if a webhook merged another contact into it meanwhile: then start over. */
async function eraseFound(asked: Asked, total: Erasure): Promise<Person | undefined> {
  let grown: Person | undefined;
  await eraseContactEvents(asked.person.workspaceId, asked.person.contactIds);
  for (let next: Place | undefined = BEGINNING; next; ) {
    const place: Place = next;
    const part = await inTransaction((tx) => erasePart(tx, asked, place));
    total.contacts += part.erasure.contacts;
    total.messages += part.erasure.messages;
    if (part.erasure.forgotStop) total.forgotStop = true;
    next = part.next;
    grown = part.grown;
  }
  // What arrived meanwhile; from now on a webhook about them is dropped.
  await eraseContactEvents(asked.person.workspaceId, asked.person.contactIds);
  return grown;
}

/** A keyset position: a timestamp as Postgres text, and an id. */
type Place = { createdAt: string; id: string };
type Step = { messages: number; next: Place | undefined };

const BEGINNING: Place = { createdAt: "-infinity", id: "" };

/** Selects the next step of all messages. */
const stepFrom = (sql: Sql, { workspaceId }: Person, { createdAt, id }: Place): Fragment => sql`
  select id, created_at from messages
  where workspace_id = ${workspaceId} and (created_at, id) > (${createdAt}::timestamptz, ${id})
  order by created_at, id limit ${STEP}`;

/** Selects messages of the last ten minutes: rows that arrived during the steps, or whose transactions committed late. */
const lately = (sql: Sql, { workspaceId, ...person }: Person): Fragment => sql`
  select id, created_at from messages
  where workspace_id = ${workspaceId} and created_at > now() - interval '10 minutes'
    and (phone = ${ERASED_PHONE} or ${isTo(sql, person)})`;

const isTo = (sql: Sql, person: Omit<Person, "workspaceId">): Fragment => isTheirs(sql, PERSONAL_DATA.messages, person);

/** Logs the erasure under the first identity, and under each further one that it was erased, too. */
async function logErasure(
  tx: Transaction,
  { workspaceId, identities }: Person,
  { by, erasure, isLast }: { by: Author; erasure: Erasure; isLast: boolean },
) {
  const logged = isLast ? identities : identities.slice(0, 1);
  const record = recorder(tx, workspaceId, by);
  for (const [index, identity] of logged.entries()) {
    const digest = phoneDigest(workspaceId, identity, env().KEY_PEPPER);
    await record("contact.erased", digest, { before: null, after: index === 0 ? erasure : NOTHING });
  }
}

/** Erases one step of messages, and after the last one everything else, with its audit rows. */
async function erasePart(
  tx: Transaction,
  { person, given, by }: Asked,
  place: Place,
): Promise<{ erasure: Erasure; next: Place | undefined; grown?: Person | undefined }> {
  // The lock keeps inbound messages entirely before or after the erasure.
  await lockPeople(rawSql(tx), [person.workspaceId]);
  const { messages, next } = await eraseStep(tx, person, stepFrom(rawSql(tx), person, place));
  // No contact is merged after this check, because merging takes the same lock.
  const grown = next ? undefined : await findIfMerged(rawSql(tx), person, given);
  const isLast = !next && !grown;
  const rest = isLast ? await eraseRest(tx, person) : NOTHING;
  const own = { ...rest, messages: messages + rest.messages };
  // Written even if nothing was left to erase, as proof that the erasure was requested and done.
  if (isLast || messages > 0) await logErasure(tx, person, { by, erasure: own, isLast });
  return { erasure: own, next, grown };
}

async function findIfMerged(sql: Sql, person: Person, given: Given): Promise<Person | undefined> {
  const now = await findPerson(sql, person.workspaceId, given);
  const known = new Set([...person.identities, ...person.contactIds]);
  return now && [...now.identities, ...now.contactIds].some((name) => !known.has(name)) ? now : undefined;
}

const NOTHING: Erasure = { contacts: 0, messages: 0 };

/** Erases the person's messages among these, including those under other numbers, and what is found by them. */
async function eraseStep(tx: Transaction, { workspaceId, ...person }: Person, these: Fragment): Promise<Step> {
  const sql = rawSql(tx);
  const [step] = await sql<{ seen: number; messages: number; created_at: string | null; id: string | null }[]>`
    with step as (${these}), locked as (
      -- Locked in the order that webhooks use, so that there is no deadlock.
      select id from messages
      where workspace_id = ${workspaceId} and id = any (array(select id from step)) and phone <> ${ERASED_PHONE}
        and ${isTo(sql, person)}
      order by id for no key update
    ), erased as (
      update messages set
        ${emptied(sql, "messages")}, contents_removed_at = coalesce(contents_removed_at, now()), updated_at = now()
      where workspace_id = ${workspaceId} and id = any (array(select id from locked))
      returning id
    ), last as (select created_at, id from step order by created_at desc, id desc limit 1)
    select (select count(*)::int from step) as seen, (select count(*)::int from erased) as messages,
      (select created_at from last) as created_at, (select id from last) as id`;
  // A separate statement, so that it sees an event from a webhook that the erasure has just waited for.
  const [found] = await sql<{ message: string; delivery: string }[]>`
    with erased as materialized (
      select id from messages
      where workspace_id = ${workspaceId} and phone = ${ERASED_PHONE} and id = any (array(select id from (${these}) step))
    )
    select (select coalesce(json_agg(id), '[]')::text from erased) as message,
      (select coalesce(json_agg(d.id), '[]')::text from erased cross join lateral (
        select d.id from webhook_deliveries d where d.workspace_id = ${workspaceId} and d.subject_id = erased.id offset 0
      ) d) as delivery`;
  for (const by of ["message", "delivery"] as const) {
    const ids = sql`any (array(select json_array_elements_text(${found?.[by] ?? "[]"}::text::json)))`;
    for (const { table, key } of placesBy(by)) {
      await eraseRows(sql, workspaceId, { table, rows: sql`${sql(key)} = ${ids}` });
    }
  }
  if (!step || step.seen < STEP || step.created_at === null || step.id === null) {
    return { messages: step?.messages ?? 0, next: undefined };
  }
  return { messages: step.messages, next: { createdAt: step.created_at, id: step.id } };
}

/** The contact is erased last, because its messages are found through it; a concurrent send waits for it. */
async function eraseRest(tx: Transaction, person: Person): Promise<Erasure> {
  const { workspaceId, identities, contactIds } = person;
  const sql = rawSql(tx);
  const theirs = sql`workspace_id = ${workspaceId} and erased_at is null and ${isTheirs(sql, PERSONAL_DATA.contacts, person)}`;
  const stops = await sql`
    select from contacts where ${theirs} and coalesce(marketing_opted_out_at, test_marketing_opted_out_at) is not null limit 1`;
  const contacts = await sql<{ id: string; merged_into: string | null }[]>`
    update contacts set ${emptied(sql, "contacts")}, erased_at = now() where ${theirs} returning id, merged_into`;
  const erased = { ...person, contactIds: [...contactIds, ...contacts.map(({ id }) => id)] };
  for (const place of placesBy("contact").filter(({ leaves }) => leaves === "no row")) {
    await eraseRows(sql, workspaceId, { table: place.table, rows: isTheirs(sql, place, erased) });
  }
  const { messages } = await eraseStep(tx, person, lately(sql, person));
  // An event without a known message still contains the number. Locked in the same order as webhooks.
  const isNamed = identities.map(
    (identity) => sql`position(${identity} in raw) > 0 or position(${identity} in failure_reason) > 0`,
  );
  await sql`
    with waiting as (
      select id from status_events
      where workspace_id = ${workspaceId} and message_id is null and (${isNamed.reduce((all, one) => sql`${all} or ${one}`)})
      order by phone_number_id, digest for no key update
    )
    update status_events e set ${emptied(sql, "status_events")}
    from waiting where e.workspace_id = ${workspaceId} and e.id = waiting.id`;
  await sql`
    update flow_sessions set ${closedBy(sql, "erasure")}
    where workspace_id = ${workspaceId} and contact_id in ${listOf(sql, contactIds)} and closed_at is null`;
  const counted = contacts.filter((contact) => contact.merged_into === null).length;
  return { contacts: counted, messages, ...(stops.length > 0 && { forgotStop: true }) };
}
