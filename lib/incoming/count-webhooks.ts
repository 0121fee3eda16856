import { onSql } from "@/db/raw-sql";
import { keepFunctionAlive } from "@/lib/core/due-work";
import { bucketOf } from "@/lib/core/duration-scale";
import { errorFields, log } from "@/lib/core/log";
import { count, observe } from "@/lib/core/telemetry";
import type { KeptStatus, RecordedLine } from "@/lib/messages/statuses/record-statuses";
import { rank, statusOfWord } from "@/lib/messages/statuses/status";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";

type Kind = "status" | "duplicate" | "outOfOrder" | "inbound" | "unmatched";

/** Counts that are not written yet. A killed process loses them, which is fine for display figures. */
let pending = new Map<string, Row>();
let waiting: { timer: NodeJS.Timeout; end: () => void } | undefined;

const WRITE_AFTER_MS = 2_000;
const RETRY_AFTER_MS = 30_000;
const HOUR_MS = 60 * 60 * 1_000;

/** Counts a batch of stored statuses in memory, without a statement per webhook. */
export function countStatuses(lines: readonly RecordedLine[], now = new Date()): void {
  for (const { workspaceId, phoneNumberId, isConnected, received, kept } of lines) {
    const owner = { workspaceId, phoneNumberId };
    for (const { kind, atMs, count } of alike(kept)) add({ ...owner, kind, lagMs: now.getTime() - atMs, now, count });
    const count = received - kept.length;
    if (isConnected && count > 0) add({ ...owner, kind: "duplicate", lagMs: 0, now, count });
  }
}

/** WhatsApp counts whole seconds, so a burst of a thousand statuses is a few counts. */
function alike(kept: readonly KeptStatus[]): Iterable<{ kind: Kind; atMs: number; count: number }> {
  const counted = new Map<string, { kind: Kind; atMs: number; count: number }>();
  for (const status of kept) {
    const [kind, atMs] = [kindOf(status), status.occurredAt.getTime()];
    const known = counted.get(`${kind} ${atMs}`);
    if (known) known.count += 1;
    else counted.set(`${kind} ${atMs}`, { kind, atMs, count: 1 });
  }
  return counted.values();
}

/** Counts inbound messages. Numbers that are not our lines are dropped when the counts are written. */
export function countInbound(messages: readonly InboundMessage[], now = new Date()): void {
  for (const { whatsappPhoneNumberId, occurredAt } of messages) {
    add({ whatsappPhoneNumberId, kind: "inbound", lagMs: now.getTime() - occurredAt.getTime(), now });
  }
}

/** Writes what was counted so far. Never throws: what could not be written is tried again later. */
export async function writeWebhookCounts(): Promise<void> {
  const counts = pending;
  pending = new Map();
  clearTimeout(waiting?.timer);
  waiting?.end();
  waiting = undefined;
  if (counts.size === 0) return;
  const rows = [...counts.values()];
  try {
    await onSql(
      (sql) => sql`
        insert into webhook_hours (workspace_id, phone_number_id, hour, kind, bucket, count)
        select line.workspace_id, line.id, to_timestamp(counted.hour * 3600), counted.kind, counted.bucket, sum(counted.count)
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as counted (
          "workspaceId" text, "phoneNumberId" text, "whatsappPhoneNumberId" text,
          hour int, kind text, bucket int, count int)
        join phone_numbers line on
          (line.workspace_id = counted."workspaceId" and line.id = counted."phoneNumberId")
          or (line.whatsapp_phone_number_id = counted."whatsappPhoneNumberId" and line.disconnected_at is null)
        group by 1, 2, 3, 4, 5
        -- Locked in one order, so that two servers cannot deadlock.
        order by 1, 2, 3, 4, 5
        on conflict (workspace_id, phone_number_id, hour, kind, bucket)
          do update set count = webhook_hours.count + excluded.count`,
      { pool: "webhooks" },
    );
  } catch (error) {
    log("warn", "webhook.counts-not-written", { rows: rows.length, ...errorFields(error) });
    for (const row of rows) addRow(row);
    writeAfter(RETRY_AFTER_MS);
  }
}

function kindOf({ status: word, isMatched, before }: KeptStatus): Kind {
  if (!isMatched) return "unmatched";
  const status = statusOfWord(word);
  return status && before && rank(status) < rank(before) ? "outOfOrder" : "status";
}

type Owner = { workspaceId: string; phoneNumberId: string } | { whatsappPhoneNumberId: string };
type Counted = { kind: Kind; lagMs: number; now: Date; count?: number } & Owner;
type Row = { hour: number; kind: Kind; bucket: number; count: number } & Owner;

function add({ kind, lagMs, now, count: times = 1, ...owner }: Counted): void {
  count("switchboard_webhook_events_total", { kind }, times);
  if (kind !== "duplicate") observe("switchboard_webhook_lag_seconds", lagMs / 1_000, { kind }, times);
  addRow({ ...owner, hour: Math.floor(now.getTime() / HOUR_MS), kind, bucket: bucketOf(lagMs), count: times });
  writeAfter(WRITE_AFTER_MS);
}

function addRow(row: Row): void {
  const key = Object.values({ ...row, count: undefined }).join();
  const known = pending.get(key);
  if (known) known.count += row.count;
  else pending.set(key, row);
}

function writeAfter(ms: number): void {
  if (waiting) return;
  // A function that is frozen may be recycled, with its counts.
  keepFunctionAlive(
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        waiting = undefined;
        resolve(writeWebhookCounts());
      }, ms).unref();
      waiting = { timer, end: resolve };
    }),
  );
}
