import type { Sql } from "postgres";

// What months of use leave beside messages and calls. Times are relative to now, so that the screens look alike each day.

const DAY_MS = 24 * 60 * 60 * 1_000;
const REVOKED_DAYS_AGO = 38;

type Owned = { workspaceId: string };

/** Keys old and new, lines well and unwell, templates just synced, people who came lately. */
export const age = async (sql: Sql, { workspaceId }: Owned): Promise<void> => {
  await sql`update workspaces set created_at = now() - interval '140 days' where id = ${workspaceId}`;
  await sql`
    update members m set joined_at = now() - reported.joined, last_seen_at = now() - reported.seen
    from users u, (values
      ('rosa@acme-plants.example', interval '140 days', interval '2 minutes'),
      ('kim@acme-plants.example', interval '97 days', interval '3 hours'),
      ('theo@acme-plants.example', interval '12 days', interval '1 day')
    ) reported (email, joined, seen)
    where m.workspace_id = ${workspaceId} and u.id = m.user_id and u.email = reported.email`;
  await sql`
    update api_keys k set created_at = now() - reported.age, expires_at = now() + reported.expiry, created_by = u.id,
      last_used_at = coalesce(k.last_used_at, now() - reported.last_used),
      revoked_at = now() - reported.revoked, revoked_by = case when reported.revoked is not null then u.id end
    from users u, (values
      ('production', interval '124 days', null::interval, null::interval, null::interval),
      ('webshop', interval '12 days', interval '78 days', null, null),
      ('old-erp', interval '139 days', null, interval '40 days', make_interval(days => ${REVOKED_DAYS_AGO}::int)),
      ('staging', interval '61 days', null, null, null),
      ('laptop', interval '44 days', null, null, null)
    ) reported (ref, age, expiry, last_used, revoked)
    where k.workspace_id = ${workspaceId} and k.ref = reported.ref and u.email = 'kim@acme-plants.example'`;
  await sql`
    update phone_numbers l set verified_name = 'Acme Plants', quality_rating = reported.quality, throughput = 'STANDARD',
      messaging_limit = reported.tier, token_checked_at = now() - interval '20 minutes', token_expires_at = now() + reported.expiry,
      subscribed_at = now() - interval '100 days', created_at = now() - interval '130 days'
    from (values
      ('orders', 'GREEN', 'TIER_10K', null::interval),
      ('support', 'YELLOW', 'TIER_2K', interval '6 days'),
      ('wholesale', 'GREEN', 'TIER_2K', null),
      ('test', 'GREEN', 'TIER_2K', null)
    ) reported (ref, quality, tier, expiry)
    where l.workspace_id = ${workspaceId} and l.ref = reported.ref`;
  await sql`
    update templates set synced_at = now() - interval '4 minutes', status_changed_at = now() - interval '9 days',
      created_at = now() - interval '90 days' where workspace_id = ${workspaceId}`;
};

/** One open for each kind of guest, one that has expired and one that was taken back. */
export const invite = (sql: Sql, { workspaceId, tokenHash }: Owned & { tokenHash: Uint8Array }) => sql`
  insert into invitations (workspace_id, id, token_hash, email, role, invited_by, expires_at, revoked_at, created_at)
  select ${workspaceId}, reported.id, coalesce(reported.hash, sha256(convert_to(reported.id, 'UTF8'))), reported.email, reported.role::role, u.id,
    now() + reported.expiry, now() - reported.revoked, now() - reported.age
  from users u, (values
    ('inv_open', ${tokenHash}::bytea, null, 'member', interval '6 days', null::interval, interval '1 day'),
    ('inv_named', null, 'noor@acme-plants.example', 'admin', interval '29 days', null, interval '1 hour'),
    ('inv_expired', null, 'sam@acme-plants.example', 'member', interval '-3 days', null, interval '10 days'),
    ('inv_revoked', null, null, 'member', interval '4 days', interval '2 days', interval '3 days')
  ) reported (id, hash, email, role, expiry, revoked, age)
  where u.email = 'rosa@acme-plants.example'`;

/** What people changed; what the provisioning noted moves to the day on which the workspace was made. */
export const audit = async (sql: Sql, { workspaceId }: Owned): Promise<void> => {
  const revokedAt = new Date(Date.now() - REVOKED_DAYS_AGO * DAY_MS);
  await sql`update audit_log set at = now() - interval '140 days' where workspace_id = ${workspaceId}`;
  await sql`
    insert into audit_log (workspace_id, id, actor_kind, actor_id, action, target_kind, target_id, before, after, request_id, at)
    select ${workspaceId}, 'aud_' || lpad(serial::text, 26, '0'), 'user', u.id, reported.action,
      split_part(reported.action, '.', 1), case when reported.action like 'workspace.%' then ${workspaceId} else coalesce(k.id, l.id) end, reported.before::json, reported.after::json,
      'req_' || lpad(serial::text, 26, '0'), now() - reported.ago
    from (values
      (1, 'rosa', 'workspace.changed', null, '{"timeZone":"UTC"}', '{"timeZone":"Europe/Berlin"}', interval '139 days'),
      (2, 'rosa', 'apiKey.created', 'production', null, '{"label":"production","mode":"live"}', interval '124 days'),
      (3, 'kim', 'apiKey.created', 'staging', null, '{"label":"staging","mode":"test"}', interval '61 days'),
      (4, 'kim', 'apiKey.revoked', 'old-erp', '{"revokedAt":null}', ${JSON.stringify({ revokedAt })}, make_interval(days => ${REVOKED_DAYS_AGO}::int)),
      (5, 'rosa', 'workspace.limitChanged', null, '{"messageLimit":5000}', '{"messageLimit":10000}', interval '30 days'),
      (6, 'kim', 'phoneNumber.changed', 'wholesale', '{"isActive":true}', '{"isActive":false}', interval '16 days'),
      (7, 'kim', 'apiKey.created', 'webshop', null, '{"label":"webshop","mode":"live"}', interval '12 days'),
      (8, 'kim', 'apiKey.rotated', 'production', null, '{"overlapMinutes":1440}', interval '5 days'),
      (9, 'rosa', 'apiKey.renamed', 'laptop', '{"label":"test"}', '{"label":"Kim''s laptop"}', interval '20 hours')
    ) reported (serial, who, action, ref, before, after, ago)
    join users u on u.email = reported.who || '@acme-plants.example'
    left join api_keys k on k.workspace_id = ${workspaceId} and k.ref = reported.ref
    left join phone_numbers l on l.workspace_id = ${workspaceId} and l.ref = reported.ref`;
};

/** What came to the webhook's door, and what it brought beside the statuses. */
export const noteWebhooks = async (sql: Sql, { workspaceId }: Owned): Promise<void> => {
  await sql`
    insert into webhook_notices (id, at, kind, reason, whatsapp_phone_number_id)
    select 'wh_' || lpad(serial::text, 26, '0'), now() - reported.ago, reported.kind, reported.reason, l.whatsapp_phone_number_id
    from (values
      (1, interval '6 days', 'verificationRefused', 'The verify token is another one: 24 characters came, ending in "9k".', null),
      (2, interval '6 days' - interval '2 minutes', 'verified', '', null),
      (3, interval '2 days', 'signatureRefused', 'Signed with another app secret, or changed on its way.', 'support'),
      (4, interval '47 hours', 'signatureRefused', 'Signed with another app secret, or changed on its way.', 'support')
    ) reported (serial, ago, kind, reason, ref)
    left join phone_numbers l on l.workspace_id = ${workspaceId} and l.ref = reported.ref`;
  await sql`
    insert into account_notices (workspace_id, whatsapp_business_account_id, number, kind, event, detail, is_alarm, occurred_at)
    select workspace_id, whatsapp_business_account_id, regexp_replace(display_phone_number, '\\D', '', 'g'), 'error 130429',
      'ERROR_130429', '{"reason":"Rate limit hit"}', false, now() - interval '3 days'
    from phone_numbers where workspace_id = ${workspaceId} and ref = 'orders'
    on conflict do nothing`;
  await sql`
    insert into webhook_hours (workspace_id, phone_number_id, hour, kind, bucket, count)
    select l.workspace_id, l.id, date_trunc('hour', now(), 'UTC') - interval '1 hour' * hours, reported.kind, 0, reported.count
    from phone_numbers l, (values ('duplicate', 3), ('outOfOrder', 1), ('inbound', 9), ('unmatched', 1)) reported (kind, count),
      generate_series(0, 71, 5) hours
    where l.workspace_id = ${workspaceId} and l.mode = 'live' and l.is_active
    on conflict do nothing`;
  await sql`
    insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id, opened_at)
    select workspace_id, 'fs_' || substr(id, 5), contact_id, phone_number_id, id, created_at from messages
    where workspace_id = ${workspaceId} and type = 'interactive' and mode = 'live' order by created_at desc limit 3`;
};
