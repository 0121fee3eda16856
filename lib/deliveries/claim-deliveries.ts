import { onSql, readInstant } from "@/db/raw-sql";
import type { Mode } from "@/db/schema";
import type { StoredEvent } from "@/lib/public-api/event-resource";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";

/** An attempt that this process has to make. */
export type Claimed = StoredEvent & {
  workspaceId: string;
  id: string;
  endpointId: string;
  position: string;
  /** Of the attempt, as a fencing token: the outcome of one whose lease has expired changes nothing. */
  number: number;
  replayedAfter: number;
  mode: Mode;
  url: string;
  secret: string;
  previousSecret: string | null;
};

/** How many deliveries to an endpoint this process has under way. */
export type Busy = { workspaceId: string; endpointId: string; underWay: number };

/** Concurrent deliveries to an endpoint from each process; one that fails gets one at a time. */
export const MOST_TO_ENDPOINT = 16;
/** An attempt takes 15 s at most; its outcome is then written within the rest, or the lease expires and the delivery is sent again. */
export const LEASE_SECONDS = 45;

type Row = {
  workspace_id: string;
  id: string;
  endpoint_id: string;
  position: string;
  type: string;
  subject_id: string;
  sequence: number;
  snapshot: Record<string, string | null>;
  occurred_at: string;
  attempts: number;
  replayed_after: number;
  mode: Mode;
  url: string;
  secret: string;
  previous_secret: string | null;
  created_at: string | null;
  idempotency_key: string | null;
};

/** How many to take; one to an endpoint where places are scarce. For one listener, or for all endpoints and no listener. */
export type Room = { most: number; isScarce: boolean; listener?: { workspaceId: WorkspaceId; id: string } };

/**
 * Takes due deliveries, of each subject the oldest only, so that one message's events keep their order. `hasEndpoints` is
 * false where the whole deployment has none. Throws DatabaseUnavailable.
 */
export const claimDeliveries = async (
  busy: readonly Busy[],
  { most, isScarce, listener }: Room,
): Promise<{ claimed: Claimed[]; hasEndpoints: boolean }> => {
  const [answer] = await onSql(
    (sql) => sql<{ claimed: Row[]; has_endpoints: boolean }[]>`
      with busy as (
        select * from json_to_recordset(${JSON.stringify(busy)}::text::json)
          as busy ("workspaceId" text, "endpointId" text, "underWay" int)
      ), room as materialized (
        select e.workspace_id, e.id,
          coalesce(busy."underWay", 0) as under_way,
          case when e.failures = 0 and not ${isScarce} then ${MOST_TO_ENDPOINT}::int else 1 end
            - coalesce(busy."underWay", 0) as free
        from webhook_endpoints e
        left join busy on busy."workspaceId" = e.workspace_id and busy."endpointId" = e.id
        where e.paused_at is null and e.deleted_at is null and coalesce(e.held_until, now()) <= now() + interval '1 ms'
          and ${listener ? sql`e.workspace_id = ${listener.workspaceId} and e.id = ${listener.id}` : sql`e.listens_until is null`}
        -- The least busy endpoint comes first: slow endpoints must not take every place that comes free.
        order by under_way
      ), due as materialized (
        select head.place from room cross join lateral (
          select d.ctid as place from webhook_deliveries d
          where d.workspace_id = room.workspace_id and d.endpoint_id = room.id and d.state = 'PENDING'
            -- Stored instants are rounded to milliseconds, so that "now" may lie ahead.
            and d.next_attempt_at <= now() + interval '1 ms'
            -- Not "not exists": as an anti-join it takes seconds where the statistics are old.
            and d.position = (
              select first.position from webhook_deliveries first
              where first.workspace_id = d.workspace_id and first.endpoint_id = d.endpoint_id
                and first.subject_id = d.subject_id and first.state = 'PENDING'
              order by first.workspace_id, first.endpoint_id, first.subject_id, first.position limit 1)
          order by d.next_attempt_at, d.position limit room.free
          for update of d skip locked
        ) head
        where room.free > 0 limit ${most}
      ), claimed as (
        update webhook_deliveries d
        set attempts = d.attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS}),
          leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
        where d.ctid = any (array(select place from due))
        returning d.*
      )
      select
        (select exists (select from webhook_endpoints e where e.deleted_at is null)) as has_endpoints,
        coalesce((
          select json_agg(json_build_object(
            'workspace_id', c.workspace_id, 'id', c.id, 'endpoint_id', c.endpoint_id, 'position', c.position::text,
            'type', c.type, 'subject_id', c.subject_id, 'sequence', c.sequence, 'snapshot', c.snapshot,
            'occurred_at', c.occurred_at, 'attempts', c.attempts, 'replayed_after', c.replayed_after,
            'mode', e.mode, 'url', e.url, 'secret', e.secret,
            'previous_secret', case when e.previous_secret_ends_at > now() then e.previous_secret end,
            'created_at', m.created_at, 'idempotency_key', m.idempotency_key) order by c.position)
          from claimed c
          join webhook_endpoints e on e.workspace_id = c.workspace_id and e.id = c.endpoint_id
          left join messages m on m.workspace_id = c.workspace_id and m.id = c.subject_id
        ), '[]') as claimed`,
    { pool: "deliveries" },
  );
  return { claimed: (answer?.claimed ?? []).map(toClaimed), hasEndpoints: answer?.has_endpoints ?? false };
};

const toClaimed = (row: Row): Claimed => ({
  workspaceId: row.workspace_id,
  id: row.id,
  endpointId: row.endpoint_id,
  position: row.position,
  type: row.type,
  subjectId: row.subject_id,
  sequence: row.sequence,
  snapshot: row.snapshot,
  occurredAt: readInstant(row.occurred_at),
  number: row.attempts,
  replayedAfter: row.replayed_after,
  mode: row.mode,
  url: row.url,
  secret: row.secret,
  previousSecret: row.previous_secret,
  message:
    row.created_at === null ? null : { createdAt: readInstant(row.created_at), idempotencyKey: row.idempotency_key },
});
