import type { Sql } from "postgres";
import { firstSeeded } from "./seeded-statuses";

/** Messages `from` up to `to` for webhooks of this size. They are sent; `seededMessage` names them. */
type Seed = { size: number; from: number; to: number };

const numbers = (sql: Sql, { size, from, to }: Seed) =>
  sql`generate_series(${firstSeeded(size) + from}::bigint, ${firstSeeded(size) + to - 1}::bigint) number,
    lateral (select lpad(number::text, 16, '0') as ending) named`;

/** Puts messages into our tables, like the one whose id begins with `idPrefix`. */
export const seedOurs = async (sql: Sql, seed: Seed & { idPrefix: string }): Promise<void> => {
  await sql`
    insert into messages (workspace_id, id, mode, api_key_id, phone_number_id, contact_id, phone, type, request, request_id,
      fingerprint, phase, lease_expires_at, status, whatsapp_message_id, unit_month, dispatched_at, sent_at)
    select workspace_id, ${seed.idPrefix} || ending, mode, api_key_id, phone_number_id, contact_id, phone, type, request,
      request_id, fingerprint, phase, lease_expires_at, 'SENT', 'wamid.seeded.' || ending, unit_month, now(), now()
    from (select * from messages where id like ${`${seed.idPrefix}%`} order by id limit 1) one, ${numbers(sql, seed)}`;
  await sql`analyze messages`;
};

/** Puts the same messages into the floor's table. */
export const seedFloor = async (sql: Sql, seed: Seed & { idPrefix: string }): Promise<void> => {
  await sql`
    insert into floor.messages (workspace_id, id, phone, status, request, wamid, sent_at)
    select workspace_id, ${seed.idPrefix} || ending, phone, 2, request, 'wamid.seeded.' || ending, now()
    from (select * from floor.messages limit 1) one, ${numbers(sql, seed)}`;
  await sql`analyze floor.messages`;
};

/** Throws unless so many statuses have come, each once and about a message that is known. */
export const expectNewStatuses = async (sql: Sql, count: number): Promise<void> => {
  const [row] = await sql<{ recorded: number }[]>`
    select count(*)::int as recorded from status_events where message_id is not null and repeats = 0`;
  if (row?.recorded !== count) throw new Error(`${row?.recorded} of ${count} statuses were recorded as new`);
};
