import type { Fragment, Sql } from "postgres";
import { onSql, readInstant } from "@/db/raw-sql";
import type { EndpointFormat } from "@/db/schema";
import { ERASED_PHONE } from "@/lib/core/phone";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { columnList, MADE_FIELDS, readColumns } from "@/lib/messages/columns";
import type { StoredEvent } from "@/lib/outgoing/events/event-resource";
import {
  allocateSlots,
  type Busy,
  type Due,
  freeSlots,
  INITIAL_SLOTS,
  MAX_REFUSED,
  MAX_TO_ENDPOINT,
  type Pace,
  SLOW_MS,
} from "./slots";

/** An attempt that this process must make. */
export type Claimed = StoredEvent & {
  workspaceId: string;
  id: string;
  endpointId: string;
  position: string;
  /** The attempt's number, used as a fencing token: the outcome of a superseded attempt is ignored. */
  number: number;
  replayedAfter: number;
  isRefused: boolean;
  pace: Pace;
  mode: Mode;
  format: EndpointFormat;
  url: string;
  secret: string;
  previousSecret: string | null;
  /** Of the call that sent the message, if it was traced. */
  traceparent: string | null;
};

/**
 * Delivering processes renew their leases (deliver.ts), so a dead one is replaced within 10 s. A `listen`
 * session does not renew: its program may be paused in a debugger.
 */
export const LEASE_SECONDS = 8;
const LISTENER_LEASE_SECONDS = 45;

/** How long an answer waits for WhatsApp's response to the send that it may answer; its person's later events wait, too. */
const OVERTAKING_SECONDS = 10;
const LOOK_AGAIN_SECONDS = 0.5;

/** A claim for all endpoints, given what is in flight; or for one listener, up to its free capacity. */
export type ClaimRequest = { busy: readonly Busy[]; withSlow: boolean } | ListenerClaim;

type ListenerClaim = { listener: { workspaceId: WorkspaceId; id: string }; most: number; isBusy: boolean };

/** `hasEndpoints`: whether the deployment has any. `moved`: deliveries that another look may find changed. */
export type Look = { claimed: Claimed[]; hasEndpoints: boolean; moved: number };

/**
 * Claims due deliveries, only the oldest of each subject, so that a message's events keep their order. Its cost does
 * not depend on how many are waiting. `isOwn` tells which ones this process still has in flight. Throws
 * DatabaseUnavailable.
 */
export async function claimDeliveries(asking: ClaimRequest, isOwn: (due: Due) => boolean = () => false): Promise<Look> {
  const { due, hasEndpoints } = await findDue(asking);
  const blocked = due.filter(({ id, headId }) => headId !== id);
  if (blocked.length > 0) await parkBlocked(blocked);
  const overtaking = due.filter(({ id, headId, mayOvertake }) => headId === id && mayOvertake);
  const resolved = overtaking.length > 0 ? await resolveAnswered(overtaking) : 0;
  const heads = limitFailingToOne(due.filter((one) => one.headId === one.id && !one.mayOvertake && !isOwn(one)));
  const chosen = "listener" in asking ? heads.slice(0, asking.most) : allocateSlots(heads, asking.busy);
  const lease = "listener" in asking ? LISTENER_LEASE_SECONDS : LEASE_SECONDS;
  const claimed = chosen.length > 0 ? await take(chosen, lease) : [];
  return { claimed, hasEndpoints, moved: blocked.length + resolved };
}

/** `mayOvertake`: it answers a message that was not found by WhatsApp's id. */
type Found = Due & { headId: string; isFailing: boolean; mayOvertake: boolean };

function limitFailingToOne(heads: readonly Found[]): Found[] {
  const failing = new Set<string>();
  return heads.filter(({ workspaceId, endpointId, isFailing }) => {
    const key = `${workspaceId}/${endpointId}`;
    const isFirst = !failing.has(key);
    if (isFailing) failing.add(key);
    return isFirst;
  });
}

async function findDue(asking: ClaimRequest): Promise<{ due: Found[]; hasEndpoints: boolean }> {
  const [answer] = await onSql(
    (sql) => sql<{ due: Found[]; has_endpoints: boolean }[]>`
      with room as materialized (${"listener" in asking ? roomOfListener(sql, asking) : freeSlotsOfAll(sql, asking)})
      select
        (select exists (select from webhook_endpoints e where e.deleted_at is null)) as has_endpoints,
        coalesce((
          select json_agg(json_build_object(
            'workspaceId', room.workspace_id, 'endpointId', room.id, 'id', d.id, 'pace', room.pace,
            'isRefused', d.is_refused, 'isFailing', room.is_failing, 'headId', head.id,
            'mayOvertake', d.may_overtake)
            order by d.is_refused, d.next_attempt_at, d.position)
          from room cross join lateral (
            (${dueIn(sql, "not d.is_refused", "places")}) union all (${dueIn(sql, "d.is_refused", "refused_places")})
          ) d cross join lateral (
            -- Not "not exists": as an anti-join it takes seconds when the statistics are stale.
            ${firstOfQueue(sql, sql`first.id`)}
          ) head
        ), '[]') as due`,
    { pool: "deliveries" },
  );
  return { due: answer?.due ?? [], hasEndpoints: answer?.has_endpoints ?? false };
}

/** The first due deliveries of an endpoint. */
const dueIn = (
  sql: Sql,
  lane: "d.is_refused" | "not d.is_refused",
  places: "places" | "refused_places",
): Fragment => sql`
  select d.workspace_id, d.endpoint_id, d.id, d.subject_id, d.position, d.next_attempt_at, d.is_refused, d.snapshot ? 'repliesTo' as may_overtake
  from webhook_deliveries d
  where d.workspace_id = room.workspace_id and d.endpoint_id = room.id collate "C" and d.state = 'PENDING'
    and ${sql.unsafe(lane)} and d.next_attempt_at < 'infinity' and ${isDue(sql)}
  order by d.next_attempt_at, d.position limit ${sql.unsafe(`room.${places}`)}`;

/** Selects from the first pending delivery of a subject, by the index that is made for it. */
const firstOfQueue = (sql: Sql, column: Fragment): Fragment => sql`
  select ${column} from webhook_deliveries first
  where first.workspace_id = d.workspace_id and first.endpoint_id = d.endpoint_id collate "C"
    and first.subject_id = d.subject_id collate "C" and first.state = 'PENDING'
  order by first.position limit 1`;

/**
 * Selects the delivery of a key, locked. Its state is asked outside: with it the planner may expect as little of a partial
 * index, and read all that is pending.
 */
export function lockedByKey(
  sql: Sql,
  id: "chosen.id" | "b.head_id" | "b.id" | "mine.id" | "c.id",
  lock: Fragment = sql`for no key update skip locked`,
): Fragment {
  const [given = ""] = id.split(".");
  return sql`
    select d.* from webhook_deliveries d
    where d.workspace_id = ${sql(`${given}.workspace_id`)} and d.id = ${sql(id)} limit 1 ${lock}`;
}

/** Stored times are rounded to milliseconds, so "now" can be in the future. */
const isDue = (sql: Sql): Fragment => sql`d.next_attempt_at <= now() + interval '1 ms'`;

const mayReceive = (sql: Sql): Fragment => sql`
  e.paused_at is null and e.deleted_at is null and coalesce(e.held_until, now()) <= now() + interval '1 ms'`;

/** Selects endpoints with the number of free slots of each. A failing endpoint gets one attempt at a time. */
const freeSlotsOfAll = (sql: Sql, { busy, withSlow }: { busy: readonly Busy[]; withSlow: boolean }): Fragment => sql`
  select workspace_id, id, pace, is_failing,
    case when is_failing and held + held_refused > 0 then 0 else greatest(0, least(${freeSlots(busy)}::int, case pace
      when 'quick' then least(${MAX_TO_ENDPOINT.quick}::int - held, greatest(${INITIAL_SLOTS}::int, held))
      when 'new' then ${MAX_TO_ENDPOINT.new}::int - held
      else least(${MAX_TO_ENDPOINT.slow}::int - held, greatest(1, ${freeSlots(busy, "slow")}::int / slow_ones)) end)) end as places,
    case when is_failing and held + held_refused > 0 then 0
      else greatest(0, ${MAX_REFUSED}::int - held_refused) end as refused_places
  from (
    select paced.*, greatest(1, count(*) filter (where pace = 'slow') over ())::int as slow_ones
    from (
      select e.workspace_id, e.id, e.failures > 0 as is_failing,
        case when busy.of ->> 'pace' = 'slow' or e.answer_ms >= ${SLOW_MS}::int then 'slow'
          when e.answer_ms is null then 'new' else 'quick' end as pace,
        coalesce((busy.of ->> 'underWay')::int, 0) as held, coalesce((busy.of ->> 'refused')::int, 0) as held_refused
      from webhook_endpoints e
      cross join lateral (
        select ${JSON.stringify(byEndpoint(busy))}::text::jsonb -> (e.workspace_id || '/' || e.id) as of
      ) busy
      where ${mayReceive(sql)} and e.listens_until is null
    ) paced
  ) known
  where pace <> 'slow' or ${withSlow && freeSlots(busy, "slow") > 0}`;

const byEndpoint = (busy: readonly Busy[]): Record<string, Busy> =>
  Object.fromEntries(busy.map((one) => [`${one.workspaceId}/${one.endpointId}`, one]));

const roomOfListener = (sql: Sql, { listener, most, isBusy }: ListenerClaim): Fragment => sql`
  select e.workspace_id, e.id, 'quick' as pace, e.failures > 0 as is_failing, ${most}::int as places,
    least(${MAX_REFUSED}::int, ${most}::int) as refused_places
  from webhook_endpoints e
  where e.workspace_id = ${listener.workspaceId} and e.id = ${listener.id} and ${mayReceive(sql)}
    and (e.failures = 0 or not ${isBusy})`;

/**
 * Parks rows due behind an earlier one of their subject: replayed, stored before the triggers, or when that one was
 * locked. They wait until it settles; the lock ensures that this is not missed.
 */
async function parkBlocked(blocked: readonly Found[]): Promise<void> {
  const rows = blocked.map(({ workspaceId, id, headId }) => ({ workspace_id: workspaceId, id, head_id: headId }));
  await onSql(
    (sql) => sql`
      with blocked as materialized (
        select b.workspace_id, b.id from json_to_recordset(${JSON.stringify(rows)}::text::json)
          as b (workspace_id text, id text, head_id text)
        cross join lateral (${lockedByKey(sql, "b.head_id", sql`for share skip locked`)}) head
        cross join lateral (${lockedByKey(sql, "b.id")}) d
        where head.state = 'PENDING' and d.state = 'PENDING' and ${isDue(sql)}
        limit ${rows.length}::int
      )
      update webhook_deliveries d set next_attempt_at = 'infinity' from blocked
      where d.workspace_id = blocked.workspace_id and d.id = blocked.id`,
    { pool: "deliveries" },
  );
}

/**
 * Looks up what answers reply to, which was not known when they came. They wait while a send of their line that began before
 * them is under way, to any recipient: an answer may show another name of the person. Returns how many wait no more.
 */
async function resolveAnswered(overtaking: readonly Due[]): Promise<number> {
  const rows = overtaking.map(({ workspaceId, id }) => ({ workspace_id: workspaceId, id }));
  const looked = await onSql(
    (sql) => sql<{ is_resolved: boolean }[]>`
      with own as materialized (
        select d.workspace_id, d.id, answered.fields,
          answered.fields is null and d.created_at > now() - make_interval(secs => ${OVERTAKING_SECONDS}) and (
            exists (
              select from messages m where m.workspace_id = d.workspace_id and m.phone_number_id = d.snapshot ->> 'phoneNumberId'
                and m.phase in ('ACCEPTED', 'DISPATCHING') and m.created_at <= d.created_at)
            or exists (
              select from messages m where m.workspace_id = d.workspace_id and m.phone_number_id = d.snapshot ->> 'phoneNumberId'
                and m.phase = 'UNKNOWN' and m.created_at between d.created_at - interval '1 minute' and d.created_at)
          ) as waits
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as chosen (workspace_id text, id text)
        cross join lateral (${lockedByKey(sql, "chosen.id")}) d
        left join lateral (
          select jsonb_build_object('answeredId', m.id, 'answeredKey', m.idempotency_key) as fields from messages m
          where m.workspace_id = d.workspace_id and m.phone_number_id = d.snapshot ->> 'phoneNumberId'
            and m.whatsapp_message_id = d.snapshot ->> 'repliesTo' and m.phone <> ${ERASED_PHONE}
          limit 1) answered on true
        where d.state = 'PENDING' and ${isDue(sql)}
        limit ${rows.length}::int
      )
      update webhook_deliveries d
      set next_attempt_at = case when own.waits then now() + make_interval(secs => ${LOOK_AGAIN_SECONDS}) else d.next_attempt_at end,
        snapshot = case when own.waits then d.snapshot else d.snapshot - 'repliesTo' || coalesce(own.fields, '{}') end
      from own where d.workspace_id = own.workspace_id and d.id = own.id
      returning not own.waits as is_resolved`,
    { pool: "deliveries" },
  );
  return looked.filter(({ is_resolved }) => is_resolved).length;
}

/** The limit is what the planner goes by: it expects 100 rows of a JSON text, for which it would read a table of 6,000. */
async function take(chosen: readonly Due[], leaseSeconds: number): Promise<Claimed[]> {
  const paces = new Map(chosen.map(({ id, pace }) => [id, pace]));
  const rows = chosen.map(({ workspaceId, id }) => ({ workspace_id: workspaceId, id }));
  const taken = await onSql(
    (sql) => sql<Row[]>`
      with own as materialized (
        select chosen.*
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as chosen (workspace_id text, id text)
        cross join lateral (${lockedByKey(sql, "chosen.id")}) d
        where d.state = 'PENDING' and ${isDue(sql)} and d.position = (
          ${firstOfQueue(sql, sql`first.position`)})
        limit ${rows.length}::int
      ), claimed as (
        update webhook_deliveries d
        set attempts = d.attempts + 1, next_attempt_at = now() + make_interval(secs => ${leaseSeconds}),
          leased_until = now() + make_interval(secs => ${leaseSeconds})
        from own where d.workspace_id = own.workspace_id and d.id = own.id
        returning d.*
      )
      select c.workspace_id as "workspaceId", c.id, c.endpoint_id as "endpointId", c.position::text, c.type,
        c.subject_id as "subjectId", c.sequence, c.snapshot, c.occurred_at as "occurredAt", c.attempts as number,
        c.replayed_after as "replayedAfter", c.is_refused as "isRefused", e.mode, e.format, e.url, e.secret,
        case when e.previous_secret_ends_at > now() then e.previous_secret end as "previousSecret",
        (select to_json(made) from (select ${sql.unsafe(columnList(MADE_FIELDS, "m"))}) made) as message, m.traceparent,
        coalesce(contact.merged_into, m.contact_id) as "contactId"
      from claimed c
      cross join lateral (
        select * from webhook_endpoints e where e.workspace_id = c.workspace_id and e.id = c.endpoint_id limit 1) e
      left join lateral (
        select * from messages m where m.workspace_id = c.workspace_id and m.id = c.subject_id limit 1) m on true
      left join lateral (
        select contact.merged_into from contacts contact
        where contact.workspace_id = m.workspace_id and contact.id = m.contact_id limit 1) contact on true
      order by c.position`,
    { pool: "deliveries" },
  );
  return taken.map((row) => toClaimed(row, paces.get(row.id) ?? "new"));
}

type Stored = { occurredAt: string; message: Record<string, unknown>; contactId: string };
type Row = Omit<Claimed, keyof Stored | "pace"> & Stored;

const toClaimed = ({ occurredAt, message, contactId, ...row }: Row, pace: Pace): Claimed => ({
  ...row,
  occurredAt: readInstant(occurredAt),
  pace,
  message: message.created_at === null ? null : { ...readColumns(message, MADE_FIELDS), contactId },
});
