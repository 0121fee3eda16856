import type { Sql } from "postgres";
import type { Person, PersonEvent } from "./person";

/** Loads everyone who has or had a name that an event mentions, or is mentioned, by workspace. */
export async function loadPeople(sql: Sql, events: readonly PersonEvent[]): Promise<Map<string, Person[]>> {
  const names = events.flatMap((event) => namesIn(event).map((name) => ({ workspace_id: event.workspaceId, name })));
  const contacts = events.flatMap((event) => {
    const id = event.kind === "seen" ? event.sentTo : event.kind === "given" ? event.contactId : null;
    return id === null ? [] : [{ workspace_id: event.workspaceId, id }];
  });
  const rows = await sql<(Person & { workspaceId: string })[]>`
    with wanted as (
      -- By key, one by one: "offset 0" and "limit 1" keep the planner from reading a table for a hash.
      select n.workspace_id, n.contact_id as id
      from json_to_recordset(${JSON.stringify(names)}::text::json) as given (workspace_id text, name text)
      cross join lateral (
        select * from contact_names n where n.workspace_id = given.workspace_id and n.name = given.name offset 0) n
      union
      select c.workspace_id, coalesce(c.merged_into, c.id)
      from json_to_recordset(${JSON.stringify(contacts)}::text::json) as given (workspace_id text, id text)
      cross join lateral (
        select * from contacts c where c.workspace_id = given.workspace_id and c.id = given.id limit 1) c
    )
    select c.workspace_id as "workspaceId", c.id, c.phone, c.name as "displayName",
      ${ms(sql, "c.created_at")} as "createdMs", ${ms(sql, "c.last_inbound_at")} as "lastInboundMs",
      json_strip_nulls(json_build_object('live', ${preferenceIn(sql, "marketing")}, 'test', ${preferenceIn(sql, "test_marketing")}))
        as preferences, coalesce(c.recent_events, '[]') as "recentEvents",
      (select coalesce(json_agg(f.id), '[]') from contacts f
        where f.workspace_id = c.workspace_id and f.merged_into = c.id) as "formerIds",
      (select coalesce(json_agg(json_build_object(
          'name', n.name, 'account', n.account, 'firstSeenMs', ${ms(sql, "n.first_seen_at")},
          'lastSeenMs', ${ms(sql, "n.last_seen_at")}, 'arrivedMs', ${ms(sql, "n.arrived_at")},
          'leftMs', ${ms(sql, "n.left_at")}, 'takenMs', ${ms(sql, "n.taken_at")})), '[]')
        from contact_names n where n.workspace_id = c.workspace_id and n.contact_id = c.id) as names
    from wanted cross join lateral (
      select * from contacts c where c.workspace_id = wanted.workspace_id and c.id = wanted.id limit 1) c
    where c.erased_at is null and c.merged_into is null`;
  const known = new Map<string, Person[]>();
  for (const { workspaceId, ...person } of rows) known.set(workspaceId, [...(known.get(workspaceId) ?? []), person]);
  return known;
}

function preferenceIn(sql: Sql, columns: string) {
  const of = (name: string) => sql(`c.${columns}_${name}`);
  return sql`
      case when ${of("preference_at")} is not null then json_build_object(
        'isStop', ${of("opted_out_at")} is not null, 'source', coalesce(${of("opt_out_source")}, 'whatsapp'),
        'atMs', ${ms(sql, `c.${columns}_preference_at`)}) end`;
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
