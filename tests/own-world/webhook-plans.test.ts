import { describe, expect, test } from "vitest";
import { addEndpoint } from "../support/receiver";
import { measuredPostgres } from "../support/recorded-plans";
import { bodyOf, templateRecord } from "../support/template-records";
import { accountWebhook, inboundWebhook } from "../support/webhooks";
import { postWebhook, provisionWorkspace, statusWebhook, type TestWorkspace } from "../support/workspace";

// Plans as a server of its own would keep them: they are not made again for each statement.
const own = measuredPostgres({ plan_cache_mode: "auto" });

/** The tables that a webhook reads or writes and that grow. */
const TABLES = [
  "contacts",
  "contact_names",
  "messages",
  "status_events",
  "webhook_deliveries",
  "flow_sessions",
  "flow_replies",
  "audit_log",
];
const STORED = 5_000;

/** What the statistics say when the burst comes. */
const STATISTICS: Record<string, (workspace: TestWorkspace, endpointId: string) => Promise<unknown>> = {
  "never analysed": () => own.filling`select`,
  "analysed while empty": () => own.filling.unsafe(`vacuum analyze ${TABLES.join(", ")}`),
  "analysed with one row": async (workspace, endpointId) => {
    await fill(workspace, endpointId, 1, 1);
    await own.filling.unsafe(`vacuum analyze ${TABLES.join(", ")}`);
    await own.filling.unsafe(TABLES.map((table) => `delete from ${table}`).join("; "));
  },
};

/** People, what was sent to them and an event about it that waits, as a workspace has them after a while. */
const fill = async ({ workspaceId, phoneNumberId }: TestWorkspace, endpointId: string, from: number, to: number) => {
  const place = own.filling`generate_series(${from}::int, ${to}::int) n`;
  await own.filling`
    insert into contacts (workspace_id, id, phone, name, last_inbound_at)
    select ${workspaceId}, 'ct_old' || n, '4915770' || lpad(n::text, 6, '0'), 'Person ' || n, now() from ${place}`;
  await own.filling`
    insert into contact_names (workspace_id, contact_id, name)
    select ${workspaceId}, 'ct_old' || n, '4915770' || lpad(n::text, 6, '0') from ${place}`;
  await own.filling`
    insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, fingerprint, phase, status,
      whatsapp_message_id, lease_expires_at, request)
    select ${workspaceId}, 'msg_old' || n, 'live', ${phoneNumberId}, 'ct_old' || n, '4915770' || lpad(n::text, 6, '0'), 'text',
      '', 'SENT', 'SENT', 'wamid.OLD' || n, now(), '{"content":"Hello"}' from ${place}`;
  await own.filling`
    insert into status_events (workspace_id, id, phone_number_id, message_id, digest, whatsapp_message_id, status, occurred_at)
    select ${workspaceId}, 'evt_old' || n, ${phoneNumberId}, 'msg_old' || n, decode(md5(n::text), 'hex'), 'wamid.OLD' || n, 'sent',
      now() from ${place}`;
  await own.filling`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
    select ${workspaceId}, 'whd_old' || n, ${endpointId}, 'message.sent', 'msg_old' || n, 1, '{}', now() from ${place}`;
  await own.filling`
    insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id, opened_at)
    select ${workspaceId}, 'fs_old' || n, 'ct_old' || n, ${phoneNumberId}, 'msg_old' || n, now() from ${place}`;
  await own.filling`
    insert into audit_log (workspace_id, id, at, actor_kind, actor_id, action, target_kind, target_id)
    select ${workspaceId}, 'aud_old' || n, now() - interval '1 day', 'command', 'erase', 'contact.erased', 'contact', 'digest ' || n
    from ${place}`;
};

/** The most rows that a statement and its triggers touch for each item of a webhook. */
const STEPS = 40;
/** Of a table that was never analysed Postgres takes a two-hundredth for one workspace's, so of its first hundreds it compares all. */
const STEPS_OF_FIRST = 1_000;
/** All templates of the account are compared with each event: there are some hundred, and few events. */
const STEPS_OF_TEMPLATES = 200;

const people = (workspace: TestWorkspace, from: number, count: number, more: (index: number) => object = () => ({})) =>
  inboundWebhook(
    workspace,
    Array.from({ length: count }, (_, index) => ({
      id: `wamid.IN${workspace.workspaceId}${from + index}`,
      from: `44770${900_000 + from + index}`,
      text: { body: "Hello" },
      ...more(from + index),
    })),
  );

describe("200: a webhook touches rows as it has items, and not as rows are stored", () => {
  test.each(Object.keys(STATISTICS))(
    "in tables %s, from the first message on",
    { timeout: 300_000 },
    async (statistics) => {
      const templates = Array.from({ length: 100 }, (_, index) => templateRecord(`offer_${index}`, [bodyOf("Before")]));
      const workspace = await provisionWorkspace({ mode: "live", templates });
      await own.filling`truncate ${own.filling.unsafe(TABLES.join(", "))} cascade`;
      const { id: endpointId } = await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
      await STATISTICS[statistics]?.(workspace, endpointId);
      const slow: object[] = [];
      const taken = async (name: string, items: number, body: object, steps = STEPS) => {
        // Writing all those plans down is slow: what is refused for its time comes again, as from WhatsApp.
        let status = 0;
        const post = async () => {
          status = (await postWebhook(body)).status;
        };
        let work = await own.workOf(post);
        for (let tries = 1; tries < 8 && status !== 200; tries++) work = await own.workOf(post);
        const touched = new Map<string, number>();
        for (const one of work) {
          // Names are folded beside it, in bounded steps.
          if (one.pool !== "webhooks" || one.text.includes("folded_name")) continue;
          touched.set(one.text, (touched.get(one.text) ?? 0) + one.touched);
        }
        if (status !== 200) slow.push({ name, status });
        for (const [text, count] of touched) {
          if (count > steps * items)
            slow.push({ name, perItem: Math.round(count / items), text: text.slice(0, 2_000) });
        }
      };
      await taken("440 new people", 440, people(workspace, 0, 440), STEPS_OF_FIRST);
      await fill(workspace, endpointId, 1, STORED);
      await taken("400 new people", 400, people(workspace, 440, 400));
      await taken(
        "their next messages",
        400,
        people(workspace, 440, 400, (n) => ({ id: `wamid.NEXT${n}` })),
      );
      await taken("a repetition", 400, people(workspace, 440, 400));
      const statuses = (count: number, status: string, more: (n: number) => object = () => ({})) =>
        statusWebhook(
          workspace,
          Array.from({ length: count }, (_, n) => ({
            id: `wamid.OLD${n + 1}`,
            status,
            timestamp: "1790000000",
            recipient_id: `4915770${String(n + 1).padStart(6, "0")}`,
            ...more(n + 1),
          })),
        );
      await taken("statuses", 400, statuses(400, "delivered"));
      await taken(
        "statuses by our id",
        400,
        statuses(400, "read", (n) => ({ biz_opaque_callback_data: `msg_old${n}` })),
      );
      await taken("statuses, repeated", 400, statuses(400, "delivered"));
      await taken(
        "statuses with new ids",
        400,
        statuses(400, "sent", (n) => ({ recipient_user_id: `GB.${n}` })),
      );
      const form = {
        type: "interactive",
        interactive: { type: "nfm_reply", nfm_reply: { name: "flow", response_json: "{}" } },
      };
      await taken(
        "answers to flows",
        400,
        people(workspace, 0, 400, (n) => ({
          ...form,
          id: `wamid.FLOW${n}`,
          from: `4915770${String(n + 1).padStart(6, "0")}`,
          context: { id: `wamid.OLD${n + 1}` },
        })),
      );
      const now = Math.floor(Date.now() / 1_000);
      const event = ({ id, name }: { id: string; name: string }) =>
        accountWebhook(
          workspace,
          "message_template_status_update",
          {
            message_template_id: Number(id),
            message_template_name: name,
            message_template_language: "en_US",
            event: "PAUSED",
            reason: "NONE",
          },
          now,
        ).entry;
      const events = { object: "whatsapp_business_account", entry: templates.flatMap(event) };
      await taken("template events", 100, events, STEPS_OF_TEMPLATES);
      expect(slow).toEqual([]);
    },
  );
});
