import { createHash } from "node:crypto";
import type { Sql } from "postgres";
import type { Mode } from "@/lib/core/principal";

/** The events about contacts, which endpoints subscribe to one by one. */
export const CONTACT_EVENTS = ["message.received", "contact.opted_out", "contact.opted_in", "contact.changed"] as const;

const MODES: readonly Mode[] = ["live", "test"];

/** What a person did, for the endpoints of their workspace. */
export type ContactEvent = {
  workspaceId: string;
  contactId: string;
  /** Null for the endpoints of both modes. */
  mode: Mode | null;
  type: (typeof CONTACT_EVENTS)[number];
  /** What makes it this event and no other: the same key is announced once, however often WhatsApp repeats it. */
  key: string;
  occurredAt: Date;
  snapshot: Record<string, string | null>;
};

/** Returns an id of ours that is the same in every repetition of the event. */
export function eventId(prefix: string, ...parts: string[]): string {
  const digest = createHash("sha256").update(parts.join("\0")).digest("hex");
  return `${prefix}_${digest.slice(0, 32)}`;
}

/**
 * Writes the events for the endpoints that subscribe to them, in the transaction that stores what they are about. Repeating
 * one is harmless: a delivery's id is made of its endpoint and the event's key. The workspaces must be locked
 * (`lockPeople`), and their contacts stored.
 */
export async function announceContacts(sql: Sql, events: readonly ContactEvent[]): Promise<void> {
  if (events.length === 0) return;
  const given = events.flatMap((event, place) =>
    (event.mode === null ? MODES : [event.mode]).map((mode) => ({ ...event, mode, place })),
  );
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::text::json)
        as given (place int, "workspaceId" text, "contactId" text, mode mode, type text, key text, "occurredAt" timestamptz,
          snapshot jsonb)
    ), wanted as (
      select given.*, e.id as endpoint_id,
        'whd_' || left(encode(sha256(convert_to(e.id || ' ' || given.key, 'UTF8')), 'hex'), 32) as id
      from given
      join webhook_endpoints e on e.workspace_id = given."workspaceId" and e.mode = given.mode and e.deleted_at is null
        and e.events ? given.type
    ), fresh as (
      select distinct on (wanted.id) wanted.* from wanted
      left join lateral (
        select d.id from webhook_deliveries d where d.workspace_id = wanted."workspaceId" and d.id = wanted.id limit 1
      ) known on true
      where known.id is null
      order by wanted.id, place
    ), numbered as (
      select fresh.*, dense_rank() over (partition by "workspaceId", "contactId" order by place) as number from fresh
    ), counted as (
      update contacts c set event_count = c.event_count + more.events
      from (select "workspaceId", "contactId", max(number) as events from numbered group by 1, 2) more
      where c.workspace_id = more."workspaceId" and c.id = more."contactId"
      returning c.workspace_id, c.id, c.event_count - more.events as before
    ), sequences as materialized (
      select jsonb_object_agg(workspace_id || '/' || id, before) as before from counted
    )
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
    select n."workspaceId", n.id, n.endpoint_id, n.type, n."contactId",
      (sequences.before ->> (n."workspaceId" || '/' || n."contactId"))::int + n.number, n.snapshot, n."occurredAt"
    from numbered n cross join sequences
    where sequences.before ? (n."workspaceId" || '/' || n."contactId")
    order by n.place, n.endpoint_id`;
}
