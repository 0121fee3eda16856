import type { Fragment, Sql } from "postgres";
import type { Transaction } from "@/db/client";
import { lockPeople, rawSql } from "@/db/raw-sql";
import { closedBy } from "@/db/schema/messages";
import { env } from "@/lib/core/env";
import { ERASED_PHONE } from "@/lib/core/phone";
import { type Mode, provenWorkspaceId } from "@/lib/core/principal";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";
import { announceContacts, CONTACT_EVENTS, eventId } from "./announce-contacts";
import { eventsOf, preferenceIn, type Words } from "./inbound-events";
import type { PersonEvent, Preference } from "./person";
import { phoneDigest } from "./personal-data";
import { matcherOf } from "./stop-words";
import { storePeople, storingPeople } from "./store-people";

/**
 * Records what people did: creates the contact, opens its 24 hours, stores its names and its marketing preference, closes
 * the session of a completed flow (docs/decisions/0025), and announces it to the endpoints that subscribe. Idempotent,
 * even if the person was erased since. With `mode`, for lines of that mode only. Returns the messages to unknown lines.
 */
export async function recordInbound(
  messages: InboundMessage[],
  { mode }: { mode?: Mode } = {},
): Promise<InboundMessage[]> {
  if (messages.length === 0) return [];
  const known = await storingPeople((tx) => record(tx, messages, mode), "webhooks");
  return messages.filter(({ whatsappPhoneNumberId }) => !known.has(whatsappPhoneNumberId));
}

/** As Postgres writes an array. */
const SUBSCRIBED = `{${CONTACT_EVENTS.join(",")}}`;

/** One of our lines, and what its workspace asks for. */
type Line = {
  /** WhatsApp's. */
  id: string;
  workspace_id: string;
  stop_words: string[];
  start_words: string[];
  /** Whether an endpoint subscribes to events about contacts. */
  has_endpoints: boolean;
};

async function record(tx: Transaction, messages: readonly InboundMessage[], mode?: Mode): Promise<Set<string>> {
  const sql = rawSql(tx);
  const rows = JSON.stringify(messages.map(toRow));
  const inbound = inboundIn(sql, { rows, mode });
  const lines = await sql<Line[]>`${inbound}, seen as (
      update phone_numbers set last_webhook_at = now()
      where (workspace_id, id) in (
        select p.workspace_id, p.id from phone_numbers p
        join (select distinct workspace_id, phone_number_id as id from inbound) line using (workspace_id, id)
        where p.last_webhook_at is null or p.last_webhook_at < now() - interval '10 seconds'
        for no key update of p skip locked
      )
    )
    select p.whatsapp_phone_number_id as id, p.workspace_id, w.stop_words, w.start_words, exists (
        select from webhook_endpoints e where e.workspace_id = p.workspace_id and e.deleted_at is null
          and e.events ?| ${SUBSCRIBED}::text::text[]
      ) as has_endpoints
    from phone_numbers p join workspaces w on w.id = p.workspace_id
    where p.whatsapp_phone_number_id in (select whatsapp_phone_number_id from message)`;
  if (lines.length === 0) return new Set();
  await lockPeople(
    sql,
    lines.map(({ workspace_id }) => workspace_id),
  );
  const erasures = possibleErasures(messages, lines, await heldNames(sql, messages, lines));
  const found = await resolve(sql, { inbound, messages, erasures });
  const words = new Map(lines.map((line) => [line, wordsOf(line)]));
  const preferenceOf = (one: Resolved) => {
    const line = lineOf(lines, one);
    return preferenceIn(one.message, line && words.get(line));
  };
  const resolved = found.map((one) => ({ ...one, preference: preferenceOf(one) }));
  const stored = await storePeople(tx, resolved.map(toEvent));
  const contactIds = stored.map((person) => person?.after.id ?? null);
  const announced = resolved.flatMap((one, index) => {
    const person = stored[index];
    if (!person || person.isRepeated || !lineOf(lines, one)?.has_endpoints) return [];
    return eventsOf({ ...one, contactId: person.after.id });
  });
  await announceContacts(sql, announced);
  const replies = resolved.flatMap(({ message, workspaceId, phoneNumberId, answered }, index) => {
    if (!message.isFlowReply) return [];
    const contactId = contactIds[index] ?? null;
    return [{ workspaceId, phoneNumberId, contactId, messageId: answered?.id ?? null, repliesTo: message.repliesTo }];
  });
  if (replies.length > 0) await closeFlowSessions(sql, replies);
  return new Set(lines.map(({ id }) => id));
}

const lineOf = (lines: readonly Line[], { message, workspaceId }: Resolved): Line | undefined =>
  lines.find((line) => line.id === message.whatsappPhoneNumberId && line.workspace_id === workspaceId);

const wordsOf = (line: Line): Words => ({
  isStop: matcherOf(line.stop_words),
  isStart: matcherOf(line.start_words),
});

const inboundIn = (sql: Sql, { rows, mode }: { rows: string; mode: Mode | undefined }) => sql`
  with message as (
    select * from json_to_recordset(${rows}::text::json) as message (
      index int, whatsapp_phone_number_id text, occurred_at timestamptz, replies_to text)
  ), inbound as (
    -- A workspace receives nothing for a disconnected line: another workspace may have the number by now.
    select message.*, line.workspace_id, line.id as phone_number_id, line.mode, line.whatsapp_business_account_id as account
    from message join phone_numbers line using (whatsapp_phone_number_id)
    where line.disconnected_at is null ${mode === undefined ? sql`` : sql`and line.mode = ${mode}`}
  )`;

/** An inbound message in one of its line's workspaces, and the message of ours that it replies to. */
export type Resolved = {
  message: InboundMessage;
  workspaceId: string;
  phoneNumberId: string;
  mode: Mode;
  account: string;
  answered: { id: string; contact_id: string; phone: string; idempotency_key: string | null } | null;
};

/** Drops the messages of people who were erased since. */
async function resolve(
  sql: Sql,
  { inbound, messages, erasures }: { inbound: Fragment; messages: readonly InboundMessage[]; erasures: object[] },
): Promise<Resolved[]> {
  const found = await sql<(Omit<Resolved, "message"> & { index: number })[]>`${inbound}, given as (
      select * from json_to_recordset(${JSON.stringify(erasures)}::text::json) as given (
        workspace_id text, index int, digest text, since timestamptz)
    ), erased as materialized (
      select entry.workspace_id, entry.target_id, entry.at
      from (select workspace_id, min(since) as since from given group by 1) asked
      join audit_log entry on entry.workspace_id = asked.workspace_id and entry.at >= asked.since
      -- "is true", so that it is looked up in a hash: as a join it may become one by one.
      where entry.action = 'contact.erased' and (entry.target_id in (select digest from given)) is true
    ), erasure as (
      select given.workspace_id, given.index from given
      join erased on erased.workspace_id = given.workspace_id and erased.at >= given.since and erased.target_id = given.digest
    )
    select index, workspace_id as "workspaceId", phone_number_id as "phoneNumberId", mode, account, case when replies_to is not null then (
        select json_build_object('id', m.id, 'contact_id', m.contact_id, 'phone', m.phone,
          'idempotency_key', m.idempotency_key)
        from messages m
        where m.workspace_id = inbound.workspace_id and m.phone_number_id = inbound.phone_number_id
          and m.whatsapp_message_id = inbound.replies_to and m.phone <> ${ERASED_PHONE}
        limit 1
      ) end as answered
    from inbound
    where (workspace_id, index) not in (select workspace_id, index from erasure)
    order by index`;
  return found.flatMap(({ index, ...rest }) => {
    const message = messages[index];
    return message ? [{ message: { ...message, occurredAt: wholeSecond(message.occurredAt) }, ...rest }] : [];
  });
}

/** A time of receipt, too, is compared in WhatsApp's seconds: else it would be later than others of its second. */
const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / 1_000) * 1_000);

function toEvent({
  message,
  workspaceId,
  phoneNumberId,
  mode,
  account,
  answered,
  preference,
}: Resolved & { preference: Omit<Preference, "atMs"> | undefined }): PersonEvent {
  const { from, whatsappUserId, previous, occurredAt } = message;
  const id = message.message?.whatsappMessageId ?? message.noticeDigest;
  // A part of the digest: it is compared with the last ones of the people who have a name of this webhook.
  const key = id === undefined || message.countsAgain ? {} : { key: eventId("in", phoneNumberId, id).slice(-12) };
  const of = { workspaceId, account, atMs: occurredAt.getTime(), ...key };
  if (previous) return { ...of, kind: "moved", from: previous, to: { number: from, userId: whatsappUserId } };
  return {
    ...of,
    kind: "seen",
    numbers: numbersOf(message),
    userId: whatsappUserId,
    hasWritten: true,
    opensWindow: message.opensWindow,
    displayName: message.name,
    preference: preference && { ...preference, mode },
    sentTo: answered?.contact_id ?? null,
    sentToName: answered?.phone ?? null,
    // Only the person in the chat can reply to a message in it.
    isSentToCertain: true,
  };
}

const numbersOf = ({ from, otherNumbers }: InboundMessage): string[] => [
  ...(from === null ? [] : [from]),
  ...otherNumbers,
];

const namesOf = (message: InboundMessage): string[] =>
  [...numbersOf(message), message.whatsappUserId, message.previous?.number, message.previous?.userId].flatMap(
    (name) => name ?? [],
  );

/** Returns the names ended by notices that a contact still has, as `workspace/name`. */
async function heldNames(
  sql: Sql,
  messages: readonly InboundMessage[],
  lines: readonly { workspace_id: string }[],
): Promise<ReadonlySet<string>> {
  const names = messages.flatMap(({ previous }) => [previous?.number, previous?.userId]).flatMap((name) => name ?? []);
  if (names.length === 0) return new Set();
  const found = await sql<{ workspace_id: string; name: string }[]>`
    select distinct n.workspace_id, n.name from json_array_elements_text(${JSON.stringify(names)}::text::json) as given (name)
    join contact_names n using (name)
    where n.workspace_id in ${sql(lines.map(({ workspace_id }) => workspace_id))}`;
  return new Set(found.map(({ workspace_id, name }) => `${workspace_id}/${name}`));
}

/**
 * Returns the digest that an erasure of each name would have in the audit log. A notice about an erased person
 * is applied only if they have written since, because it would restore the names.
 */
function possibleErasures(
  messages: readonly InboundMessage[],
  lines: readonly { id: string; workspace_id: string }[],
  held: ReadonlySet<string>,
) {
  const isStillHeld = ({ previous }: InboundMessage, workspaceId: string) =>
    [previous?.number, previous?.userId].some((name) => held.has(`${workspaceId}/${name}`));
  const peppers = [env().KEY_PEPPER, env().KEY_PEPPER_PREVIOUS].filter((pepper) => pepper !== undefined);
  return lines.flatMap(({ id, workspace_id }) =>
    messages.flatMap((message, index) =>
      message.whatsappPhoneNumberId === id
        ? namesOf(message).flatMap((name) =>
            peppers.map((pepper) => ({
              workspace_id,
              index,
              since: message.previous && !isStillHeld(message, workspace_id) ? "-infinity" : message.occurredAt,
              digest: phoneDigest(provenWorkspaceId(workspace_id), name, pepper),
            })),
          )
        : [],
    ),
  );
}

type FlowReply = {
  workspaceId: string;
  phoneNumberId: string;
  contactId: string | null;
  messageId: string | null;
  repliesTo: string | null;
};

/**
 * Closes the session of the flow message that a reply names, regardless of the sender, so a late repetition
 * never closes a newer session. If the message is unknown, it closes the author's sessions and waits
 * for the message.
 */
const closeFlowSessions = (sql: Sql, replies: readonly FlowReply[]) => sql`
  with reply as (
    select * from json_to_recordset(${JSON.stringify(replies)}::text::json) as reply (
      "workspaceId" text, "phoneNumberId" text, "contactId" text, "messageId" text, "repliesTo" text)
  ), waiting as (
    insert into flow_replies (workspace_id, phone_number_id, whatsapp_message_id)
    select distinct "workspaceId", "phoneNumberId", "repliesTo" from reply
    where "messageId" is null and "repliesTo" is not null
    on conflict do nothing
  )
  , replied as materialized (
    -- Two look-ups by key: one of either would read all open sessions of the workspace for each reply.
    select found.workspace_id, found.id from reply cross join lateral (
      select workspace_id, id, phone_number_id, message_id, closed_at from flow_sessions
      where workspace_id = reply."workspaceId" and id = 'fs_' || substr(reply."messageId", 5) limit 1
    ) found
    where found.message_id = reply."messageId" and found.phone_number_id = reply."phoneNumberId" and found.closed_at is null
    union
    select o.workspace_id, o.id from reply join flow_sessions o
      on o.workspace_id = reply."workspaceId" and o.contact_id = reply."contactId" and o.closed_at is null
      and o.phone_number_id = reply."phoneNumberId"
    where reply."messageId" is null
    limit ${10 * replies.length}
  )
  update flow_sessions s set ${closedBy(sql, "reply")} from replied
  where s.workspace_id = replied.workspace_id and s.id = replied.id
    -- So that it is no look-up in the index of what is open.
    and (s.closed_at is null) is true`;

const toRow = (message: InboundMessage, index: number) => ({
  index,
  whatsapp_phone_number_id: message.whatsappPhoneNumberId,
  occurred_at: message.occurredAt,
  replies_to: message.repliesTo,
});
