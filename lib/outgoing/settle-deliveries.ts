import type { Fragment, Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { CONTACT_EVENTS } from "@/lib/contacts/announce-contacts";
import { ERASED_PHONE } from "@/lib/core/phone";
import { type Claimed, lockedByKey } from "./claim-deliveries";
import type { Outcome } from "./outcome";
import type { Answer } from "./post-delivery";
import { type Health, joinHealth } from "./record-health";

/** An attempt, of the delivery as it was claimed. */
export type Attempted = {
  delivery: Pick<Claimed, "workspaceId" | "id" | "endpointId" | "number" | "url">;
  answer: Omit<Answer, "retryAfter">;
  outcome: Outcome;
};

/** `reports` has the endpoints' health, which record-health.ts stores separately. */
export type Settled = { reports: Health[]; locked: Attempted[] };

/**
 * Writes the outcomes of attempts, each with a history entry. If a delivery was claimed again, the outcome of the
 * earlier attempt is ignored. Without `waits`, outcomes of locked rows are returned for later: a transaction that
 * stores one message's status must not delay the outcomes of all others. Throws DatabaseUnavailable.
 */
export async function settleDeliveries(
  attempted: readonly Attempted[],
  { waits = false }: { waits?: boolean } = {},
): Promise<Settled> {
  if (attempted.length === 0) return { reports: [], locked: [] };
  const given = attempted.map(({ delivery: { workspaceId, id, endpointId, number }, answer, outcome }) => ({
    workspaceId,
    id,
    endpointId,
    number,
    ...answer,
    ...outcome,
  }));
  const rows = await onSql(
    (sql) => sql<{ id: string; number: number; is_settled: boolean }[]>`
      with outcome as (
        select "workspaceId" as workspace_id, "endpointId" as endpoint_id, outcome.*
        from json_to_recordset(${JSON.stringify(given)}::text::json) as outcome (
          "workspaceId" text, id text, "endpointId" text, number int, state delivery_state, "waitSeconds" float8,
          "isRefused" boolean, "startedAt" timestamptz, "durationMs" int, "statusCode" smallint, failure text, response text)
      ), current as materialized (
        select o.workspace_id, o.id, o.number from outcome o
        cross join lateral (
          select d.* from webhook_deliveries d where d.workspace_id = o.workspace_id and d.id = o.id limit 1) d
        where d.endpoint_id = o.endpoint_id and ${isUnderWay(sql, "o.number")}
        limit ${given.length}::int
      ), own as materialized (
        select c.* from current c
        cross join lateral (${lockedByKey(sql, "c.id", waits ? sql`for no key update` : undefined)}) d
        where ${isUnderWay(sql, "c.number")}
        limit ${given.length}::int
      ), settled as (
        update webhook_deliveries d set state = o.state, leased_until = null, is_refused = o."isRefused",
          next_attempt_at = case when o.state = 'PENDING' then now() + make_interval(secs => o."waitSeconds") else d.next_attempt_at end,
          settled_at = case when o.state <> 'PENDING' then now() end
        from own join outcome o using (workspace_id, id, number)
        where d.workspace_id = own.workspace_id and d.id = own.id
        returning d.workspace_id, d.id, d.type, d.subject_id, own.number
      ), logged as (
        insert into webhook_attempts (
          workspace_id, delivery_id, number, started_at, duration_ms, status_code, failure, response)
        select o.workspace_id, o.id, o.number, o."startedAt", o."durationMs", o."statusCode", o.failure,
          -- It may repeat what a person wrote. A late one must not restore data of an erased recipient.
          case when settled.type not in ${sql(CONTACT_EVENTS)} and not exists (
            select from messages m
            where m.workspace_id = settled.workspace_id and m.id = settled.subject_id and m.phone = ${ERASED_PHONE}
          ) then o.response end
        from outcome o join settled using (workspace_id, id, number)
        on conflict do nothing
      )
      -- By a hash, whatever number of rows the planner expects of either.
      select c.id, c.number, (c.workspace_id, c.id) in (select workspace_id, id from own) as is_settled from current c`,
    { pool: "deliveries" },
  );
  const known = new Map(rows.map((row) => [`${row.id} ${row.number}`, row.is_settled]));
  const isSettled = ({ delivery: { id, number } }: Attempted) => known.get(`${id} ${number}`);
  return {
    reports: joinHealth(attempted.filter((one) => isSettled(one) === true).map(healthOf)),
    locked: attempted.filter((one) => isSettled(one) === false),
  };
}

const isUnderWay = (sql: Sql, number: "o.number" | "c.number"): Fragment =>
  sql`d.attempts = ${sql.unsafe(number)} and d.settled_at is null and d.leased_until is not null`;

const healthOf = ({ delivery: { workspaceId, endpointId, url }, answer, outcome }: Attempted): Health => ({
  workspaceId,
  endpointId,
  url,
  isUp: outcome.state === "DELIVERED",
  isGone: outcome.isGone,
  failures: outcome.state === "DELIVERED" || outcome.isRefused ? 0 : 1,
  holdSeconds: outcome.holdSeconds,
  answerMs: answer.durationMs,
});
