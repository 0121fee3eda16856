import type { Sql } from "postgres";
import { BUCKETS_PER_DOUBLING, LAST_BUCKET } from "@/lib/core/duration-scale";
import type { Mode } from "@/lib/core/principal";

/** Made-up traffic of one workspace and mode: the same on every run, but that its last day is today. */
export type Traffic = {
  workspaceId: string;
  mode: Mode;
  /** Of each list the first is used most, the last least. */
  lineIds: string[];
  keyIds: string[];
  /** `name/language` */
  templates: string[];
  days: number;
  messages: number;
  /** Of the first message; two kinds of traffic in one workspace need numbers of their own. */
  firstNumber?: number;
  /** How many of the messages have their call in the request log, from 0 to 1. */
  loggedShare: number;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
/** From Sunday on: shops write on weekdays. */
const WEIGHTS = [0.45, 1, 1.1, 1.15, 1.05, 1.25, 0.7];
/** Beside the sends: polls, lists and refusals, per logged send. */
const OTHER_CALLS = 0.3;
/** The sixth day from the end goes badly. */
const BAD_DAY = 6;

const REASONS = [
  "131026: Message undeliverable",
  "131047: Re-engagement message",
  "131049: This message was not delivered to maintain healthy ecosystem engagement.",
  "131050: The user has stopped marketing messages from you.",
  "131042: Business eligibility payment issue",
];

const QUESTION = JSON.stringify({
  type: "button",
  body: { text: "Does Monday, 9:00 suit you?" },
  action: { buttons: [{ type: "reply", reply: { id: "yes", title: "Yes" } }] },
});

const ADDRESSES = ["203.0.113.7", "203.0.113.24", "198.51.100.61"];
const AGENTS = ["node", "python-httpx/0.28.1", "curl/8.5.0"];

/**
 * Functions of the connection: `chance` is the number from 0 to 1 that a thing has for a purpose, always the same;
 * `pick` takes from a list, its first entries more often.
 */
export const prepareConnection = async (sql: Sql): Promise<void> => {
  // Millions of rows of ours, made to fit together: checking each against the others would take minutes.
  await sql`set session_replication_role = replica`;
  await sql`
    create or replace function pg_temp.chance(thing bigint, purpose bigint) returns float8 immutable language sql
    as $$ select (hashint8extended($1, $2) & 16777215) / 16777216.0::float8 $$`;
  await sql`
    create or replace function pg_temp.pick(list text[], luck float8) returns text immutable language sql
    as $$ select list[1 + floor(cardinality(list) * luck * luck)::int] $$`;
};

type People = { workspaceId: string; count: number; phonesFrom: number };

/** People beside those whom the workspace has already; the root makes each name as frequent as the others. */
export const fillContacts = (sql: Sql, { workspaceId, count, phonesFrom }: People) => sql`
  insert into contacts (workspace_id, id, phone, name, last_inbound_at, created_at)
  select ${workspaceId}, 'ct_' || substr(md5('contact ' || n), 1, 26), (${phonesFrom}::bigint + n)::text,
    case when pg_temp.chance(n, 30) < 0.8 then
      pg_temp.pick(${FIRST_NAMES}::text[], sqrt(pg_temp.chance(n, 31))) || ' ' || pg_temp.pick(${LAST_NAMES}::text[], sqrt(pg_temp.chance(n, 32)))
    end,
    case when pg_temp.chance(n, 33) < 0.2 then now() - interval '20 days' * pg_temp.chance(n, 34) end,
    now() - interval '60 days' * pg_temp.chance(n, 35)
  from generate_series(1, ${count}::bigint) n`;

const FIRST_NAMES = ["Amara", "Ben", "Chloe", "Dev", "Elif", "Finn", "Grace", "Hugo", "Ines", "Jonas", "Kofi", "Lena"];
const LAST_NAMES = ["Abara", "Brandt", "Costa", "Dietz", "Evans", "Fischer", "Gupta", "Hughes", "Ito", "Jansen"];

/** Messages and calls, day by day; after each the progress is reported, from 0 to 1. */
export const fillTraffic = async (sql: Sql, traffic: Traffic, onProgress: (share: number) => void = () => {}) => {
  await sql`drop table if exists pg_temp.recipients`;
  await sql`
    create temp table recipients as
    select row_number() over (order by id) - 1 as n, id, phone from contacts where workspace_id = ${traffic.workspaceId}`;
  await sql`create unique index on recipients (n)`;
  await sql`analyze recipients`;
  const planned = planDays(traffic);
  let first = traffic.firstNumber ?? 1;
  for (const [index, day] of planned.entries()) {
    await fillMessages(sql, traffic, { ...day, first, isBad: index === planned.length - BAD_DAY });
    await fillSends(sql, traffic, day);
    await fillOtherCalls(sql, traffic, { ...day, first });
    first += day.messages;
    onProgress((index + 1) / planned.length);
  }
};

type Day = { from: Date; to: Date; messages: number };

/** The traffic shared out over its days, of which today is not over yet. */
const planDays = ({ days, messages }: Traffic): Day[] => {
  const nowMs = Date.now();
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const weighed = Array.from({ length: days }, (_, index) => {
    const from = today - (days - 1 - index) * DAY_MS;
    const to = Math.min(from + DAY_MS, nowMs);
    const wobble = 1 + 0.18 * Math.sin(index * 2.4);
    const growth = 0.8 + (0.4 * index) / days;
    const weight = (WEIGHTS[new Date(from).getUTCDay()] ?? 1) * wobble * growth * ((to - from) / DAY_MS);
    return { from: new Date(from), to: new Date(to), weight };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  let shared = 0;
  return weighed.map(({ from, to, weight }, index) => {
    const share = index === days - 1 ? messages - shared : Math.round((messages * weight) / total);
    shared += share;
    return { from, to, messages: share };
  });
};

/** Where an hour of the day lies: sparse at night, dense at noon, and in order. */
const placed = (sql: Sql, { from, to }: Day) =>
  sql`${from}::timestamptz + (${to}::timestamptz - ${from}::timestamptz) * (f - 0.11 * sin(2 * pi() * f))`;

const fillMessages = (sql: Sql, traffic: Traffic, day: Day & { first: number; isBad: boolean }) => sql`
  insert into messages (workspace_id, id, mode, api_key_id, phone_number_id, contact_id, phone, type, template_name,
    template_language, request, request_id, idempotency_key, fingerprint, phase, lease_expires_at, status,
    whatsapp_message_id, failure_reason, failure_code, unit_month, dispatched_at, sent_at, delivered_at, read_at,
    failed_at, created_at, updated_at, pricing_billable, pricing_type, pricing_category, pricing_model, priced_at,
    recipient_country)
  select ${traffic.workspaceId}, 'msg_' || tail, ${traffic.mode}::mode, key_id, line_id, contact_id, phone,
    type::message_type, split_part(template, '/', 1), split_part(template, '/', 2),
    -- As JSON.stringify writes it, without blanks.
    replace(replace(json_build_object('phone', phone, 'revalidateFlowSession', false, 'content', case type
      when 'template' then json_build_object('type', type, 'name', split_part(template, '/', 1), 'language',
        split_part(template, '/', 2), 'filling', json_build_object('kind', 'values', 'templateVariables',
        json_build_object('1', 'Ada', '2', n::text)))
      when 'interactive' then json_build_object('type', type, 'source', ${QUESTION}::text, 'interactive', ${QUESTION}::json)
      else json_build_object('type', 'text', 'text', 'Your order ' || n || ' is ready.') end)::text, '" : ', '":'), ', "', ',"'),
    'req_' || tail, case when pg_temp.chance(n, 8) < 0.4 then 'order-' || n end, decode(md5(n::text), 'hex'),
    (case status when 'PENDING' then 'DISPATCHING' when 'UNKNOWN' then 'UNKNOWN' else 'SENT' end)::send_phase,
    case status when 'PENDING' then now() + interval '1 day' else at end, status::message_status,
    case when status not in ('PENDING', 'UNKNOWN') then 'wamid.' || upper(md5(${traffic.mode}::text || n)) end,
    case status when 'FAILED' then reason end, case status when 'FAILED' then split_part(reason, ':', 1)::int end,
    case when ${traffic.mode}::text = 'live' then date_trunc('month', at)::date end,
    at + interval '20 ms', case when status not in ('PENDING', 'UNKNOWN') then sent_at end,
    case when status in ('DELIVERED', 'READ') then delivered_at end,
    case status when 'READ' then least(now(), delivered_at + interval '2 hours' * pg_temp.chance(n, 7) ^ 3) end,
    case status when 'FAILED' then delivered_at end, at, at,
    case when is_priced then type = 'template' end,
    case when is_priced then case type when 'template' then 'regular' else 'free_customer_service' end end,
    case when is_priced then case when type <> 'template' then 'service' when template like 'new%' then 'marketing'
      else 'utility' end end,
    case when is_priced then 'PMP' end, case when is_priced then sent_at end,
    case when is_priced then pg_temp.pick('{GB,IE,DE,FR,BR}', pg_temp.chance(n, 14)) end
  from (select *, status in ('SENT', 'DELIVERED', 'READ') as is_priced from (
    select *, case
        when fate < ${day.isBad ? 0.22 : 0.045}::float8 then 'FAILED'
        when at > now() - interval '2 minutes' and fate < 0.6 then 'PENDING'
        when fate > 0.997 then 'UNKNOWN'
        when fate > 0.94 or at > now() - interval '5 minutes' then 'SENT'
        when fate > 0.68 then 'DELIVERED'
        else 'READ' end as status,
      case when type = 'template' then pg_temp.pick(${traffic.templates}::text[], pg_temp.chance(n, 5)) end as template,
      pg_temp.pick(${REASONS}::text[], pg_temp.chance(n, 4)) as reason,
      lpad(to_hex((1000 * extract(epoch from at))::bigint), 11, '0') || substr(md5(${traffic.mode}::text || n), 1, 15) as tail,
      at + interval '1 ms' * (120 + 700 * pg_temp.chance(n, 10) ^ 3) as sent_at,
      at + interval '1 ms' * (1500 + 18000 * pg_temp.chance(n, 11) ^ 4) as delivered_at
    from (
      select n, ${placed(sql, day)} as at, pg_temp.chance(n, 1) as fate,
        case when pg_temp.chance(n, 2) < 0.7 and ${traffic.templates.length}::int > 0 then 'template'
          when pg_temp.chance(n, 2) < 0.95 then 'text' else 'interactive' end as type,
        pg_temp.pick(${traffic.lineIds}::text[], pg_temp.chance(n, 12)) as line_id,
        pg_temp.pick(${traffic.keyIds}::text[], pg_temp.chance(n, 13)) as key_id,
        floor(pg_temp.chance(n, 3) * (select count(*) from recipients))::bigint as recipient
      from (
        select n, (n - ${day.first} + pg_temp.chance(n, 9)) / ${day.messages}::float8 as f
        from generate_series(${day.first}::bigint, ${day.first + day.messages - 1}::bigint) n
      ) numbered
    ) made join (select n as recipient, id as contact_id, phone from recipients) r using (recipient)
  ) reported) priced`;

/** The calls behind messages. Their contents are kept as the request log keeps them: without values. */
const fillSends = (sql: Sql, { workspaceId, mode, loggedShare }: Traffic, { from, to }: Day) => sql`
  insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, idempotency_key,
    message_id, ip, user_agent, duration_ms, platform_ms, body)
  select workspace_id, request_id, created_at, mode, api_key_id, 'send', 'POST', '/api/v1/public/messages/send', 201,
    idempotency_key, id, pg_temp.pick(${ADDRESSES}::text[], luck), pg_temp.pick(${AGENTS}::text[], luck),
    platform_ms + (6 + 40 * luck ^ 4)::int, platform_ms,
    json_build_object('type', type, 'phone', left(phone, 5) || '•••' || right(phone, 4))::text
  from (
    select *, (110 * exp(1.6 * pg_temp.chance(thing, 22) ^ 2))::int as platform_ms, pg_temp.chance(thing, 21) as luck
    from (select *, hashtextextended(id, 0) as thing from messages
      where workspace_id = ${workspaceId} and mode = ${mode}::mode and created_at >= ${from} and created_at < ${to}) m
    where pg_temp.chance(thing, 20) < ${loggedShare}::float8
  ) logged`;

const fillOtherCalls = (sql: Sql, traffic: Traffic, day: Day & { first: number }) => {
  const count = Math.round(day.messages * traffic.loggedShare * OTHER_CALLS);
  return sql`
    insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, error_code, ip,
      user_agent, duration_ms, body, answer)
    select ${traffic.workspaceId}, id, at, ${traffic.mode}::mode, pg_temp.pick(${traffic.keyIds}::text[], luck),
      operation, case operation when 'send' then 'POST' else 'GET' end,
      '/api/v1/public/' || case operation when 'send' then 'messages/send' when 'templates' then 'templates'
        else 'messages/msg_' || substr(id, 5) end,
      status, code, pg_temp.pick(${ADDRESSES}::text[], luck), pg_temp.pick(${AGENTS}::text[], luck), (4 + 20 * luck)::int,
      case operation when 'send' then '{"type":"text","phone":"07700•••0126","content":"<24 characters>"}' end,
      case when status >= 400 then json_build_object('error', code, 'message', reported, 'details', case code
        when 'VALIDATION_ERROR' then json_build_object('requestId', id, 'issues',
          json_build_array(json_build_object('path', 'phone', 'message', reported)))
        else json_build_object('requestId', id) end)::text end
    from (
      select n, pg_temp.chance(n, 23) as luck, ${placed(sql, day)} as at,
        'req_' || lpad(to_hex((1000 * extract(epoch from ${placed(sql, day)}))::bigint), 11, '0') || substr(md5(${traffic.mode}::text || ' call ' || n), 1, 15) as id,
        operation, status, code, reported
      from (
        select n, (n - ${day.first} + pg_temp.chance(n, 24)) / ${count}::float8 as f, pg_temp.chance(n, 25) as fate
        from generate_series(${day.first}::bigint, ${day.first + count - 1}::bigint) n
      ) numbered
      join (values
        (0, 0.66, 'status', 200, null, null),
        (0.66, 0.82, 'templates', 200, null, null),
        (0.82, 0.92, 'send', 400, 'VALIDATION_ERROR', 'looks like a national number; write it with its country code, such as 447700900126.'),
        (0.92, 0.94, 'send', 400, 'TEMPLATE_NOT_APPROVED', 'The template is paused. Send another one, or wait until WhatsApp resumes it.'),
        (0.94, 0.955, 'send', 400, 'CHAT_GRAPH_ERROR', 'WhatsApp refused the message: too many to this recipient.'),
        (0.955, 0.97, 'send', 409, 'IDEMPOTENCY_CONFLICT', 'This key came with another body before. Use a new one.'),
        (0.97, 0.98, 'status', 404, 'NOT_FOUND', 'No message of this workspace has that id.'),
        (0.98, 0.99, 'send', 401, 'UNAUTHORIZED', 'The secret does not belong to this key.'),
        (0.99, 1, 'send', 429, 'RATE_LIMIT_EXCEEDED', 'Over 300 calls of this key in 15 minutes.')
      ) kinds (lowest, highest, operation, status, code, reported) on fate >= lowest and fate < highest
    ) made`;
};

/** What WhatsApp reported about the newest messages, and when it reached us. */
export const fillEvents = (sql: Sql, { workspaceId, newest }: { workspaceId: string; newest: number }) => sql`
  insert into status_events (workspace_id, id, phone_number_id, message_id, digest, whatsapp_message_id, status,
    failure_code, failure_reason, raw, occurred_at, received_at)
  select workspace_id, 'evt_' || substr(hash, 1, 26), phone_number_id, id, decode(hash, 'hex'), whatsapp_message_id, word,
    case word when 'failed' then failure_code end, case word when 'failed' then failure_reason end,
    json_strip_nulls(json_build_object('id', whatsapp_message_id, 'status', word,
      'timestamp', floor(extract(epoch from at))::text, 'recipient_id', phone, 'biz_opaque_callback_data', id, 'errors',
      case word when 'failed' then json_build_array(json_build_object('code', failure_code, 'title', failure_reason)) end)), at,
    at + interval '1 ms' * (150 + 900 * pg_temp.chance(hashtextextended(hash, 0), 40) ^ 3)
  from (
    select m.*, word, at, md5(id || word) as hash
    from (
      select * from messages where workspace_id = ${workspaceId} order by created_at desc, id desc limit ${newest}
    ) m
    cross join lateral (
      values ('sent', sent_at), ('delivered', delivered_at), ('read', read_at), ('failed', failed_at)
    ) reported (word, at)
    where at is not null and whatsapp_message_id is not null
  ) events`;

/** The counts that are kept beside calls, webhooks and claims; those of messages are the roll-up's. */
export const countTraffic = async (sql: Sql, workspaceId: string): Promise<void> => {
  const bucket = (ms: ReturnType<Sql>) =>
    sql`case when ${ms} > 1 then least(${LAST_BUCKET}::int, ceil(${BUCKETS_PER_DOUBLING}::int * ln(${ms}) / ln(2::float8))) else 0 end`;
  await sql`
    insert into request_hours (workspace_id, mode, hour, api_key_id, operation, status, error_code, count)
    select workspace_id, mode, date_bin('15 minutes', at, 'epoch'), api_key_id, operation, status, coalesce(error_code, ''), count(*)
    from api_requests where workspace_id = ${workspaceId} group by 1, 2, 3, 4, 5, 6, 7`;
  await sql`
    insert into duration_hours (workspace_id, mode, hour, kind, bucket, count)
    select workspace_id, mode, date_bin('15 minutes', at, 'epoch'), kind, ${bucket(sql`ms`)} as bucket, count(*)
    from api_requests cross join lateral (
      values ('ours', (duration_ms - platform_ms)::float8), ('platform', platform_ms::float8)
    ) as durations (kind, ms)
    where workspace_id = ${workspaceId} and platform_ms is not null group by 1, 2, 3, 4, 5`;
  await sql`
    insert into webhook_hours (workspace_id, phone_number_id, hour, kind, bucket, count)
    select workspace_id, phone_number_id, date_trunc('hour', received_at, 'UTC'), 'status',
      ${bucket(sql`(1000 * extract(epoch from received_at - occurred_at))::float8`)} as bucket, count(*)
    from status_events where workspace_id = ${workspaceId} group by 1, 2, 3, 5`;
  await sql`
    insert into usage (workspace_id, month, used)
    select workspace_id, unit_month, count(*) from messages
    where workspace_id = ${workspaceId} and unit_month is not null group by 1, 2`;
  await sql`
    update api_keys k set last_used_at = (
      select max(at) from api_requests where workspace_id = k.workspace_id and api_key_id = k.id)
    where workspace_id = ${workspaceId}`;
  await sql`
    update phone_numbers l set last_webhook_at = (
      select max(received_at) from status_events where workspace_id = l.workspace_id and phone_number_id = l.id)
    where workspace_id = ${workspaceId}`;
};
