import type { Sql } from "postgres";
import { onDatabase, type PoolName } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";

/** What WhatsApp said of the recipient of a message: the number and the user id under which it knows them. */
export type LearnedRecipient = {
  workspaceId: string;
  contactId: string;
  waId: string | null;
  userId: string | null;
  /** When the message was claimed. */
  since: Date;
};

/**
 * Stores under which other number and which user id WhatsApp knows a contact. An inbound message that came while the send
 * was on its way may have made a second contact of that number: one to which nothing was sent is folded into the first.
 * Older contacts stay as they are. Harmless to repeat.
 */
export const learnRecipients = async (
  learned: readonly LearnedRecipient[],
  { pool = "webhooks" }: { pool?: PoolName } = {},
): Promise<void> => {
  if (learned.length === 0) return;
  await onDatabase((db) => db.transaction((tx) => storeLearned(rawSql(tx), learned)), { pool });
};

/** What a send's answer says of the recipient's number; costs one look-up once it is known. */
export const learnNumberOnce = async (learned: Omit<LearnedRecipient, "userId" | "waId"> & { waId: string }) => {
  const { workspaceId, contactId, waId } = learned;
  const known = await onSql(
    (sql) => sql`
      select from contact_aliases
      where workspace_id = ${workspaceId} and wa_id = ${waId} and contact_id = ${contactId}`,
  );
  if (known.length === 0) await learnRecipients([{ ...learned, userId: null }], { pool: "requests" });
};

/** The same within a transaction. */
export const storeLearned = async (sql: Sql, learned: readonly LearnedRecipient[]): Promise<void> => {
  const rows = JSON.stringify(
    learned.map(({ workspaceId, contactId, waId, userId, since }) => ({
      workspace_id: workspaceId,
      contact_id: contactId,
      wa_id: waId,
      user_id: userId,
      since,
    })),
  );
  const given = sql`
    with given as (
      select * from json_to_recordset(${rows}::text::json) as given (
        workspace_id text, contact_id text, wa_id text, user_id text, since timestamptz)
    )`;
  // Contacts are written by one at a time and workspace, as inbound messages and erasures are.
  await sql`${given}
    select pg_advisory_xact_lock(hashtextextended('inbound ' || workspace_id, 0))
    from (select distinct workspace_id from given order by workspace_id) workspace`;
  const strays = await sql<{ workspace_id: string; id: string; contact_id: string }[]>`${given}
    select stray.workspace_id, stray.id, given.contact_id from given
    join contacts stray on stray.workspace_id = given.workspace_id
      and (stray.phone = given.wa_id or (stray.phone is null and stray.whatsapp_user_id = given.user_id))
      and stray.id <> given.contact_id and stray.created_at >= given.since
      and stray.ref is null and stray.last_inbound_at is not null
    join contacts own on own.workspace_id = given.workspace_id and own.id = given.contact_id and own.erased_at is null
    order by stray.id for update of stray`;
  if (strays.length > 0) await fold(sql, strays);
  await sql`${given}
    insert into contact_aliases (workspace_id, wa_id, contact_id)
    select distinct given.workspace_id, given.wa_id, given.contact_id from given
    join contacts c on c.workspace_id = given.workspace_id and c.id = given.contact_id and c.erased_at is null
    where c.phone <> given.wa_id
    on conflict do nothing`;
  await sql`${given}
    update contacts c set
      whatsapp_user_id = coalesce(given.user_id, c.whatsapp_user_id),
      phone = coalesce(c.phone, case when not exists (
        select from contacts taken where taken.workspace_id = c.workspace_id and taken.phone = given.wa_id
      ) then given.wa_id end)
    from (select distinct on (workspace_id, contact_id) * from given order by workspace_id, contact_id, user_id, wa_id) given
    where c.workspace_id = given.workspace_id and c.id = given.contact_id and c.erased_at is null
      and (c.whatsapp_user_id is distinct from coalesce(given.user_id, c.whatsapp_user_id)
        or (c.phone is null and given.wa_id is not null))`;
};

/** A send that names the stray holds it until it has its message, and is seen here: a statement of its own looks again. */
const fold = async (sql: Sql, strays: { workspace_id: string; id: string; contact_id: string }[]) => {
  await sql`
    with stray as (
      select * from json_to_recordset(${JSON.stringify(strays)}::text::json) as stray (
        workspace_id text, id text, contact_id text)
    ), gone as (
      delete from contacts d using stray
      where d.workspace_id = stray.workspace_id and d.id = stray.id and not exists (
        select from messages m where m.workspace_id = d.workspace_id and m.contact_id = d.id)
      returning d.workspace_id, stray.contact_id, d.name, d.whatsapp_user_id, d.last_inbound_at
    )
    update contacts c set
      name = coalesce(c.name, gone.name),
      whatsapp_user_id = coalesce(c.whatsapp_user_id, gone.whatsapp_user_id),
      last_inbound_at = greatest(c.last_inbound_at, gone.last_inbound_at)
    from gone where c.workspace_id = gone.workspace_id and c.id = gone.contact_id`;
};
