import { describe, expect, test } from "vitest";
import { erasePhone } from "@/lib/contacts/erase-phone";
import { provenWorkspaceId } from "@/lib/core/principal";
import { command } from "@/lib/workspaces/record-audit";
import { addEndpoint } from "../support/receiver";
import { measuredPostgres, sweepUntil } from "../support/recorded-plans";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

const own = measuredPostgres({
  // Plans as a server of its own would keep them: they are not made again for each statement.
  plan_cache_mode: "auto",
  // Millions of rows take longer, whatever the machine.
  "auto_explain.log_min_duration": "50ms",
  "auto_explain.log_nested_statements": "off",
  log_statement: "none",
});

const addUnreachable = (workspace: TestWorkspace) =>
  addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });

const PHONE = "447700900123";

/** A year of a workspace whose owner wants nothing kept, with one person who wrote and was written to throughout. */
const fill = async (workspace: TestWorkspace, endpointId: string, rows: number) => {
  const { workspaceId, phoneNumberId, whatsappPhoneNumberId } = workspace;
  const from = own.filling`from generate_series(1, ${rows}::int) n`;
  const old = own.filling`now() - interval '400 days' + n * interval '1 minute'`;
  const id = (name: string) => own.filling`${`${name}_${workspaceId}_`} || n`;
  await own.filling`
    insert into contacts (workspace_id, id, phone)
    select ${workspaceId}, ${id("ct")}, case when n = 1 then ${PHONE} else '4915770' || lpad(n::text, 6, '0') end ${from}`;
  await own.filling`
    insert into contact_names (workspace_id, contact_id, name)
    select workspace_id, id, phone from contacts where workspace_id = ${workspaceId}`;
  await own.filling`
    insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, fingerprint, phase, status,
      whatsapp_message_id, lease_expires_at, request, created_at, failure_reason)
    select ${workspaceId}, ${id("msg")}, 'live', ${phoneNumberId}, ${`ct_${workspaceId}_1`}, ${PHONE}, 'text', '', 'SENT', 'FAILED',
      ${id("wamid.")}, ${old}, '{"content":"Hello"}', ${old}, 'Refused' ${from}`;
  await own.filling`
    insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, fingerprint, phase, status,
      lease_expires_at)
    select ${workspaceId}, ${id("abandoned")}, 'live', ${phoneNumberId}, ${`ct_${workspaceId}_2`}, '4915770000002', 'text', '',
      (case when n % 2 = 0 then 'ACCEPTED' else 'DISPATCHING' end)::send_phase, 'PENDING', now() - interval '1 day' ${from}`;
  await own.filling`
    insert into status_events (workspace_id, id, phone_number_id, message_id, digest, whatsapp_message_id, status, occurred_at,
      received_at, failure_reason, raw)
    select ${workspaceId}, ${id("evt")}, ${phoneNumberId}, case when n % 2 = 0 then ${id("msg")} end, decode(md5(n::text), 'hex'),
      ${id("wamid.")}, 'sent', ${old}, ${old}, 'Refused', '{}' ${from}`;
  await own.filling`
    insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, ip, duration_ms, message_id)
    select ${workspaceId}, ${id("req")}, ${old}, 'live', 'ak', 'sendMessage', 'POST', '/', 201, '', 1, ${id("msg")} ${from}`;
  for (const subject of ["ct", "msg"]) {
    await own.filling`
      insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, created_at,
        state, next_attempt_at)
      select ${workspaceId}, ${id(`whd_${subject}`)}, ${endpointId}, 'message.received',
        case ${subject} when 'ct' then ${`ct_${workspaceId}_1`} else ${id("msg")} end, n,
        '{"text": "Hello", "failureReason": "Refused"}', ${old}, ${old},
        (case when n % 4 = 0 then 'DELIVERED' else 'PENDING' end)::delivery_state, case when n = 1 then now() else 'infinity' end
      ${from}`;
  }
  await own.filling`
    insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms)
    select ${workspaceId}, ${id("whd_msg")}, 1, ${old}, 1 ${from}`;
  await own.filling`
    insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id, opened_at)
    select ${workspaceId}, ${id("fs")}, ${id("ct")}, ${phoneNumberId}, ${id("msg")}, ${old} ${from}`;
  await own.filling`
    insert into flow_replies (workspace_id, phone_number_id, whatsapp_message_id, received_at)
    select ${workspaceId}, ${phoneNumberId}, ${id("wamid.")}, ${old} ${from}`;
  await own.filling`
    insert into media_uploads (workspace_id, phone_number_id, url_digest, whatsapp_media_id, expires_at)
    select ${workspaceId}, ${phoneNumberId}, decode(md5(n::text), 'hex'), n::text, ${old} ${from}`;
  await own.filling`
    insert into conversation_starts (workspace_id, whatsapp_business_account_id, contact_id, started_at)
    select ${workspaceId}, ${workspace.whatsappBusinessAccountId}, ${id("ct")}, ${old} ${from}`;
  await own.filling`
    insert into alerts (workspace_id, id, kind, subject_id, level, tone, sentence, href, action, closed_at)
    select ${workspaceId}, ${id("al")}, 'token', n, 1, 'warning', '', '', '', ${old} ${from}`;
  await own.filling`
    insert into audit_log (workspace_id, id, actor_kind, actor_id, action, target_kind, target_id)
    select ${workspaceId}, ${id("aud")}, 'command', 'erase', 'contact.erased', 'contact', n ${from}`;
  await own.filling`
    insert into unhandled_webhooks (id, reason, body, received_at)
    select ${id("uw")}, '', convert_to(${`{"wa_id":"${PHONE}"}`}, 'UTF8'), ${old} ${from}`;
  await own.filling`
    insert into webhook_notices (id, kind, at, whatsapp_phone_number_id)
    select ${id("wn")}, 'verified', ${old}, ${whatsappPhoneNumberId} ${from}`;
  await own.filling`
    insert into jobs (kind, id, cause, expires_at) select 'mail', ${id("ml")}, ${workspaceId}, ${old} ${from}`;
  await own.filling`
    insert into sessions (id, user_id, expires_at, device, masked_address)
    select ${id("se")}, (select id from users limit 1), ${old}, '', '' ${from}`;
  await own.filling`insert into rate_windows (id, bucket, used) select ${id("rw")}, 1, 1 ${from}`;
};

const TABLES = [
  ...[
    "contacts",
    "contact_names",
    "messages",
    "status_events",
    "webhook_deliveries",
    "webhook_attempts",
    "api_requests",
  ],
  ...["flow_sessions", "flow_replies", "media_uploads", "conversation_starts", "alerts", "audit_log"],
  ...["unhandled_webhooks", "webhook_notices", "jobs", "sessions", "rate_windows"],
];

test("every table has the setting for rows that may all be of one workspace", async () => {
  const untold = await own.filling<{ table: string }[]>`
    select c.relname as table from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.attname = 'workspace_id'
      and 'n_distinct=1' <> all (coalesce(a.attoptions, '{}'))`;
  expect(untold.map(({ table }) => table)).toEqual([]);
});

describe("what the sweeper and an erasure do grows with the rows of a table, and not with their square", () => {
  const STORED = 3_000;
  /** Statements take some hundred rows at once: pairs of those with the rows of a table would be millions. */
  const STEPS = 50;

  test.each(["never analysed", "analysed while empty", "analysed with one row each"])(
    "in tables that were %s",
    { timeout: 300_000 },
    async (state) => {
      const empty = () => own.filling`truncate ${own.filling.unsafe(TABLES.join(", "))} cascade`;
      await empty();
      const workspace = await provisionWorkspace({ mode: "live" });
      const { id: endpointId } = await addUnreachable(workspace);
      await empty();
      if (state === "analysed with one row each") await fill(workspace, endpointId, 1);
      if (state !== "never analysed") await own.filling`analyze`;
      await empty();
      const gone = await provisionWorkspace({ mode: "live" });
      await fill(workspace, endpointId, STORED);
      await fill(gone, (await addUnreachable(gone)).id, STORED);
      await own.filling`delete from members where workspace_id = ${gone.workspaceId}`;
      await own.filling`update workspaces set ref = null where id = ${gone.workspaceId}`;

      const slow = await own.workAbove(STEPS * STORED, async () => {
        await erasePhone(provenWorkspaceId(workspace.workspaceId), PHONE, command("test"));
        await sweepUntil(async () => {
          const left = await own.filling`select from workspaces where id = ${gone.workspaceId}`;
          return left.length === 0;
        });
      });
      expect(slow).toEqual([]);
    },
  );
});
