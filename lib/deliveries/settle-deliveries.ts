import { onSql } from "@/db/raw-sql";
import { ERASED_PHONE } from "@/lib/text/phone";
import type { Claimed } from "./claim-deliveries";
import type { Outcome } from "./outcome";
import type { Answer } from "./post-delivery";
import { type Health, joinHealth } from "./record-health";

/** An attempt, of the delivery as it was claimed. */
export type Attempted = {
  delivery: Pick<Claimed, "workspaceId" | "id" | "endpointId" | "number" | "url">;
  answer: Omit<Answer, "retryAfter">;
  outcome: Outcome;
};

/**
 * Writes what attempts came to, each with its entry in the history. Returns how their endpoints did, which is written apart
 * (record-health.ts). The outcome of an attempt whose lease has expired changes nothing. Throws DatabaseUnavailable.
 */
export const settleDeliveries = async (attempted: readonly Attempted[]): Promise<Health[]> => {
  if (attempted.length === 0) return [];
  const settled = await onSql(
    (sql) => sql<{ id: string; number: number }[]>`
      with outcome as (
        select * from json_to_recordset(${JSON.stringify(attempted.map(rowOf))}::text::json) as outcome (
          workspace_id text, id text, endpoint_id text, number int, state delivery_state, wait float8,
          started_at timestamptz, duration_ms int, status_code smallint, failure text, response text)
      ), settled as (
        update webhook_deliveries d set state = o.state, leased_until = null,
          next_attempt_at = case when o.state = 'PENDING' then now() + make_interval(secs => o.wait) else d.next_attempt_at end,
          settled_at = case when o.state <> 'PENDING' then now() end
        from outcome o
        where d.workspace_id = o.workspace_id and d.id = o.id and d.endpoint_id = o.endpoint_id
          and d.attempts = o.number and d.settled_at is null
          and d.leased_until is not null
        returning d.workspace_id, d.id, d.endpoint_id, d.subject_id, d.position, d.state, d.next_attempt_at, o.number
      ), logged as (
        insert into webhook_attempts (
          workspace_id, delivery_id, number, started_at, duration_ms, status_code, failure, response)
        select o.workspace_id, o.id, o.number, o.started_at, o.duration_ms, o.status_code, o.failure,
          -- A late response must not restore data of an erased recipient.
          case when not exists (
            select from messages m
            where m.workspace_id = settled.workspace_id and m.id = settled.subject_id and m.phone = ${ERASED_PHONE}
          ) then o.response end
        from outcome o join settled using (workspace_id, id, number)
        on conflict do nothing
      ), next as (
        -- What waits behind one that failed waits as long, so that no claim looks at it in vain; behind one that is
        -- settled, it is due. What is under way keeps its lease.
        update webhook_deliveries d
        set next_attempt_at = coalesce((
          select max(s.next_attempt_at) from settled s
          where s.workspace_id = d.workspace_id and s.endpoint_id = d.endpoint_id and s.subject_id = d.subject_id
            and s.state = 'PENDING'), now())
        where d.ctid = any (array(
          select waiting.place from settled s cross join lateral (
            select later.ctid as place, later.next_attempt_at from webhook_deliveries later
            where later.workspace_id = s.workspace_id and later.endpoint_id = s.endpoint_id
              and later.subject_id = s.subject_id and later.state = 'PENDING' and later.position > s.position
              and coalesce(later.leased_until, now()) <= now()
            order by later.workspace_id, later.endpoint_id, later.subject_id, later.position limit 100
          ) waiting
          where case when s.state = 'PENDING' then waiting.next_attempt_at < s.next_attempt_at
            else waiting.next_attempt_at > now() end))
      )
      select id, number from settled`,
    { pool: "deliveries" },
  );
  const written = new Map(settled.map(({ id, number }) => [id, number]));
  return joinHealth(attempted.filter(({ delivery }) => written.get(delivery.id) === delivery.number).map(healthOf));
};

const healthOf = ({ delivery: { workspaceId, endpointId, url }, outcome }: Attempted): Health => ({
  workspaceId,
  endpointId,
  url,
  isUp: outcome.state === "DELIVERED",
  isGone: outcome.isGone,
  failures: outcome.state === "DELIVERED" ? 0 : 1,
  holdSeconds: outcome.holdSeconds,
});

const rowOf = ({ delivery: { workspaceId, id, endpointId, number }, answer, outcome }: Attempted) => ({
  workspace_id: workspaceId,
  id,
  endpoint_id: endpointId,
  number,
  state: outcome.state,
  wait: outcome.waitSeconds,
  started_at: answer.startedAt,
  duration_ms: answer.durationMs,
  status_code: answer.statusCode,
  failure: answer.failure,
  response: answer.response,
});
