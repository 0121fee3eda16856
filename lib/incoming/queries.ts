import { and, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { isOneOfMany, onSql } from "@/db/raw-sql";
import { phoneNumbers, webhookHours, webhookNotices } from "@/db/schema";
import type { BucketCount } from "@/lib/core/duration-scale";
import type { WorkspaceId } from "@/lib/core/principal";

/** Webhook counts of one line in the last 24 hours. */
export type WebhookTraffic = {
  /** Events that advanced or confirmed their message's status. */
  taken: number;
  duplicates: number;
  outOfOrder: number;
  /** Statuses of unknown messages. */
  unmatched: number;
  inbound: number;
  /** Delays from WhatsApp's timestamp of a status to its receipt. */
  lags: BucketCount[];
};

const NO_TRAFFIC: WebhookTraffic = { taken: 0, duplicates: 0, outOfOrder: 0, unmatched: 0, inbound: 0, lags: [] };

/** Returns the counts by line, for all clock hours within the last 24; lines without webhooks are omitted. */
export async function getWebhookTraffic(workspaceId: WorkspaceId): Promise<Map<string, WebhookTraffic>> {
  const rows = await onDatabase((db) =>
    db
      .select({
        ...columnsOf(webhookHours, "phoneNumberId", "kind", "bucket"),
        count: sql<number>`sum(${webhookHours.count})::int`,
      })
      .from(webhookHours)
      .where(and(eq(webhookHours.workspaceId, workspaceId), sql`${webhookHours.hour} > now() - interval '24 hours'`))
      .groupBy(webhookHours.phoneNumberId, webhookHours.kind, webhookHours.bucket),
  );
  const traffic = new Map<string, WebhookTraffic>();
  for (const { phoneNumberId, kind, bucket, count } of rows) {
    const line = traffic.get(phoneNumberId) ?? { ...NO_TRAFFIC, lags: [] };
    traffic.set(phoneNumberId, line);
    line[COLUMNS[kind]] += count;
    if (kind === "status" || kind === "outOfOrder") line.lags.push({ bucket, count });
  }
  return traffic;
}

const COLUMNS = {
  status: "taken",
  duplicate: "duplicates",
  outOfOrder: "outOfOrder",
  unmatched: "unmatched",
  inbound: "inbound",
} as const;

/** A line with messages in status SENT and no webhook since. */
export type SilentLine = { id: string; label: string; waiting: number; sinceMs: number };

const SILENT_AFTER_MINUTES = 10;
/** Limits the scan of recent messages, so that a busy line does not slow the page of an idle one. */
const LOOKED_THROUGH = 20_000;

/**
 * The lines whose status webhooks have stopped: WhatsApp accepted messages at least ten minutes ago, no webhook has
 * reported on them, and none came for the line at all. Looks a day back at most.
 */
export async function listSilentLines(workspaceId: WorkspaceId): Promise<SilentLine[]> {
  return onSql((sql) => listSilentLinesOf(sql, [workspaceId]));
}

/** The same for several workspaces. */
export function listSilentLinesOf(sql: Sql, workspaceIds: readonly WorkspaceId[]) {
  return sql<(SilentLine & { workspaceId: string })[]>`
    with quiet as materialized (
      select workspace_id, id, label, last_webhook_at from phone_numbers
      where workspace_id in (select json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json))
        and is_active and disconnected_at is null
        and (last_webhook_at is null or last_webhook_at < now() - make_interval(mins => ${SILENT_AFTER_MINUTES}))
    ), latest as materialized (
      select recent.* from (select distinct workspace_id from quiet) workspace cross join lateral (
        select m.workspace_id, m.id, m.phone_number_id, m.status, m.created_at, m.sent_at from messages m
        where ${isOneOfMany(sql, sql`m.workspace_id`, sql`workspace.workspace_id`)} and m.created_at
          between now() - interval '24 hours' and now() - make_interval(mins => ${SILENT_AFTER_MINUTES})
        order by m.created_at desc limit ${LOOKED_THROUGH}) recent
    )
    select quiet.workspace_id as "workspaceId", quiet.id, quiet.label, count(*)::int as waiting,
      (extract(epoch from now() - min(coalesce(latest.sent_at, latest.created_at))) * 1000)::float8 as "sinceMs"
    from quiet join latest on latest.workspace_id = quiet.workspace_id and latest.phone_number_id = quiet.id
      and latest.status = 'SENT' and (quiet.last_webhook_at is null or latest.created_at > quiet.last_webhook_at)
    where not exists (
      select from status_events event
      where event.workspace_id = latest.workspace_id and event.message_id = latest.id
    )
    group by quiet.workspace_id, quiet.id, quiet.label
    order by 5 desc, quiet.id`;
}

export type Notice = Awaited<ReturnType<typeof listNotices>>[number];

const MAX_NOTICES = 100;

/**
 * Returns the webhook notices of the last seven days, newest first: about the workspace's lines, and about no
 * line, because the whole deployment shares one webhook. Other workspaces' numbers are excluded.
 */
export function listNotices(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(columnsOf(webhookNotices, "id", "at", "kind", "reason", "bodyDigest", "whatsappPhoneNumberId"))
      .from(webhookNotices)
      .where(or(isNull(webhookNotices.whatsappPhoneNumberId), isOwnNumber(workspaceId)))
      .orderBy(desc(webhookNotices.at), desc(webhookNotices.id))
      .limit(MAX_NOTICES),
  );
}

/** How many bodies with a wrong signature claimed to be about each of the workspace's numbers, in the last 24 hours. */
export async function countRefusedSignatures(workspaceId: WorkspaceId): Promise<Map<string, number>> {
  const rows = await onDatabase((db) =>
    db
      .select({ number: webhookNotices.whatsappPhoneNumberId, count: sql<number>`count(*)::int` })
      .from(webhookNotices)
      .where(
        and(
          eq(webhookNotices.kind, "signatureRefused"),
          isOwnNumber(workspaceId),
          sql`${webhookNotices.at} > now() - interval '24 hours'`,
        ),
      )
      .groupBy(webhookNotices.whatsappPhoneNumberId),
  );
  return new Map(rows.map(({ number, count }) => [number ?? "", count]));
}

/** Returns the last verification of the callback URL, which all workspaces of the deployment share. */
export async function findLastVerification(): Promise<{ at: Date } | undefined> {
  const [verified] = await onDatabase((db) =>
    db
      .select({ at: webhookNotices.at })
      .from(webhookNotices)
      .where(eq(webhookNotices.kind, "verified"))
      .orderBy(desc(webhookNotices.at))
      .limit(1),
  );
  return verified;
}

const isOwnNumber = (workspaceId: WorkspaceId) =>
  inArray(
    webhookNotices.whatsappPhoneNumberId,
    sql`(select ${phoneNumbers.whatsappPhoneNumberId} from ${phoneNumbers} where ${phoneNumbers.workspaceId} = ${workspaceId})`,
  );
