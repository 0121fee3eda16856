import type { Sql } from "postgres";
import { DatabaseUnavailable, inTransaction } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import { emptyContactEvents } from "@/lib/contacts/erase-events";
import { eraseRows } from "@/lib/contacts/erase-rows";
import { emptied } from "@/lib/contacts/personal-data";
import { errorFields, log } from "@/lib/core/log";

const BATCH = 500;
/** Limits a pass; the rest waits for the next one. */
const MAX_BATCHES = 100;
/** After this many failures the database is not tried for further workspaces. */
const MAX_UNAVAILABLE = 3;

/**
 * Removes contents (request, failure reasons, raw webhooks, what people wrote) past their workspace's retention, each workspace once an
 * hour. The row stays, so replays still work. Returns the number of messages; safe to run concurrently. A message
 * or workspace that fails does not stop the others, is tried again next time, and throws at the end.
 */
export async function purgeContents({ defaultDays }: { defaultDays: number }): Promise<number> {
  const pass: Pass = { defaultDays, size: BATCH, emptiedEvents: [], doneWorkspaces: [], refusedMessages: [] };
  const failures: unknown[] = [];
  let [messages, unavailable] = [0, 0];
  for (let batch = 0; batch < MAX_BATCHES && unavailable < MAX_UNAVAILABLE; batch++) {
    const due = await onSql((sql) => nextDue(sql, pass), { pool: "webhooks" });
    if (!due) break;
    try {
      if (!pass.emptiedEvents.includes(due.workspaceId)) {
        // Events that are being delivered are left to the next pass, with the rest of their workspace.
        if (!(await emptyContactEvents(due.workspaceId, { ...due, defaultDays }))) {
          finish(pass, due);
          continue;
        }
        pass.emptiedEvents.push(due.workspaceId);
      }
      const { purged, isDone } = await purgeBatch(pass, due);
      messages += purged;
      if (isDone) finish(pass, due);
    } catch (error) {
      failures.push(error);
      if (error instanceof DatabaseUnavailable) unavailable += 1;
      // Smaller batches of messages are of no use where the database or the workspace's events failed.
      if (error instanceof DatabaseUnavailable || !pass.emptiedEvents.includes(due.workspaceId)) finish(pass, due);
      else if (pass.size === 1) await passOver(pass, due, error);
      // Retry in smaller batches, until the failing message is isolated.
      else pass.size = Math.ceil(pass.size / 8);
    }
  }
  if (failures.length > 0) throw failures[0];
  return messages;
}

/** State of a pass: workspaces whose events are empty, finished ones, and messages that the database failed to empty. */
type Pass = {
  defaultDays: number;
  size: number;
  emptiedEvents: string[];
  doneWorkspaces: string[];
  refusedMessages: string[];
};
type Due = { workspaceId: string; since: string; until: string };

/** Contents of messages created before this are due. */
const dueUntil = (sql: Sql, { defaultDays }: Pass) =>
  sql`now() - make_interval(days => coalesce(retention_days, ${defaultDays}::int))`;

/** Each workspace stores the time up to which it is purged, so finding the rest needs no index that slows sends. */
async function nextDue(sql: Sql, pass: Pass): Promise<Due | undefined> {
  const [due] = await sql<Due[]>`
    select id as "workspaceId", coalesce(contents_purged_until, '-infinity') as since, ${dueUntil(sql, pass)} as until
    from workspaces
    where coalesce(contents_purged_until, '-infinity') < ${dueUntil(sql, pass)} - interval '1 hour'
      and id not in (select json_array_elements_text(${JSON.stringify(pass.doneWorkspaces)}::text::json))
    order by contents_purged_until nulls first, id limit 1`;
  return due;
}

/** The oldest messages that are due, as a subquery. */
const aged = (sql: Sql, { size, refusedMessages }: Pass, { workspaceId, since, until }: Due) => sql`
  select m.id, m.created_at from messages m
  where m.workspace_id = ${workspaceId} and m.created_at >= ${since}::text::timestamptz
    and m.created_at < ${until}::text::timestamptz and m.contents_removed_at is null
    and m.id not in (select json_array_elements_text(${JSON.stringify(refusedMessages)}::text::json))
  order by m.created_at, m.id limit ${size}`;

function finish(pass: Pass, { workspaceId }: Due) {
  pass.doneWorkspaces.push(workspaceId);
  pass.size = BATCH;
}

async function passOver(pass: Pass, due: Due, error: unknown): Promise<void> {
  const [message] = await onSql((sql) => sql<{ id: string }[]>`${aged(sql, pass, due)}`, {
    pool: "webhooks",
  });
  if (!message) return;
  log("error", "purge.message-refused", { messageId: message.id, ...errorFields(error) });
  pass.refusedMessages.push(message.id);
  pass.size = BATCH;
}

/** Purges a batch of a workspace, unless another server is purging it. */
const purgeBatch = (pass: Pass, due: Due): Promise<{ purged: number; isDone: boolean }> =>
  inTransaction((tx) => emptyAged(rawSql(tx), pass, due), { pool: "webhooks" });

async function emptyAged(sql: Sql, pass: Pass, found: Due): Promise<{ purged: number; isDone: boolean }> {
  const { workspaceId } = found;
  // Read again under the lock: an owner may have extended the retention since.
  const [mine] = await sql<{ until: string }[]>`
    select ${dueUntil(sql, pass)} as until from workspaces where id = ${workspaceId} for no key update skip locked`;
  if (!mine) return { purged: 0, isDone: true };
  const due = { ...found, until: mine.until };
  const refused = JSON.stringify(pass.refusedMessages);
  const [batch] = await sql<{ messages: string[] }[]>`
    with aged as (${aged(sql, pass, due)}
    ), locked as (
      -- Locked in the order that webhooks use, so that there is no deadlock.
      select id from messages where workspace_id = ${workspaceId} and id = any (array(select id from aged))
      order by id for no key update
    ), emptied as (
      update messages set ${emptied(sql, "messages", { but: ["phone"] })},
        contents_removed_at = coalesce(contents_removed_at, now()), updated_at = now()
      where workspace_id = ${workspaceId} and id = any (array(select id from locked))
    ), done as (
      -- Not past a failed message, so that it is retried.
      update workspaces w set contents_purged_until = least(
        case when (select count(*) from aged) < ${pass.size} then ${due.until}::text::timestamptz
          else (select max(created_at) from aged) end,
        (select min(created_at) from messages
          where workspace_id = ${workspaceId} and id in (select json_array_elements_text(${refused}::text::json))))
      where w.id = ${workspaceId}
    )
    select coalesce(json_agg(id), '[]') as messages from aged`;
  const messages = batch?.messages ?? [];
  // A statement of its own: an event that a webhook has just brought, and that the purge waited for, is seen now.
  const ids = sql`any (array(select json_array_elements_text(${JSON.stringify(messages)}::text::json)))`;
  await eraseRows(sql, workspaceId, { table: "status_events", rows: sql`message_id = ${ids}` });
  return { purged: messages.length, isDone: messages.length < pass.size };
}
