import { onSql, readInstant } from "@/db/raw-sql";
import { isLeftNumber } from "@/lib/contacts/names";
import type { Principal } from "@/lib/core/principal";
import { thisMonth } from "@/lib/limits/quota";
import { unitsOf, withQuota } from "@/lib/limits/take-unit";
import type { NamedMessage } from "@/lib/messages/queries";
import { type BarRow, barredPart, refuseBarred, WITHHELD } from "@/lib/messages/statuses/barred-marketing";
import { type ClaimInput, type Claiming, closedSessions, type Owned, ownerColumns } from "./claim-message";

/** Returns what a take-over owns, even if its response was lost. */
export function nextOwned({ id, fencingToken }: NamedMessage): Owned {
  return { messageId: id, fencingToken: fencingToken + 1 };
}

/**
 * Takes over a row that was definitely not sent: its refusal is retryable, or its owner died before the dispatch.
 * As with a first claim, its quota and the closing of flow sessions commit together with it. Returns no claim where another
 * request was faster. Throws as a first claim does.
 */
export function takeOverMessage(principal: Principal, stale: NamedMessage, input: ClaimInput): Promise<Claiming> {
  return withQuota(principal, () => updateClaim(principal, stale, input));
}

async function updateClaim(principal: Principal, stale: NamedMessage, input: ClaimInput): Promise<Claiming> {
  const { workspaceId, mode, apiKeyId, limits } = principal;
  const { phone, template, marksDispatch, closeFlowSessions: close } = input;
  const [row] = await onSql((sql) => {
    const none = sql``;
    const month = thisMonth(sql);
    const isStale = sql`workspace_id = ${workspaceId} and id = ${stale.id} and fencing_token = ${stale.fencingToken}`;
    const person = sql`(select coalesce(merged_into, id) as id from contacts where workspace_id = ${workspaceId} and id = ${stale.contactId})`;
    const bar = template?.isMarketing && { workspaceId, mode, templateName: template.name, person, phone };
    return sql<({ fencing_token: number | null; created_at: string; is_left: boolean } & Partial<BarRow>)[]>`
      with ${bar ? sql`${barredPart(sql, bar)},` : none}
      previous as (
        select unit_month, api_key_id, key_unit_month as former_month,
          case when api_key_id = ${apiKeyId} then key_unit_month end as key_unit_month
        from messages
        where ${isStale}
          and (phase = 'REFUSED_RETRYABLE' or (phase = 'ACCEPTED' and lease_expires_at < now()))
          and contents_removed_at is null ${bar ? sql`and not exists (select from barred)` : none}
        for update
      ), given_back as (
        -- Another key took it over, and counts it from now on.
        update key_usage u set used = u.used - 1 from previous
        where u.workspace_id = ${workspaceId} and u.api_key_id = previous.api_key_id
          and u.month = previous.former_month and previous.key_unit_month is null
      )
      ${unitsOf(sql, principal, {
        month: sql`(select ${month} as month from previous where unit_month is null)`,
        keyMonth: sql`(select ${month} as month from previous where key_unit_month is null)`,
      })}
      ${close ? sql`, ${closedSessions(sql, principal, { close, by: sql`previous` })}` : none}
      , taken as (
        ${sql`update messages set ${sql(ownerColumns(sql, principal, input))}`},
          status = 'PENDING', fencing_token = fencing_token + 1, attempt = attempt + 1,
          withheld_before_at = case when failure_code = ${WITHHELD} then failed_at else withheld_before_at end,
          failure_reason = null, failure_code = null, failure_trace_id = null, failed_at = null,
          unit_month = ${mode === "live" ? sql`coalesce(previous.unit_month, ${month})` : sql`previous.unit_month`},
          key_unit_month = ${limits.monthlyCap === undefined ? sql`previous.key_unit_month` : sql`coalesce(previous.key_unit_month, ${month})`},
          updated_at = now()
        from previous where ${isStale}
        returning fencing_token, created_at, ${isLeftNumber(sql, workspaceId, phone)} as is_left
      )
      select taken.* ${bar ? sql`, barred.*` : none}
      from (select) always left join taken on true ${bar ? sql`left join barred on true` : none}`;
  });
  refuseBarred(row, template, stale.id);
  if (row?.fencing_token == null) return {};
  const createdAt = readInstant(row.created_at);
  return { claim: { ...nextOwned(stale), createdAt, isDispatched: marksDispatch, isLeftNumber: row.is_left } };
}
