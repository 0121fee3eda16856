import type { TransactionSql } from "postgres";
import { onDatabase } from "@/db/client";
import { REMOVED_REASON } from "./retention";

const BATCH = 500;
/** More than this waits for the next pass, so that a pass has an end. */
const MAX_BATCHES = 100;

/**
 * Removes the contents of messages that have outlived their workspace's days: the request and every reason of a failure.
 * Ids, statuses, times, codes and fingerprints stay, so a replay still answers. Each workspace is looked at once an hour.
 * Answers with the number of messages; harmless to run twice at once.
 */
export const purgeContents = async ({ defaultDays }: { defaultDays: number }): Promise<number> => {
  let messages = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const purged = await purgeBatch(defaultDays);
    if (purged === undefined) break;
    messages += purged;
  }
  return messages;
};

/**
 * One batch of one workspace; undefined where none is due. The workspace remembers up to which instant it is done, so
 * that no index on the path of every send is needed to find what is left.
 */
const purgeBatch = (defaultDays: number): Promise<number | undefined> =>
  onDatabase(({ $client }) => $client.begin((sql) => emptyAged(sql, defaultDays)), { pool: "webhooks" });

const emptyAged = async (sql: TransactionSql, defaultDays: number): Promise<number | undefined> => {
  const [batch] = await sql<{ workspace_id: string; messages: string[] }[]>`
    with due as (
      select id, coalesce(contents_purged_until, '-infinity') as since,
        now() - make_interval(days => coalesce(retention_days, ${defaultDays}::int)) as until
      from workspaces
      where coalesce(contents_purged_until, '-infinity') <
        now() - make_interval(days => coalesce(retention_days, ${defaultDays}::int), hours => 1)
      order by contents_purged_until nulls first, id limit 1
      for no key update skip locked
    ), aged as (
      select m.workspace_id, m.id, m.created_at
      from messages m join due on m.workspace_id = due.id and m.created_at >= due.since and m.created_at < due.until
      where m.contents_removed_at is null
      order by m.created_at, m.id limit ${BATCH}
    ), locked as (
      -- In the order of the webhooks, so that neither waits for the other in a ring.
      select m.workspace_id, m.id from messages m join aged on m.workspace_id = aged.workspace_id and m.id = aged.id
      order by m.id for no key update of m
    ), emptied as (
      update messages m set
        request = null, contents_removed_at = coalesce(m.contents_removed_at, now()), updated_at = now(),
        failure_reason = case when m.failure_reason is not null then ${REMOVED_REASON} end
      from locked where m.workspace_id = locked.workspace_id and m.id = locked.id
    ), done as (
      update workspaces w set contents_purged_until =
        case when (select count(*) from aged) < ${BATCH} then due.until else (select max(created_at) from aged) end
      from due where w.id = due.id
    )
    select id as workspace_id, (select coalesce(json_agg(id), '[]') from aged) as messages from due`;
  if (!batch) return undefined;
  // A statement of its own: an event that a webhook has just brought, and that the purge waited for, is seen now.
  await sql`
    update status_events set failure_reason = null
    where workspace_id = ${batch.workspace_id} and failure_reason is not null
      and message_id in (select json_array_elements_text(${JSON.stringify(batch.messages)}::text::json))`;
  return batch.messages.length;
};
