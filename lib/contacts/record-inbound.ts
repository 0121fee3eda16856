import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { rawSql, readInstant } from "@/db/raw-sql";
import { env } from "@/lib/process/env";
import { newId } from "@/lib/tenancy/new-id";
import { provenWorkspaceId } from "@/lib/tenancy/workspace-id";
import { ERASED_PHONE } from "@/lib/text/phone";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";
import { closedBy } from "./closed-by";
import { type Author, type FlowReply, type InboundPlan, planInbound, type ResolvedMessage } from "./inbound-plan";
import { storeLearned } from "./learn-recipients";
import { phoneDigest } from "./phone-digest";

/**
 * Takes what contacts wrote: the contact exists from now on, its 24 hours are open, a completed flow closes its session
 * and a changed number moves with its contact. A person is found by number, by an alias of it, by user id, and by the
 * message that they answer; where these lead to several contacts, all of them have seen from the person. Repeating it
 * changes nothing, also where the person was erased since. Returns the messages to lines that are not ours.
 */
export const recordInbound = async (messages: InboundMessage[]): Promise<InboundMessage[]> => {
  if (messages.length === 0) return [];
  const known = await onDatabase((db) => db.transaction((tx) => record(rawSql(tx), messages)), {
    pool: "webhooks",
  });
  return messages.filter(({ whatsappPhoneNumberId }) => !known.has(whatsappPhoneNumberId));
};

const record = async (sql: Sql, messages: readonly InboundMessage[]): Promise<Set<string>> => {
  const rows = JSON.stringify(messages.map(toRow));
  // One batch at a time and workspace: contacts are met by number and by user id, so no order of rows would do.
  const lines = await sql<{ id: string; workspace_id: string }[]>`${inboundIn(sql, rows)}, seen as (
      update phone_numbers set last_webhook_at = now()
      where (workspace_id, id) in (
        select p.workspace_id, p.id from phone_numbers p
        join (select distinct workspace_id, phone_number_id as id from inbound) line using (workspace_id, id)
        where p.last_webhook_at is null or p.last_webhook_at < now() - interval '10 seconds'
        for no key update of p skip locked
      )
    ), locked as materialized (
      select pg_advisory_xact_lock(hashtextextended('inbound ' || workspace_id, 0))
      from (select distinct workspace_id from inbound order by workspace_id) workspace
    )
    select distinct whatsapp_phone_number_id as id, workspace_id, (select count(*) from locked) as locks
    from phone_numbers where whatsapp_phone_number_id in (select whatsapp_phone_number_id from message)`;
  if (lines.length === 0) return new Set();

  if (messages.some(({ previousPhone }) => previousPhone !== undefined)) await moveNumbers(sql, rows);
  const resolved = await resolve(sql, { rows, messages, erasures: possibleErasures(messages, lines) });
  const plan = planInbound(resolved, () => newId("ct"));
  await create(sql, plan);
  await recordSeen(sql, plan);
  if (plan.learned.length > 0) await storeLearned(sql, plan.learned);
  if (plan.flowReplies.length > 0) await closeFlowSessions(sql, plan.flowReplies);
  return new Set(lines.map(({ id }) => id));
};

const inboundIn = (sql: Sql, rows: string) => sql`
  with message as (
    select * from json_to_recordset(${rows}::text::json) as message (
      index int, whatsapp_phone_number_id text, phone text, whatsapp_user_id text, occurred_at timestamptz,
      replies_to text, previous_phone text)
  ), inbound as (
    -- A workspace that disconnected a line receives nothing more of it: another workspace may have the number by now.
    select message.*, line.workspace_id, line.id as phone_number_id
    from message join phone_numbers line using (whatsapp_phone_number_id) where line.disconnected_at is null
  )`;

type ResolvedRow = {
  index: number;
  workspace_id: string;
  phone_number_id: string;
  answered: { id: string; contact_id: string; created_at: string } | null;
  authors: Author[];
};

/** Whom each message may be from, without those of people who were erased since. */
const resolve = async (
  sql: Sql,
  { rows, messages, erasures }: { rows: string; messages: readonly InboundMessage[]; erasures: object[] },
): Promise<ResolvedMessage[]> => {
  const found = await sql<ResolvedRow[]>`${inboundIn(sql, rows)}, erasure as (
      select given.workspace_id, given.identity, max(entry.at) as at
      from json_to_recordset(${JSON.stringify(erasures)}::text::json) as given (
        workspace_id text, identity text, digest text, occurred_at timestamptz)
      join audit_log entry on entry.workspace_id = given.workspace_id and entry.at >= given.occurred_at
        and entry.action = 'contact.erased' and entry.target_id = given.digest
      group by given.workspace_id, given.identity
    ), written as (
      select inbound.*, (
        select json_build_object('id', m.id, 'contact_id', m.contact_id, 'created_at', m.created_at) from messages m
        where m.workspace_id = inbound.workspace_id and m.phone_number_id = inbound.phone_number_id
          and m.whatsapp_message_id = inbound.replies_to and m.phone <> ${ERASED_PHONE}
        limit 1
      ) as answered
      from inbound where previous_phone is null and not exists (
        select from erasure where erasure.workspace_id = inbound.workspace_id
          and erasure.identity in (inbound.phone, inbound.whatsapp_user_id) and erasure.at >= inbound.occurred_at
      )
    )
    select index, workspace_id, phone_number_id, answered, (
      select coalesce(json_agg(json_build_object('id', c.id, 'phone', c.phone) order by c.id), '[]') from contacts c
      where c.workspace_id = written.workspace_id and c.erased_at is null and c.id in (
        select id from contacts n where n.workspace_id = written.workspace_id and n.phone = written.phone
        union all
        select a.contact_id from contact_aliases a
        where a.workspace_id = written.workspace_id and a.wa_id = written.phone
        union all
        select id from contacts u
        where u.workspace_id = written.workspace_id and u.whatsapp_user_id = written.whatsapp_user_id
        union all
        select answered ->> 'contact_id')
    ) as authors
    from written order by index`;
  return found.flatMap(({ index, workspace_id: workspaceId, phone_number_id: phoneNumberId, answered, authors }) => {
    const message = messages[index];
    if (!message) return [];
    return [
      {
        workspaceId,
        phoneNumberId,
        message,
        authors,
        answered: answered && {
          messageId: answered.id,
          contactId: answered.contact_id,
          createdAt: readInstant(answered.created_at),
        },
      },
    ];
  });
};

/** A send may have made the same contact just now: then that one has the number. */
const create = async (sql: Sql, { created, seen }: InboundPlan): Promise<void> => {
  if (created.length === 0) return;
  const made = await sql<{ workspace_id: string; id: string }[]>`
    insert into contacts (workspace_id, id, phone, whatsapp_user_id)
    select "workspaceId", id, phone, "userId"
    from json_to_recordset(${JSON.stringify(created)}::text::json) as created (
      "workspaceId" text, id text, phone text, "userId" text)
    order by "workspaceId", phone, "userId"
    on conflict do nothing
    returning workspace_id, id`;
  if (made.length === created.length) return;
  const taken = await sql<{ planned: string; id: string }[]>`
    select created.id as planned, c.id
    from json_to_recordset(${JSON.stringify(created)}::text::json) as created (
      "workspaceId" text, id text, phone text, "userId" text)
    join contacts c on c.workspace_id = created."workspaceId" and c.id <> created.id and (
      c.phone = created.phone or (created.phone is null and c.whatsapp_user_id = created."userId"))`;
  for (const { planned, id } of taken) {
    for (const one of seen) if (one.contactId === planned) one.contactId = id;
  }
};

const recordSeen = (sql: Sql, { seen, aliases }: InboundPlan) => sql`
  with seen as (
    select * from json_to_recordset(${JSON.stringify(seen)}::text::json) as seen (
      "workspaceId" text, "contactId" text, at timestamptz, name text, "userId" text, phone text)
  ), alias as (
    insert into contact_aliases (workspace_id, wa_id, contact_id)
    select "workspaceId", "waId", "contactId"
    from json_to_recordset(${JSON.stringify(aliases)}::text::json) as alias (
      "workspaceId" text, "waId" text, "contactId" text)
    on conflict do nothing
  )
  update contacts c set
    last_inbound_at = greatest(c.last_inbound_at, seen.at),
    name = coalesce(c.name, seen.name),
    whatsapp_user_id = coalesce(seen."userId", c.whatsapp_user_id),
    -- A person who was known by user id alone shows a number.
    phone = coalesce(c.phone, case when not exists (
      select from contacts taken where taken.workspace_id = c.workspace_id and taken.phone = seen.phone
    ) then seen.phone end)
  from seen where c.workspace_id = seen."workspaceId" and c.id = seen."contactId"`;

/** The contact keeps its id under the new number, unless that is another's already; the old number is no alias. */
const moveNumbers = async (sql: Sql, rows: string) => {
  await sql`${inboundIn(sql, rows)}, moving as (
      select distinct on (inbound.workspace_id, inbound.phone) inbound.workspace_id, inbound.phone, inbound.previous_phone,
        coalesce(
          (select id from contacts c where c.workspace_id = inbound.workspace_id and c.phone = inbound.previous_phone),
          (select min(contact_id) from contact_aliases a
            where a.workspace_id = inbound.workspace_id and a.wa_id = inbound.previous_phone)
        ) as id
      from inbound where previous_phone is not null
      order by inbound.workspace_id, inbound.phone, inbound.occurred_at desc
    ), freed as (
      delete from contact_aliases a using moving
      where a.workspace_id = moving.workspace_id and a.wa_id = moving.previous_phone and a.contact_id = moving.id
    )
    update contacts set phone = moving.phone from moving
    where contacts.workspace_id = moving.workspace_id and contacts.id = moving.id
      and not exists (
        select from contacts taken where taken.workspace_id = moving.workspace_id and taken.phone = moving.phone
      )`;
};

/** Under what each number and user id would stand in the audit log had it been erased: that keeps neither. */
const possibleErasures = (
  messages: readonly InboundMessage[],
  lines: readonly { id: string; workspace_id: string }[],
) => {
  const peppers = [env().KEY_PEPPER, env().KEY_PEPPER_PREVIOUS].filter((pepper) => pepper !== undefined);
  return lines.flatMap(({ id, workspace_id }) =>
    messages
      .filter(({ whatsappPhoneNumberId }) => whatsappPhoneNumberId === id)
      .flatMap(({ from, whatsappUserId, occurredAt: occurred_at }) =>
        [from, whatsappUserId].flatMap((identity) =>
          identity === null
            ? []
            : peppers.map((pepper) => ({
                workspace_id,
                identity,
                occurred_at,
                digest: phoneDigest(provenWorkspaceId(workspace_id), identity, pepper),
              })),
        ),
      ),
  );
};

/**
 * A reply names the flow message that it completes, and closes that session regardless of the sender; so a late repetition
 * never closes a session that was opened since. Without a message that is known it closes those of its author, and waits
 * for the message.
 */
const closeFlowSessions = (sql: Sql, replies: readonly FlowReply[]) => sql`
  with reply as (
    select * from json_to_recordset(${JSON.stringify(replies)}::text::json) as reply (
      "workspaceId" text, "phoneNumberId" text, "contactIds" json, "messageId" text, "repliesTo" text)
  ), waiting as (
    insert into flow_replies (workspace_id, phone_number_id, whatsapp_message_id)
    select distinct "workspaceId", "phoneNumberId", "repliesTo" from reply
    where "messageId" is null and "repliesTo" is not null
    on conflict do nothing
  )
  update flow_sessions s set ${closedBy(sql, "reply")} from reply
  where s.workspace_id = reply."workspaceId" and s.phone_number_id = reply."phoneNumberId" and s.closed_at is null
    and case when reply."messageId" is not null then s.message_id = reply."messageId"
      else s.contact_id in (select json_array_elements_text(reply."contactIds")) end`;

const toRow = (message: InboundMessage, index: number) => ({
  index,
  whatsapp_phone_number_id: message.whatsappPhoneNumberId,
  phone: message.from,
  whatsapp_user_id: message.whatsappUserId,
  occurred_at: message.occurredAt,
  replies_to: message.repliesTo,
  previous_phone: message.previousPhone ?? null,
});
