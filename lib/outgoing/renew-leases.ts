import { onSql } from "@/db/raw-sql";
import { type Claimed, LEASE_SECONDS } from "./claim-deliveries";

/**
 * Keeps deliveries that this process has under way from being sent by another. A lease that has run out, as while the
 * database was unavailable, is renewed too unless another has claimed the delivery since. Throws DatabaseUnavailable.
 */
export async function renewLeases(
  deliveries: readonly Pick<Claimed, "workspaceId" | "id" | "number">[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ workspaceId, id, number }) => ({ workspace_id: workspaceId, id, number }));
  await onSql(
    (sql) => sql`
      with own as materialized (
        select mine.workspace_id, mine.id
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as mine (workspace_id text, id text, number int)
        cross join lateral (
          select from webhook_deliveries d
          where d.workspace_id = mine.workspace_id and d.id = mine.id
            and d.attempts = mine.number and d.state = 'PENDING' and d.leased_until is not null
          limit 1 for no key update of d skip locked) locked
      )
      update webhook_deliveries d
      set next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS}),
        leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from own where d.workspace_id = own.workspace_id and d.id = own.id`,
    { pool: "deliveries" },
  );
}
