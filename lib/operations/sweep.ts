import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { closedBy } from "@/lib/contacts/closed-by";
import { env } from "@/lib/core/env";
import { writeWebhookCounts } from "@/lib/incoming/count-webhooks";
import { WINDOW_MS } from "@/lib/limits/policies";
import { purgeContents } from "@/lib/messages/purge-contents";
import { rollUpHours } from "@/lib/messages/roll-up-hours";
import { type SweptMessages, sweepMessages } from "@/lib/messages/sweep-messages";
import { deliverDue } from "@/lib/outgoing/deliver";
import { endSilentListeners } from "@/lib/outgoing/end-silent-listeners";
import { purgeDeliveries } from "@/lib/outgoing/purge-deliveries";
import { queueNewAccounts } from "@/lib/phone-numbers/queue-reads";
import { purgeRequests } from "@/lib/public-api/purge-requests";
import { runDueReads } from "@/lib/templates/run-due-reads";
import { removeDeletedWorkspaces } from "@/lib/workspaces/delete-workspace";

/** What one pass did, in messages. */
export type Sweep = SweptMessages & { purged: number };

/** Few enough for a statement to end in its time on a slow disk. */
const BATCH = 500;
/** What is still being read then is read again by a later pass. */
const MOST_READING_MS = 20_000;
/** What is not delivered then is delivered by the next pass. */
const MOST_DELIVERING_MS = 10_000;
/** More than this waits for the next pass, so that a pass has an end. */
const MAX_BATCHES = 200;

/**
 * One pass over everything that time settles: abandoned sends, early statuses, flow sessions, and what has expired. A
 * part that cannot be done keeps no other from its turn; the first failure is thrown when all have had theirs.
 */
export async function sweep(): Promise<Sweep> {
  const failures: unknown[] = [];
  const keepFailure = (error: unknown) => void failures.push(error);
  const defaultDays = env().MESSAGE_RETENTION_DAYS;
  const messages = await sweepMessages().catch(keepFailure);
  await queueNewAccounts().catch(keepFailure);
  const reads = runDueReads();
  for (const removeBatch of EXPIRED) await repeat(removeBatch).catch(keepFailure);
  // A function that was frozen in between may hold counts.
  await writeWebhookCounts().catch(keepFailure);
  await purgeRequests({ defaultDays }).catch(keepFailure);
  await purgeDeliveries({ defaultDays }).catch(keepFailure);
  await removeDeletedWorkspaces().catch(keepFailure);
  await rollUpHours().catch(keepFailure);
  const purged = await purgeContents({ defaultDays }).catch(keepFailure);
  // Nothing outlives a request on Vercel; elsewhere a slow WhatsApp must not hold up the next pass.
  if (env().VERCEL) {
    await Promise.race([reads, sleep(MOST_READING_MS, undefined, { ref: false })]);
    await deliverDue(MOST_DELIVERING_MS).catch(keepFailure);
  }
  if (!messages || purged === undefined || failures.length > 0) throw failures[0];
  return { ...messages, purged };
}

const repeat = async (runBatch: (sql: Sql) => Promise<{ count: number }>): Promise<void> => {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { count } = await onSql((sql) => runBatch(sql), { pool: "webhooks" });
    if (count < BATCH) return;
  }
};

const EXPIRED: ((sql: Sql) => Promise<{ count: number }>)[] = [
  (sql) => sql`
    update flow_sessions set ${closedBy(sql, "expiry")} where ctid = any(array(
      select ctid from flow_sessions where closed_at is null and opened_at < now() - interval '24 hours'
      limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from status_events where ctid = any(array(
      select ctid from status_events where message_id is null and received_at < now() - interval '7 days'
      limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from unhandled_webhooks where ctid = any(array(
      select ctid from unhandled_webhooks where received_at < now() - interval '7 days'
      limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from webhook_notices where ctid = any(array(
      select ctid from webhook_notices where at < now() - interval '7 days' limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from flow_replies where ctid = any(array(
      select ctid from flow_replies where received_at < now() - interval '48 hours'
      limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from media_uploads where ctid = any(array(
      select ctid from media_uploads where expires_at < now() limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from sessions where ctid = any(array(
      select ctid from sessions where expires_at < now() limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from password_resets where ctid = any(array(
      select ctid from password_resets where expires_at < now() limit ${BATCH} for update skip locked))`,
  (sql) => sql`
    delete from rate_windows where ctid = any(array(
      select ctid from rate_windows
      where bucket < floor(extract(epoch from clock_timestamp()) * 1000 / ${WINDOW_MS}::bigint) - 1
      limit ${BATCH} for update skip locked))`,
  endSilentListeners,
];
