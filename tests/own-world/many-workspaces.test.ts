import { describe, expect, test } from "vitest";
import { addEndpoint } from "../support/receiver";
import { measuredPostgres, sweepUntil } from "../support/recorded-plans";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

const own = measuredPostgres({ "auto_explain.log_min_duration": "20ms", log_statement: "none" });

const WORKSPACES = 600;

/** As many workspaces as a busy gateway has, each like the given one and with messages of now, of this day, and of last year. */
const fill = async ({ workspaceId }: TestWorkspace, messages: number) => {
  const copied = async (table: string, column: string, id: string) =>
    own.filling`
      insert into ${own.filling(table)}
      select (jsonb_populate_record(t, jsonb_build_object('id', ${id}::text || n, ${column}::text, 'ws_' || n, 'ref', null, 'retention_days', 30,
        'whatsapp_phone_number_id', n::text, 'whatsapp_business_account_id', n::text))).*
      from ${own.filling(table)} t, generate_series(1, ${WORKSPACES}::int) n where ${own.filling(column)} = ${workspaceId}`;
  await copied("workspaces", "id", "");
  for (const table of ["phone_numbers", "template_reads", "members", "webhook_endpoints"])
    await copied(table, "workspace_id", `${table}_`);
  await own.filling`update phone_numbers set messaging_limit = 'TIER_250'`;
  const each = own.filling`from workspaces w, generate_series(1, ${messages}::int) n where w.id like 'ws\\__%'`;
  const line = own.filling`'phone_numbers_' || substring(w.id from 4)`;
  const id = (name: string) => own.filling`${`${name}_`} || w.id || '_' || n`;
  const at = own.filling`now() - n % 5 * interval '1 minute' - case n % 5 when 0 then interval '0' when 1 then interval '6 hours' else interval '400 days' end`;
  await own.filling`insert into contacts (workspace_id, id, phone) select w.id, ${id("ct")}, '4915770' || lpad(n::text, 6, '0') ${each}`;
  await own.filling`
    insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, fingerprint, phase, status,
      whatsapp_message_id, lease_expires_at, request, created_at)
    select w.id, ${id("msg")}, 'live', ${line}, ${id("ct")}, '4915770', 'template', '', 'SENT', 'SENT', ${id("wamid.")},
      now(), '{"content":"Hello"}', ${at} ${each}`;
  await own.filling`
    insert into status_events (workspace_id, id, phone_number_id, message_id, digest, whatsapp_message_id, status, occurred_at,
      received_at, raw)
    select w.id, ${id("evt")}, ${line}, case when n % 2 = 0 then ${id("msg")} end, decode(md5(n::text), 'hex'),
      ${id("wamid.")}, 'sent', ${at}, ${at}, '{}' ${each}`;
  await own.filling`
    insert into api_requests (workspace_id, id, at, mode, api_key_id, operation, method, path, status, ip, duration_ms, message_id)
    select w.id, ${id("req")}, ${at}, 'live', 'ak', 'sendMessage', 'POST', '/', 201, '', 1, ${id("msg")} ${each}`;
  await own.filling`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, created_at,
      state, next_attempt_at)
    select w.id, ${id("whd")}, e.id, 'message.received', ${id("msg")}, n, '{}', ${at}, ${at}, 'DELIVERED', 'infinity'
    from workspaces w join webhook_endpoints e on e.workspace_id = w.id, generate_series(1, ${messages}::int) n`;
};

describe("a pass for all workspaces grows with their rows, and not with workspaces times rows", () => {
  /** A statement takes some steps for each row; looking through all messages for each workspace would be 600. */
  const STEPS = 20;

  test.each([
    ["never analysed", 5],
    ["analysed", 5],
    ["analysed", 15],
  ])("in tables that were %s, with %s messages of each workspace", { timeout: 300_000 }, async (state, messages) => {
    await own.filling`truncate workspaces cascade`;
    const workspace = await provisionWorkspace({ mode: "live" });
    await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
    await fill(workspace, messages);
    const analyse = async () => {
      if (state === "analysed") await own.filling`analyze`;
      return true;
    };
    await analyse();
    const slow = await own.workAbove(STEPS * WORKSPACES * messages, async () => {
      for (let pass = 0; pass < 2; pass++) await sweepUntil(analyse);
    });
    expect(slow).toEqual([]);
  });
});
