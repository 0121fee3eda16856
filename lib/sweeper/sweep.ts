import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { flowSessions, mediaUploads, rateWindows, statusEvents, unhandledWebhooks, webhookNotices } from "@/db/schema";
import { env } from "@/lib/env";
import { purgeContents } from "@/lib/messages/purge-contents";
import { type SweptMessages, sweepMessages } from "@/lib/messages/sweep-messages";
import { WINDOW_MS } from "@/lib/rate-limit/policies";
import { purgeRequests } from "@/lib/requests/purge-requests";
import { rollUpHours } from "@/lib/usage/roll-up-hours";
import { writeWebhookCounts } from "@/lib/webhooks/count-webhooks";

/** What one pass did, in messages. */
export type Sweep = SweptMessages & { purged: number };

/** One pass over everything that time settles: abandoned sends, early statuses, flow sessions, and what has expired. */
export const sweep = async (): Promise<Sweep> => {
  const messages = await sweepMessages();
  await Promise.all([
    onDatabase((db) =>
      db
        .update(flowSessions)
        .set({ closedAt: sql`now()`, closedBy: "expiry" })
        .where(sql`${flowSessions.closedAt} is null and ${flowSessions.openedAt} < now() - interval '24 hours'`),
    ),
    onDatabase((db) =>
      db
        .delete(statusEvents)
        .where(sql`${statusEvents.messageId} is null and ${statusEvents.receivedAt} < now() - interval '7 days'`),
    ),
    onDatabase((db) =>
      db.delete(unhandledWebhooks).where(sql`${unhandledWebhooks.receivedAt} < now() - interval '7 days'`),
    ),
    onDatabase((db) => db.delete(webhookNotices).where(sql`${webhookNotices.at} < now() - interval '7 days'`)),
    // A function that was frozen in between may hold counts.
    writeWebhookCounts(),
    onDatabase((db) => db.delete(mediaUploads).where(sql`${mediaUploads.expiresAt} < now()`)),
    onDatabase((db) =>
      db
        .delete(rateWindows)
        .where(
          sql`${rateWindows.bucket} < floor(extract(epoch from clock_timestamp()) * 1000 / ${WINDOW_MS}::bigint) - 1`,
        ),
    ),
  ]);
  const defaultDays = env().MESSAGE_RETENTION_DAYS;
  await purgeRequests({ defaultDays });
  await rollUpHours();
  return { ...messages, purged: await purgeContents({ defaultDays }) };
};
