import type { PendingQuery, Row, Sql } from "postgres";
import { DatabaseUnavailable } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import type { MessageStatus } from "@/db/schema";
import { type LearnedRecipient, storeRecipients } from "@/lib/contacts/learn-recipients";
import { queued } from "@/lib/core/due-work";
import type { Mode } from "@/lib/core/principal";
import { keyUnitAgain, unitsAgain } from "@/lib/limits/take-unit";
import type { StatusEvent } from "@/lib/whatsapp/status-webhooks";
import { type MessageEvents, matchStatuses, recipientOf, type StatusMatch } from "./match-statuses";
import { isRefused } from "./status";
import {
  eventRows,
  isOfMessage,
  type Lines,
  lineKey,
  linesOf,
  type Matched,
  messageKey,
  messageRows,
} from "./status-rows";

/** The result of a batch of statuses for one of our lines. */
export type RecordedLine = {
  workspaceId: string;
  phoneNumberId: string;
  isConnected: boolean;
  /** How many statuses of the batch name the line. */
  received: number;
  kept: KeptStatus[];
};

/** A status received for the first time. */
export type KeptStatus = Pick<StatusEvent, "status" | "occurredAt"> & {
  isMatched: boolean;
  /** Its message's previous status; null without a message or if that had been refused. */
  before: MessageStatus | null;
};

/** `unmatched`: events about lines that are not ours. */
export type RecordedStatuses = { lines: RecordedLine[]; unmatched: StatusEvent[] };

/** Each retry means that a message changed between being read and being written. */
const MAX_ATTEMPTS = 20;

/**
 * Stores every event and updates its message: by our id on that line, else by WhatsApp's, else once it is known.
 * Idempotent in any order. `mode` limits the lines. Without `countsRepeats`, repeats are not counted again.
 * Messages and events are read, joined here, and written by one statement that leaves out what was changed since then
 * (docs/decisions/0033). Throws DatabaseUnavailable.
 */
export async function recordStatuses(
  events: readonly StatusEvent[],
  { mode, countsRepeats = true }: { mode?: Mode; countsRepeats?: boolean } = {},
): Promise<RecordedStatuses> {
  const lines: RecordedLine[] = [];
  const ours = new Set<string>();
  let left = byMessage(events);
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > MAX_ATTEMPTS) throw new DatabaseUnavailable("messages change faster than their statuses are written");
    const matches = await matchStatuses(left, mode);
    for (const { received } of matches) ours.add(received.whatsappPhoneNumberId);
    const written = await write(matches, countsRepeats);
    lines.push(...written.lines);
    left = written.outdated;
  }
  return { lines, unmatched: events.filter((event) => !ours.has(event.whatsappPhoneNumberId)) };
}

/** Groups events by WhatsApp's message id within a line; some events lack our own id. */
function byMessage(events: readonly StatusEvent[]): MessageEvents[] {
  const batch = new Map<string, MessageEvents>();
  for (const event of events) {
    const { whatsappPhoneNumberId, whatsappMessageId } = event;
    const key = `${whatsappPhoneNumberId}/${whatsappMessageId}`;
    const received = batch.get(key) ?? { whatsappPhoneNumberId, whatsappMessageId, events: [] };
    batch.set(key, received);
    const digest = Buffer.from(event.digest).toString("hex");
    // Merge duplicates: ON CONFLICT cannot update a row twice in one statement.
    const known = received.events.find((one) => one.digest === digest);
    if (known) known.repeats += 1;
    else received.events.push({ event, digest, repeats: 0 });
  }
  return [...batch.values()];
}

/** Writes the messages that are unchanged since they were read; `outdated` has the others. */
async function write(
  matches: readonly StatusMatch[],
  countsRepeats: boolean,
): Promise<{ lines: RecordedLine[]; outdated: MessageEvents[] }> {
  if (matches.length === 0) return { lines: [], outdated: [] };
  const lines = linesOf(matches);
  const messages = messageRows(matches.filter(isOfMessage), lines);
  const events = matches.flatMap((match) => eventRows(match, lines));
  const { current, kept } = await writeRows({ lines, messages, events: events.map(({ row }) => row) }, countsRepeats);
  const isOutdated = (match: StatusMatch) => isOfMessage(match) && !current.has(messageKey(match));
  const outdated = new Set(matches.filter(isOutdated).map(({ received }) => received));
  const stored = matches.filter(({ received }) => !outdated.has(received));
  queued("deliveries");
  await storeRecipients(learnedOf(stored.filter(isOfMessage)));
  const news = events.filter(({ row, match }) => kept.has(row.id) && !outdated.has(match.received));
  return { lines: recordedLines(stored, news), outdated: [...outdated] };
}

type Part = PendingQuery<Row[]>;

type Rows = {
  lines: Lines;
  messages: ReturnType<typeof messageRows>;
  events: ReturnType<typeof eventRows>[number]["row"][];
};

/**
 * The one statement. Returns the keys of the messages that were unchanged, and the ids of the events that are new or repeated.
 * Its parts of rare rows are left out where there are none, because Postgres sets up each part at each execution.
 */
async function writeRows({ lines, messages, events }: Rows, countsRepeats: boolean) {
  const moves = messages.filter((row) => "moves" in row);
  const hasUnits = moves.some(({ key_unit_month }) => key_unit_month);
  const mayOpen = moves.some(({ may_open_session }) => may_open_session);
  const isSilent = [...lines.values()].some(({ is_silent }) => is_silent);
  const [written] = await onSql(
    (sql) => sql<{ current: string[]; kept: string[] }[]>`
      with line as (
        select * from json_to_recordset(${JSON.stringify([...lines.values()])}::text::json) as line (
          line int, workspace_id text, id text, is_silent boolean)
      ), seen as (
        select * from json_to_recordset(${JSON.stringify(messages)}::text::json) as seen (
          line int, id text, version text, moves boolean, phase send_phase,
          status message_status, sent_at timestamptz, delivered_at timestamptz, read_at timestamptz,
          failed_at timestamptz, failure_code int, failure_reason text, failure_trace_id text, whatsapp_message_id text,
          unit_month date, key_unit_month date, may_open_session boolean, pricing_billable boolean, pricing_type text, pricing_category text,
          pricing_model text, priced_at timestamptz, recipient_country text)
      ), event as (
        select * from json_to_recordset(${JSON.stringify(events)}::text::json) as event (
          line int, message_id text, id text, digest text, whatsapp_message_id text, status text, failure_code int,
          failure_reason text, raw text, occurred_at timestamptz, repeats int)
      ), current as (
        -- Locked in one order, so that two batches about the same messages cannot deadlock. By key, one by one; the version is
        -- asked outside, where the planner expects few of it: so it reads by key below, too, and not the table.
        select seen.*, m.api_key_id from (
          select line.workspace_id, seen.* from seen join line using (line)
          order by workspace_id collate "C", seen.id collate "C" offset 0) seen
        cross join lateral (
          select m.api_key_id, m.xmin::text as version from messages m
          where m.workspace_id = seen.workspace_id and m.id = seen.id limit 1 for no key update) m
        where m.version = seen.version
      ) ${hasUnits ? unitsAgain(sql) : sql``} ${mayOpen ? openedSessions(sql) : sql``},
      moved as (${movedMessages(sql, hasUnits)}), kept as (${keptEvents(sql, countsRepeats)})
      ${isSilent ? notifiedLines(sql) : sql``}
      select coalesce((select json_agg(workspace_id || '/' || id) from current), '[]') as current,
        coalesce((select json_agg(id) from kept), '[]') as kept`,
    { pool: "webhooks" },
  );
  return { current: new Set(written?.current), kept: new Set(written?.kept) };
}

/** The part, after a comma, that opens the sessions of flow messages of the part `current` whose first proof this is. */
function openedSessions(sql: Sql): Part {
  return sql`
      , opened as (
        insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id, opened_at)
        select m.workspace_id, 'fs_' || substr(m.id, 5), coalesce(c.merged_into, c.id), m.phone_number_id, m.id,
          coalesce(current.sent_at, m.sent_at, now())
        from current join messages m on m.workspace_id = current.workspace_id and m.id = current.id
        join contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
        where current.may_open_session and m.request::json #>> '{content,interactive,type}' = 'flow'
        on conflict (workspace_id, id) do nothing
      )`;
}

/** The part, after a comma, that stores when the silent lines had their latest webhook. */
function notifiedLines(sql: Sql): Part {
  return sql`
      , notified as (
        update phone_numbers set last_webhook_at = now()
        where (workspace_id, id) in (
          select p.workspace_id, p.id from phone_numbers p
          join (select workspace_id, id from line where is_silent) silent using (workspace_id, id)
          for no key update of p skip locked
        )
      )`;
}

/** Moves the messages of the part `current`. */
function movedMessages(sql: Sql, hasUnits: boolean): Part {
  return sql`
        update messages m set
          phase = coalesce(current.phase, m.phase), status = coalesce(current.status, m.status),
          sent_at = coalesce(current.sent_at, m.sent_at), delivered_at = coalesce(current.delivered_at, m.delivered_at),
          read_at = coalesce(current.read_at, m.read_at), failed_at = current.failed_at,
          failure_code = current.failure_code, failure_reason = current.failure_reason,
          failure_trace_id = current.failure_trace_id,
          whatsapp_message_id = coalesce(m.whatsapp_message_id, current.whatsapp_message_id),
          unit_month = coalesce(m.unit_month, current.unit_month),
          key_unit_month = ${hasUnits ? keyUnitAgain(sql) : sql`m.key_unit_month`},
          pricing_billable = coalesce(current.pricing_billable, m.pricing_billable),
          pricing_category = coalesce(current.pricing_category, m.pricing_category),
          pricing_type = case when current.priced_at is null then m.pricing_type else current.pricing_type end,
          pricing_model = case when current.priced_at is null then m.pricing_model else current.pricing_model end,
          priced_at = coalesce(current.priced_at, m.priced_at),
          recipient_country = coalesce(m.recipient_country, current.recipient_country),
          updated_at = now()
        from current where current.moves and m.workspace_id = current.workspace_id and m.id = current.id`;
}

/** Stores the events of the part `event` whose messages are in the part `current`, or that have none yet. */
function keptEvents(sql: Sql, countsRepeats: boolean): Part {
  return sql`
        insert into status_events (
          workspace_id, id, phone_number_id, message_id, digest, whatsapp_message_id, status, failure_code, failure_reason,
          raw, occurred_at, repeats)
        select line.workspace_id, event.id, line.id, event.message_id, decode(event.digest, 'hex'),
          event.whatsapp_message_id, event.status, event.failure_code, event.failure_reason, event.raw,
          event.occurred_at, coalesce(event.repeats, 0)
        from event join line using (line)
        where event.message_id is null
          or (line.workspace_id, event.message_id) in (select workspace_id, id from current)
        -- One order here, too: an event that another batch is about to insert is waited for.
        order by line.workspace_id collate "C", line.id collate "C", event.digest collate "C"
        -- An unmatched event gets its message; a matched one is a repeat. WhatsApp's first raw object
        -- stays, unless the message's contents were removed, in which case it is null.
        on conflict (workspace_id, phone_number_id, digest) do update set
            message_id = coalesce(status_events.message_id, excluded.message_id),
            failure_reason = case when status_events.message_id is null then excluded.failure_reason
              else status_events.failure_reason end,
            raw = case when excluded.raw is not null then status_events.raw end,
            repeats = case when status_events.message_id is null or not ${countsRepeats} then status_events.repeats
              else status_events.repeats + 1 + excluded.repeats end
          where excluded.message_id is not null
        returning id`;
}

/** Of each contact once, for its oldest message. */
function learnedOf(matches: readonly Matched[]): LearnedRecipient[] {
  const learned = matches
    .filter(({ isNewRecipient }) => isNewRecipient)
    .map(({ workspaceId, account, message: { contactId, phone, createdAt }, received }) => ({
      workspaceId,
      account,
      contactId,
      sentTo: phone,
      ...recipientOf(received.events),
      since: createdAt,
    }))
    .sort((a, b) => b.since.getTime() - a.since.getTime());
  return [...new Map(learned.map((one) => [`${one.workspaceId}/${one.contactId}`, one])).values()];
}

function recordedLines(matches: readonly StatusMatch[], news: ReturnType<typeof eventRows>): RecordedLine[] {
  const lines = new Map<string, RecordedLine>();
  for (const match of matches) {
    const { workspaceId, phoneNumberId, isConnected, received } = match;
    const line = lines.get(lineKey(match)) ?? { workspaceId, phoneNumberId, isConnected, received: 0, kept: [] };
    lines.set(lineKey(match), line);
    line.received += received.events.reduce((sum, { repeats }) => sum + 1 + repeats, 0);
  }
  for (const { match, event } of news) {
    const before = match.message && !isRefused(match.message) ? match.message.status : null;
    const { status, occurredAt } = event;
    lines.get(lineKey(match))?.kept.push({ status, occurredAt, isMatched: match.message !== null, before });
  }
  return [...lines.values()];
}
