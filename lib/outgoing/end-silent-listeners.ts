import type { Sql } from "postgres";

const MOST = 500;

/** Ends sessions of `listen` that have not polled for a minute, and what was waiting for them. */
export function endSilentListeners(sql: Sql) {
  return sql`
  update webhook_endpoints set deleted_at = now(), secret = '', previous_secret = null where ctid = any(array(
    select ctid from webhook_endpoints where listens_until < now() and deleted_at is null
    limit ${MOST} for update skip locked))`;
}
