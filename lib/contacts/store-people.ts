import type { Sql } from "postgres";
import { inTransaction, type PoolName, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { retry } from "@/lib/core/deadline";
import { newId } from "@/lib/core/new-id";
import { provenWorkspaceId } from "@/lib/core/principal";
import { recorder, WHATSAPP } from "@/lib/workspaces/record-audit";
import { announceContacts } from "./announce-contacts";
import { currentUserId, leftNames } from "./names";
import { type Given, joinPeople, type Moved, type Person, type Seen } from "./people";

/** An event about a person, in one workspace. */
export type PersonEvent = { workspaceId: string } & (Seen | Moved | Given);

/** Who an event is about, as stored before all of them (undefined if new) and after; null if it proves nothing. */
export type Stored = { before: Person | undefined; after: Person } | null;

const MAX_ATTEMPTS = 5;

/** A concurrent send has just created a contact with the number. */
class NumberTaken extends Error {}

/** Runs `work` in a transaction, retrying on NumberTaken: a retry finds the contact. Throws DatabaseUnavailable. */
export function storingPeople<T>(work: (tx: Transaction) => Promise<T>, pool?: PoolName): Promise<T> {
  return retryIfTaken(() => inTransaction(work, pool && { pool }));
}

/** `storePeople` in a transaction of the caller's, which such a race does not end. */
export function storePeopleWithin(tx: Transaction, events: readonly PersonEvent[]): Promise<Stored[]> {
  return retryIfTaken(() => tx.transaction((step) => storePeople(step, events)));
}

function retryIfTaken<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, { attempts: MAX_ATTEMPTS, retryIf: (error) => error instanceof NumberTaken });
}

/**
 * Decides whose the names in the events are, and stores it: new contacts, names, numbers, 24-hour windows; merges contacts
 * that are one person. Every name that gets a contact comes through here, or is a first message's (`claimMessage`).
 * The workspaces must be locked (`lockPeople`). Returns the person of each event.
 */
export async function storePeople(tx: Transaction, events: readonly PersonEvent[]): Promise<Stored[]> {
  const stored: Stored[] = events.map(() => null);
  if (events.length === 0) return stored;
  const sql = rawSql(tx);
  const [known, nowMs] = [await loadPeople(sql, events), Date.now()];
  let made = 0;
  for (const workspaceId of new Set(events.map((event) => event.workspaceId))) {
    const own = [...events.entries()].filter(([, event]) => event.workspaceId === workspaceId);
    const before: Known = known.get(workspaceId) ?? { people: [], merged: new Map() };
    const joined = joinPeople(
      before.people,
      own.map(([, event]) => asKnown(event, before.merged)),
      // In their order, by which the elder of two is known.
      () => newId("ct", nowMs + made++),
    );
    const [former, now] = [before.people, joined.people].map(byId);
    for (const [place, [index]] of own.entries()) {
      const id = joined.contactIds[place] ?? "";
      const after = now?.get(id);
      stored[index] = after ? { before: former?.get(id), after } : null;
    }
    await mergeContacts(tx, workspaceId, { merged: joined.merged, before: before.people });
    await writePeople(sql, workspaceId, { before: before.people, after: joined.people });
  }
  return stored;
}

function byId(people: readonly Person[]): Map<string, Person> {
  return new Map(people.map((person) => [person.id, person]));
}

/** Replaces a contact that was merged into another since the caller read it. */
function asKnown(event: PersonEvent, merged: ReadonlyMap<string, string>): PersonEvent {
  const now = (id: string | null) => (id === null ? null : (merged.get(id) ?? id));
  if (event.kind === "seen") return { ...event, sentTo: now(event.sentTo) };
  return event.kind === "given" ? { ...event, contactId: now(event.contactId) } : event;
}

type Known = { people: Person[]; merged: Map<string, string> };

/** Loads everyone who has or had a name that an event mentions, or is mentioned, by workspace. */
async function loadPeople(sql: Sql, events: readonly PersonEvent[]): Promise<Map<string, Known>> {
  const names = events.flatMap((event) => namesIn(event).map((name) => ({ workspace_id: event.workspaceId, name })));
  const contacts = events.flatMap((event) => {
    const id = event.kind === "seen" ? event.sentTo : event.kind === "given" ? event.contactId : null;
    return id === null ? [] : [{ workspace_id: event.workspaceId, id }];
  });
  const rows = await sql<(Person & { workspaceId: string; formerIds: string[] })[]>`
    with wanted as (
      select n.workspace_id, n.contact_id as id
      from json_to_recordset(${JSON.stringify(names)}::text::json) as given (workspace_id text, name text)
      join contact_names n using (workspace_id, name)
      union
      select c.workspace_id, coalesce(c.merged_into, c.id)
      from json_to_recordset(${JSON.stringify(contacts)}::text::json) as given (workspace_id text, id text)
      join contacts c using (workspace_id, id)
    )
    select c.workspace_id as "workspaceId", c.id, c.phone, c.name as "displayName",
      ${ms(sql, "c.created_at")} as "createdMs", ${ms(sql, "c.last_inbound_at")} as "lastInboundMs",
      case when c.marketing_preference_at is not null then json_build_object(
        'isStop', c.marketing_opted_out_at is not null, 'source', coalesce(c.marketing_opt_out_source, 'whatsapp'),
        'atMs', ${ms(sql, "c.marketing_preference_at")}) end as preference,
      (select coalesce(json_agg(f.id), '[]') from contacts f
        where f.workspace_id = c.workspace_id and f.merged_into = c.id) as "formerIds",
      (select coalesce(json_agg(json_build_object(
          'name', n.name, 'account', n.account, 'firstSeenMs', ${ms(sql, "n.first_seen_at")},
          'lastSeenMs', ${ms(sql, "n.last_seen_at")}, 'arrivedMs', ${ms(sql, "n.arrived_at")},
          'leftMs', ${ms(sql, "n.left_at")}, 'takenMs', ${ms(sql, "n.taken_at")})), '[]')
        from contact_names n where n.workspace_id = c.workspace_id and n.contact_id = c.id) as names
    from wanted join contacts c using (workspace_id, id)
    where c.erased_at is null and c.merged_into is null`;
  const known = new Map<string, Known>();
  for (const { workspaceId, formerIds, ...person } of rows) {
    const own: Known = known.get(workspaceId) ?? { people: [], merged: new Map() };
    known.set(workspaceId, own);
    own.people.push(person);
    for (const id of formerIds) own.merged.set(id, person.id);
  }
  return known;
}

const ms = (sql: Sql, column: string) => sql`round(extract(epoch from ${sql(column)}) * 1000)::float8`;

function namesIn(event: PersonEvent): string[] {
  if (event.kind === "given") return [event.number];
  const names =
    event.kind === "seen"
      ? [...event.numbers, event.userId]
      : [event.from.number, event.from.userId, event.to.number, event.to.userId];
  return names.filter((name) => name !== null);
}

/** Moves names and sessions to the remaining contacts. Merged ones keep id and ref, by which messages are found. */
async function mergeContacts(
  tx: Transaction,
  workspaceId: string,
  { merged, before }: { merged: ReadonlyMap<string, string>; before: readonly Person[] },
): Promise<void> {
  const known = new Set(before.map(({ id }) => id));
  const rows = [...merged].filter(([id]) => known.has(id)).map(([id, into]) => ({ id, into }));
  if (rows.length === 0) return;
  const sql = rawSql(tx);
  const pairs = sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as merged (id text, "into" text)`;
  await sql`
    update contacts c set merged_into = merged."into", phone = null, name = null, whatsapp_user_id = null, last_inbound_at = null,
      marketing_opted_out_at = null, marketing_opt_out_source = null, marketing_preference_at = null
    from ${pairs}
    where c.workspace_id = ${workspaceId} and merged.id in (c.id, c.merged_into)`;
  await sql`
    delete from contact_names n using ${pairs} where n.workspace_id = ${workspaceId} and n.contact_id = merged.id`;
  await sql`
    update flow_sessions s set contact_id = merged."into" from ${pairs}
    where s.workspace_id = ${workspaceId} and s.contact_id = merged.id`;
  // Events that wait keep the id that they were written with. Contacts are of both modes.
  const merge = { workspaceId, mode: null, type: "contact.changed" as const, occurredAt: new Date() };
  await announceContacts(
    sql,
    rows.map(({ id, into }) => ({ ...merge, contactId: into, key: `merged ${id}`, snapshot: { mergedContactId: id } })),
  );
  const record = recorder(tx, provenWorkspaceId(workspaceId), WHATSAPP);
  for (const { id, into } of rows)
    await record("contact.merged", into, { before: null, after: { mergedContactId: id } });
}

type Change = { before: readonly Person[]; after: readonly Person[] };

async function writePeople(sql: Sql, workspaceId: string, { before, after }: Change): Promise<void> {
  const known = byId(before);
  const rows = after.map(toRow);
  // A number may move between contacts: clear it first, because the unique index allows one owner at a time.
  const passing = rows.filter(
    ({ id, phone }) => (known.get(id)?.phone ?? null) !== null && known.get(id)?.phone !== phone,
  );
  if (passing.length > 0) {
    await sql`
      update contacts set phone = null, whatsapp_user_id = null
      where workspace_id = ${workspaceId} and id in ${sql(passing.map(({ id }) => id))}`;
  }
  await createContacts(
    sql,
    workspaceId,
    rows.filter(({ id }) => !known.has(id)),
  );
  await reserveNumbers(
    sql,
    workspaceId,
    rows.flatMap(({ id, phone }) =>
      phone === null || !known.has(id) || phone === known.get(id)?.phone ? [] : [{ id, phone }],
    ),
  );
  const renamed = after.flatMap(({ id, names }) =>
    (known.get(id)?.names ?? [])
      .filter(({ name, account }) => account === "" && !names.some((one) => one.name === name && one.account === ""))
      .map(({ name }) => ({ id, name })),
  );
  if (renamed.length > 0) {
    await sql`
      delete from contact_names n
      using json_to_recordset(${JSON.stringify(renamed)}::text::json) as given (id text, name text)
      where n.workspace_id = ${workspaceId} and n.contact_id = given.id and n.name = given.name and n.account = ''`;
  }
  await writeNames(sql, workspaceId, after);
  await sql`
    update contacts c set
      phone = given.phone, whatsapp_user_id = given.user_id, name = given.name, last_inbound_at = given.last_inbound,
      marketing_preference_at = preference_at, marketing_opt_out_source = opt_out_source,
      marketing_opted_out_at = case when opt_out_source is not null then preference_at end
    from (
      select id, phone, user_id, name, to_timestamp(last_inbound / 1000)::timestamptz(3) as last_inbound,
        to_timestamp(preference / 1000)::timestamptz(3) as preference_at, opt_out_source
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
        id text, phone text, user_id text, name text, last_inbound float8, preference float8, opt_out_source text)
    ) given
    where c.workspace_id = ${workspaceId} and c.id = given.id
      and (c.phone, c.whatsapp_user_id, c.name, c.last_inbound_at, c.marketing_preference_at, c.marketing_opt_out_source)
        is distinct from (given.phone, given.user_id, given.name, last_inbound, preference_at, opt_out_source)`;
}

/** Without their user ids: a trigger would store them for no account, before `writeNames` names it. */
async function createContacts(
  sql: Sql,
  workspaceId: string,
  rows: readonly Pick<ReturnType<typeof toRow>, "id" | "phone" | "name">[],
): Promise<void> {
  if (rows.length === 0) return;
  const created = await sql`
    insert into contacts (workspace_id, id, phone, name)
    select ${workspaceId}, id, phone, name
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (id text, phone text, name text) order by phone
    on conflict do nothing returning id`;
  if (created.length < rows.length) throw new NumberTaken();
}

/**
 * Reserves numbers with placeholder rows, because a unique violation would write the number to the Postgres log.
 * A concurrent send that creates the contact waits for the transaction, and then finds it.
 */
async function reserveNumbers(
  sql: Sql,
  workspaceId: string,
  numbers: readonly { id: string; phone: string }[],
): Promise<void> {
  if (numbers.length === 0) return;
  const reserved = await sql`
    insert into contacts (workspace_id, id, phone)
    select ${workspaceId}, 'number of ' || id, phone
    from json_to_recordset(${JSON.stringify(numbers)}::text::json) as given (id text, phone text) order by phone
    on conflict do nothing returning id`;
  if (reserved.length < numbers.length) throw new NumberTaken();
  await sql`delete from contacts where workspace_id = ${workspaceId} and id in ${sql(reserved.map(({ id }) => `${id}`))}`;
}

const toRow = ({ id, phone, displayName, lastInboundMs, preference, names }: Person) => ({
  id,
  phone,
  user_id: currentUserId(names),
  name: displayName,
  last_inbound: lastInboundMs,
  preference: preference?.atMs ?? null,
  opt_out_source: preference?.isStop ? preference.source : null,
});

async function writeNames(sql: Sql, workspaceId: string, people: readonly Person[]): Promise<void> {
  const rows = people.flatMap(({ id, names }) => {
    const left = leftNames(names);
    return names.map((name) => ({ id, ...name, isLeft: left.has(name) }));
  });
  await sql`
    insert into contact_names as n (
      workspace_id, contact_id, name, account, first_seen_at, last_seen_at, arrived_at, left_at, taken_at, is_left)
    select ${workspaceId}, id, name, account, to_timestamp("firstSeenMs" / 1000), to_timestamp("lastSeenMs" / 1000),
      to_timestamp("arrivedMs" / 1000), to_timestamp("leftMs" / 1000), to_timestamp("takenMs" / 1000), "isLeft"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      id text, name text, account text, "firstSeenMs" float8, "lastSeenMs" float8, "arrivedMs" float8, "leftMs" float8,
      "takenMs" float8, "isLeft" boolean)
    on conflict (workspace_id, name, contact_id, account) do update set
      first_seen_at = excluded.first_seen_at, last_seen_at = excluded.last_seen_at, arrived_at = excluded.arrived_at,
      left_at = excluded.left_at, taken_at = excluded.taken_at, is_left = excluded.is_left
    where (n.first_seen_at, n.last_seen_at, n.arrived_at, n.left_at, n.taken_at, n.is_left)
      is distinct from (excluded.first_seen_at, excluded.last_seen_at, excluded.arrived_at, excluded.left_at,
        excluded.taken_at, excluded.is_left)`;
}
