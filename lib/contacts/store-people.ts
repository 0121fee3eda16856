import type { Sql } from "postgres";
import { inTransaction, type PoolName, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { retry } from "@/lib/core/deadline";
import { searchKey } from "@/lib/core/fold";
import { newId } from "@/lib/core/new-id";
import { provenWorkspaceId } from "@/lib/core/principal";
import { recorder, WHATSAPP } from "@/lib/workspaces/record-audit";
import { announceContacts } from "./announce-contacts";
import { loadPeople } from "./load-people";
import { currentNumbers, currentUserId, leftNames } from "./names";
import { joinPeople } from "./people";
import type { Person, PersonEvent } from "./person";
import { emptied } from "./personal-data";

/**
 * Who an event is about, as stored before all of them (undefined if new) and after, and whether it is one of their last that
 * was stored already; null if it proves nothing.
 */
export type Stored = { before: Person | undefined; after: Person; isRepeated: boolean } | null;

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
    const before = known.get(workspaceId) ?? [];
    const joined = joinPeople(
      before,
      own.map(([, event]) => event),
      // In their order, by which the elder of two is known.
      () => newId("ct", nowMs + made++),
    );
    const [former, now] = [before, joined.people].map(byId);
    for (const [place, [index]] of own.entries()) {
      const id = joined.contactIds[place] ?? "";
      const after = now?.get(id);
      stored[index] = after ? { before: former?.get(id), after, isRepeated: joined.repeated.has(place) } : null;
    }
    await mergeContacts(tx, workspaceId, { merged: joined.merged, before });
    await writePeople(sql, workspaceId, { before, after: joined.people });
  }
  return stored;
}

function byId(people: readonly Person[]): Map<string, Person> {
  return new Map(people.map((person) => [person.id, person]));
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
    update contacts c set merged_into = merged."into", phone = null, ${emptied(sql, "contacts", { but: ["phone", "ref"] })}
    from ${pairs}
    where c.workspace_id = ${workspaceId} and merged.id in (c.id, c.merged_into)`;
  await sql`
    delete from contact_names n using ${pairs} where n.workspace_id = ${workspaceId} and n.contact_id = merged.id`;
  await sql`
    update flow_sessions s set contact_id = merged."into" from ${pairs}
    where s.workspace_id = ${workspaceId} and s.contact_id = merged.id`;
  // Events that wait keep the id that they were written with. Contacts are of both modes.
  const merge = {
    workspaceId,
    mode: null,
    type: "contact.changed" as const,
    occurredAt: new Date(),
    mayBeRepeated: false,
  };
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
  // Before others get a number, it is no longer its former holder's.
  await writeNames(
    sql,
    workspaceId,
    after.filter(({ id }) => known.has(id)),
  );
  const created = after.filter(({ id }) => !known.has(id));
  await createContacts(sql, workspaceId, created.map(toRow));
  await writeNames(sql, workspaceId, created);
  await reserveNumbers(sql, workspaceId, newNumbers({ before, after }));
  await sql`
    with given as (
      select id, phone, user_id, name, ${instantOf(sql, "last_inbound")} as last_inbound,
        ${instantOf(sql, "live")} as live_at, live_stop, ${instantOf(sql, "test")} as test_at, test_stop,
        recent
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
        id text, phone text, user_id text, name text, last_inbound float8,
        live float8, live_stop text, test float8, test_stop text, recent jsonb)
    ), changed as materialized (
      -- By key, one by one. It is asked again outside, where the planner expects few of it: so it writes by key, too.
      select given.* from given cross join lateral (
        select * from contacts c where c.workspace_id = ${workspaceId} and c.id = given.id limit 1) c
      where c.id = given.id
        and (c.phone, c.whatsapp_user_id, c.name, c.last_inbound_at, c.marketing_preference_at, c.marketing_opt_out_source,
          c.test_marketing_preference_at, c.test_marketing_opt_out_source, coalesce(c.recent_events, '[]'))
          is distinct from (given.phone, given.user_id, given.name, last_inbound, live_at, live_stop, test_at, test_stop, recent)
    )
    update contacts c set
      phone = given.phone, whatsapp_user_id = given.user_id, name = given.name, last_inbound_at = given.last_inbound,
      marketing_preference_at = live_at, marketing_opt_out_source = live_stop,
      marketing_opted_out_at = case when live_stop is not null then live_at end,
      test_marketing_preference_at = test_at, test_marketing_opt_out_source = test_stop,
      test_marketing_opted_out_at = case when test_stop is not null then test_at end, recent_events = given.recent
    from changed given where c.workspace_id = ${workspaceId} and c.id = given.id`;
}

const instantOf = (sql: Sql, column: string) => sql`to_timestamp(${sql(column)} / 1000)::timestamptz(3)`;

/** Without their user ids: a trigger would store them for no account, before `writeNames` names it. */
async function createContacts(
  sql: Sql,
  workspaceId: string,
  rows: readonly Pick<ReturnType<typeof toRow>, "id" | "phone" | "name">[],
): Promise<void> {
  if (rows.length === 0) return;
  const folded = rows.map((row) => ({ ...row, folded: row.name === null ? null : searchKey(row.name) }));
  const created = await sql`
    insert into contacts (workspace_id, id, phone, name, folded_name)
    select ${workspaceId}, id, phone, name, folded
    from json_to_recordset(${JSON.stringify(folded)}::text::json) as given (id text, phone text, name text, folded text)
    order by phone
    on conflict do nothing returning id`;
  if (created.length < rows.length) throw new NumberTaken();
}

/** Returns the numbers that get a contact, beside those of new contacts. */
function newNumbers({ before, after }: Change): string[] {
  const known = byId(before);
  const changed = after.filter(({ id, phone }) => known.has(id) && phone !== known.get(id)?.phone);
  const held = new Set([...before.flatMap(({ names }) => currentNumbers(names)), ...after.map(({ phone }) => phone)]);
  const others = after.flatMap(({ names }) => currentNumbers(names)).filter((number) => !held.has(number));
  return [...new Set([...changed.flatMap(({ phone }) => phone ?? []), ...others])];
}

/**
 * Reserves numbers with placeholder rows, because a unique violation would write the number to the Postgres log.
 * A concurrent send that creates the contact waits for the transaction, and then finds it.
 */
async function reserveNumbers(sql: Sql, workspaceId: string, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return;
  const reserved = await sql`
    insert into contacts (workspace_id, id, phone)
    select ${workspaceId}, 'number of ' || gen_random_uuid(), phone
    from json_array_elements_text(${JSON.stringify(numbers)}::text::json) as given (phone) order by phone
    on conflict do nothing returning id`;
  if (reserved.length < numbers.length) throw new NumberTaken();
  await sql`delete from contacts where workspace_id = ${workspaceId} and id in ${sql(reserved.map(({ id }) => `${id}`))}`;
}

const toRow = ({
  id,
  phone,
  displayName,
  lastInboundMs,
  preferences: { live, test },
  recentEvents,
  names,
}: Person) => ({
  id,
  phone,
  user_id: currentUserId(names),
  name: displayName,
  last_inbound: lastInboundMs,
  live: live?.atMs,
  live_stop: live?.isStop ? live.source : null,
  test: test?.atMs,
  test_stop: test?.isStop ? test.source : null,
  recent: recentEvents,
});

async function writeNames(sql: Sql, workspaceId: string, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return;
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
