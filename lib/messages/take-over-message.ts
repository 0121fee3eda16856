import { onSql, readInstant } from "@/db/raw-sql";
import { isLeftNumber } from "@/lib/contacts/left-number";
import type { Principal } from "@/lib/core/principal";
import { traceparent } from "@/lib/core/telemetry";
import { thisMonth } from "@/lib/workspaces/quota";
import { unitsOf, withQuota } from "@/lib/workspaces/take-unit";
import { type BarRow, barredPart, refuseBarred, WITHHELD } from "./barred-marketing";
import { type Claim, type ClaimInput, closedSessions, LEASE_SECONDS, type Owned, phaseOf } from "./claim-message";
import type { NamedMessage } from "./queries";

/** Returns what a take-over owns, even if its response was lost. */
export function nextOwned({ id, fencingToken }: NamedMessage): Owned {
  return { messageId: id, fencingToken: fencingToken + 1 };
}

/**
 * Takes over a row that was definitely not sent: its refusal is retryable, or its owner died before the dispatch.
 * As with a first claim, its unit and the closing of flow sessions commit together with it. Undefined where another
 * request was faster. Throws as a first claim does.
 */
export function takeOverMessage(
  principal: Principal,
  stale: NamedMessage,
  input: ClaimInput,
): Promise<Claim | undefined> {
  return withQuota(principal, () => updateClaim(principal, stale, input));
}

const updateClaim = async (
  principal: Principal,
  stale: NamedMessage,
  { phoneNumberId, phone, template, requestId, marksDispatch, closeFlowSessions: close }: ClaimInput,
): Promise<Claim | undefined> => {
  const { workspaceId, mode, apiKeyId, limits } = principal;
  const hasCap = limits.monthlyCap !== undefined;
  const [row] = await onSql((sql) => {
    const month = thisMonth(sql);
    const taker = sql`(select ${month} as month from previous where unit_month is null)`;
    const keyTaker = sql`(select ${month} as month from previous where key_unit_month is null)`;
    const person = sql`(select coalesce(merged_into, id) as id from contacts where workspace_id = ${workspaceId} and id = ${stale.contactId})`;
    const templateName = template?.isMarketing ? template.name : undefined;
    return sql<({ fencing_token: number | null; created_at: string; is_left: boolean } & Partial<BarRow>)[]>`
        with ${templateName === undefined ? sql`` : sql`${barredPart(sql, { workspaceId, mode, templateName, person, phone })},`}
        previous as (
          select unit_month, api_key_id, key_unit_month as former_month,
            case when api_key_id = ${apiKeyId} then key_unit_month end as key_unit_month
          from messages
          where workspace_id = ${workspaceId} and id = ${stale.id} and fencing_token = ${stale.fencingToken}
            and (phase = 'REFUSED_RETRYABLE' or (phase = 'ACCEPTED' and lease_expires_at < now()))
            and contents_removed_at is null ${templateName === undefined ? sql`` : sql`and not exists (select from barred)`}
          for update
        )
        , given_back as (
          -- Another key took it over, and counts it from now on.
          update key_usage u set used = u.used - 1 from previous
          where u.workspace_id = ${workspaceId} and u.api_key_id = previous.api_key_id
            and u.month = previous.former_month and previous.key_unit_month is null
        )
        ${unitsOf(sql, principal, { taker, keyTaker })}
        ${close ? sql`, ${closedSessions(sql, { workspaceId, mode, close, by: sql`previous` })}` : sql``}
        , taken as (update messages set
          phase = ${phaseOf(marksDispatch)}, status = 'PENDING', fencing_token = fencing_token + 1, attempt = attempt + 1,
          lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}),
          phone_number_id = ${phoneNumberId}, phone = ${phone}, api_key_id = ${apiKeyId}, request_id = ${requestId},
          traceparent = ${traceparent()},
          template_language = ${template?.language ?? null},
          dispatched_at = case when ${marksDispatch}::boolean then now() else dispatched_at end,
          withheld_before_at = case when failure_code = ${WITHHELD} then failed_at else withheld_before_at end,
          failure_reason = null, failure_code = null, failure_trace_id = null, failed_at = null,
          unit_month = coalesce(previous.unit_month, ${mode === "live" ? month : sql`null::date`}),
          key_unit_month = coalesce(previous.key_unit_month, ${hasCap ? month : sql`null::date`}), updated_at = now()
        from previous
        where workspace_id = ${workspaceId} and id = ${stale.id} and fencing_token = ${stale.fencingToken}
        returning fencing_token, created_at, ${isLeftNumber(sql, workspaceId, phone)} as is_left)
        select taken.* ${templateName === undefined ? sql`` : sql`, barred.*`}
        from (select) always left join taken on true ${templateName === undefined ? sql`` : sql`left join barred on true`}`;
  });
  refuseBarred(row, template, stale.id);
  if (row?.fencing_token == null) return undefined;
  const owned = { messageId: stale.id, fencingToken: row.fencing_token };
  const createdAt = readInstant(row.created_at);
  return { ...owned, createdAt, isDispatched: marksDispatch, isLeftNumber: row.is_left };
};
