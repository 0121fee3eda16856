import { setTimeout as sleep } from "node:timers/promises";
import type { Fragment, Sql } from "postgres";
import { deleteByKey, inBatches, onSql } from "@/db/raw-sql";
import { closedBy } from "@/db/schema/messages";
import { watchAlerts } from "@/lib/alerts/watch-alerts";
import { purgeRequests } from "@/lib/api/log/purge-requests";
import { foldNames } from "@/lib/contacts/fold-names";
import { env } from "@/lib/core/env";
import { writeWebhookCounts } from "@/lib/incoming/count-webhooks";
import { WINDOW_MS } from "@/lib/limits/rate-limit";
import { takeFormerMails } from "@/lib/mail/queue-mail";
import { purgeContents } from "@/lib/messages/list/purge-contents";
import { type SweptMessages, sweepMessages } from "@/lib/messages/send/sweep-messages";
import { countPeople } from "@/lib/messages/usage/count-people";
import { rollUp } from "@/lib/messages/usage/roll-up";
import { deliverDue } from "@/lib/outgoing/deliver";
import { endSilentListeners } from "@/lib/outgoing/listen";
import { purgeDeliveries } from "@/lib/outgoing/purge-deliveries";
import { queueNewAccounts } from "@/lib/phone-numbers/queue-reads";
import { runDueReads } from "@/lib/templates/run-due-reads";
import { removeDeletedWorkspaces } from "@/lib/workspaces/delete-workspace";
import { sendMails } from "./send-mails";

/** Message counts of one pass. */
export type Sweep = SweptMessages & { purged: number };

/** Small enough for a statement to finish within its timeout on a slow disk. */
const BATCH = 500;
/** Reads that take longer are left to a later pass. */
const MAX_READING_MS = 20_000;
/** The rest is delivered by the next pass. */
const MAX_DELIVERING_MS = 10_000;
/** Limits a pass. */
const MAX_BATCHES = 200;

/**
 * Runs one maintenance pass: abandoned sends, early statuses, flow sessions, and expired data. A
 * failing part does not stop the others; the first failure is thrown at the end.
 */
export async function sweep(): Promise<Sweep> {
  const failures: unknown[] = [];
  const keepFailure = (error: unknown) => void failures.push(error);
  const defaultDays = env().MESSAGE_RETENTION_DAYS;
  const messages = await sweepMessages().catch(keepFailure);
  await queueNewAccounts().catch(keepFailure);
  const reads = runDueReads();
  await foldNames().catch(keepFailure);
  for (const runBatch of BATCHES) await repeat(runBatch).catch(keepFailure);
  // A serverless function that was frozen may still hold counts.
  await writeWebhookCounts().catch(keepFailure);
  await purgeRequests({ defaultDays }).catch(keepFailure);
  await purgeDeliveries({ defaultDays }).catch(keepFailure);
  await removeDeletedWorkspaces().catch(keepFailure);
  await rollUp().catch(keepFailure);
  await countPeople().catch(keepFailure);
  await watchAlerts().catch(keepFailure);
  const mails = sendMails();
  const purged = await purgeContents({ defaultDays }).catch(keepFailure);
  // Nothing outlives a request on Vercel; elsewhere a slow WhatsApp must not hold up the next pass.
  if (env().VERCEL) {
    await Promise.race([Promise.all([reads, mails]), sleep(MAX_READING_MS, undefined, { ref: false })]);
    await deliverDue(MAX_DELIVERING_MS).catch(keepFailure);
  }
  if (!messages || purged === undefined || failures.length > 0) throw failures[0];
  return { ...messages, purged };
}

const repeat = (runBatch: (sql: Sql) => Promise<{ count: number }>) =>
  inBatches({ size: BATCH, most: MAX_BATCHES }, () => onSql(runBatch, { pool: "webhooks" }));

type Expired = { table: string; key?: readonly string[]; isDue: (sql: Sql) => Fragment };

const EXPIRED: Expired[] = [
  { table: "status_events", isDue: (sql) => sql`message_id is null and received_at < now() - interval '7 days'` },
  // Only servers of 0.6 write it. It goes at once, because no erasure looks for a person in it any more.
  { table: "unhandled_webhooks", key: ["id"], isDue: (sql) => sql`true` },
  { table: "webhook_notices", key: ["id"], isDue: (sql) => sql`at < now() - interval '7 days'` },
  {
    table: "flow_replies",
    key: ["workspace_id", "phone_number_id", "whatsapp_message_id"],
    isDue: (sql) => sql`received_at < now() - interval '48 hours'`,
  },
  {
    table: "media_uploads",
    key: ["workspace_id", "phone_number_id", "url_digest"],
    isDue: (sql) => sql`expires_at < now()`,
  },
  {
    table: "conversation_starts",
    key: ["workspace_id", "whatsapp_business_account_id", "contact_id"],
    isDue: (sql) => sql`started_at < now() - interval '24 hours'`,
  },
  { table: "sessions", key: ["id"], isDue: (sql) => sql`greatest(expires_at, code_until) < now()` },
  { table: "jobs", key: ["kind", "id"], isDue: (sql) => sql`expires_at < now()` },
  { table: "alerts", isDue: (sql) => sql`closed_at < now() - interval '90 days'` },
  { table: "password_resets", key: ["user_id"], isDue: (sql) => sql`expires_at < now()` },
  {
    table: "rate_windows",
    key: ["id"],
    isDue: (sql) => sql`bucket < floor(extract(epoch from clock_timestamp()) * 1000 / ${WINDOW_MS}::bigint) - 1`,
  },
];

const deleteExpired =
  ({ table, key = ["workspace_id", "id"], isDue }: Expired) =>
  (sql: Sql) => {
    const due = sql`select ${sql([...key])} from ${sql(table)} where ${isDue(sql)} limit ${BATCH} for update skip locked`;
    return deleteByKey(sql, { table, key, due });
  };

const closeFlowSessions = (sql: Sql) => sql`
  with due as materialized (
    select workspace_id, id from flow_sessions where closed_at is null and opened_at < now() - interval '24 hours'
    limit ${BATCH} for update skip locked)
  update flow_sessions f set ${closedBy(sql, "expiry")} from due
  where f.workspace_id = due.workspace_id and f.id = due.id`;

const BATCHES = [takeFormerMails, closeFlowSessions, ...EXPIRED.map(deleteExpired), endSilentListeners];
