import type { Fragment, Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import type { TemplateRead } from "./claim-read";
import { EVERY_SECONDS, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS, SPREAD_SECONDS } from "./pace";

const MAX_ERROR_CHARACTERS = 500;

/**
 * Ends a read that stored what WhatsApp listed. What was asked for since it started stays asked for, and a status of the last
 * day stays reported: its template may be missing from this list.
 */
export function finishRead(read: TemplateRead): Promise<void> {
  return finish(
    read,
    (sql) => sql`failures = 0, last_error = null,
      ${read.name === null ? sql`due_at = started_at + (${EVERY_SECONDS} + random() * ${SPREAD_SECONDS}) * interval '1 second',` : sql``}
      reported = (
        select jsonb_object_agg(report.key, report.value) from jsonb_each(reported) report
        where (report.value #>> '{}')::timestamptz > now() - interval '1 day'),
      asked_name = case when asked_at > started_at then asked_name end,
      asked_at = case when asked_at > started_at then asked_at end`,
  );
}

/** Ends a read that failed: what was due or asked for stays so, and waits longer after each failure in a row. */
export function failRead(read: TemplateRead, reason: string): Promise<void> {
  return finish(
    read,
    (sql) => sql`failures = failures + 1, last_error = ${reason.slice(0, MAX_ERROR_CHARACTERS)},
      not_before = clock_timestamp() + interval '1 second'
        * least(${FIRST_WAIT_SECONDS} * 2 ^ least(failures, 10), ${LONGEST_WAIT_SECONDS})`,
  );
}

/** Only the reader whose claim it still is writes. */
const finish = async (
  { workspaceId, whatsappBusinessAccountId, startedAt }: TemplateRead,
  columns: (sql: Sql) => Fragment,
): Promise<void> => {
  await onSql(
    (sql) => sql`
        update template_reads set claimed_until = null, ${columns(sql)}
        where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${whatsappBusinessAccountId}
          and started_at = ${startedAt.toISOString()}::timestamptz`,
    { pool: "webhooks" },
  );
};
