import { drizzle } from "drizzle-orm/postgres-js";
import postgres, { type Sql } from "postgres";
import type { MessageStatus, SendPhase } from "@/db/schema/messages";
import { testServers } from "./environment";
import type { TestWorkspace } from "./workspace";

const connections = new Map<string, Sql>();

/**
 * A look into the database, or a change to it that only time or an accident would make. Without the product's time limits:
 * what a test prepares may take longer on a busy machine.
 */
export const sql: Sql = new Proxy((() => {}) as unknown as Sql, {
  apply: (_, __, words) => Reflect.apply(connected(), undefined, words),
  get: (_, name) => Reflect.get(connected(), name),
});

const connected = (): Sql => {
  const { environment } = testServers();
  Object.assign(process.env, environment);
  const url = environment.DATABASE_URL ?? "";
  const client = connections.get(url) ?? connect(url);
  connections.set(url, client);
  return client;
};

/** Reads instants as the product's connections do: drizzle changes the client that it is given. */
const connect = (url: string): Sql => {
  const connection = { application_name: "switchboard-tests" };
  const client = postgres(url, { max: 8, idle_timeout: 2, fetch_types: false, connection, onnotice: () => {} });
  return drizzle({ client }).$client;
};

export type MessageRow = {
  id: string;
  phase: SendPhase;
  status: MessageStatus;
  attempt: number;
  whatsapp_message_id: string | null;
  failure_reason: string | null;
  failure_code: number | null;
  unit_month: string | null;
};

/** As if so many messages of this month had been sent. */
export const setUsed = ({ workspaceId }: Pick<TestWorkspace, "workspaceId">, used: number) => sql`
  insert into usage (workspace_id, month, used)
  values (${workspaceId}, date_trunc('month', now(), 'UTC')::date, ${used})
  on conflict (workspace_id, month) do update set used = excluded.used`;

/** The messages of a workspace, oldest first. */
export const messageRows = ({ workspaceId }: TestWorkspace): Promise<MessageRow[]> => sql<MessageRow[]>`
  select id, phase, status, attempt, whatsapp_message_id, failure_reason, failure_code, unit_month::text
  from messages where workspace_id = ${workspaceId} order by created_at, id`;

/**
 * Units that the plan counts, and rows that hold one: the two must never differ. Where there is no limit no row of `usage`
 * counts, and what the messages hold is all there is.
 */
export const planUnits = async ({ workspaceId }: TestWorkspace): Promise<{ used: number; held: number }> => {
  const [row] = await sql<{ used: number; held: number }[]>`
      with held as (select count(*)::int as units from messages where workspace_id = ${workspaceId} and unit_month is not null)
      select coalesce((
          select sum(used)::int from usage where workspace_id = ${workspaceId} and message_limit is not null
        ), held.units) as used, held.units as held
      from held`;
  return row ?? { used: -1, held: -1 };
};

/** What WhatsApp said of a message, in words; `null` lists what waits for its message. */
export const eventWords = async ({ workspaceId }: TestWorkspace, messageId: string | null): Promise<string[]> => {
  const events = await sql<{ status: string }[]>`
      select status from status_events where workspace_id = ${workspaceId} and message_id is not distinct from ${messageId}
      order by status`;
  return events.map(({ status }) => status);
};

/** WhatsApp's own objects about a message, as they are kept, oldest first. */
export const eventRaws = async ({ workspaceId }: TestWorkspace, messageId: string): Promise<(string | null)[]> => {
  const events = await sql<{ raw: string | null }[]>`
      select raw from status_events where workspace_id = ${workspaceId} and message_id = ${messageId}
      order by received_at, id`;
  return events.map(({ raw }) => raw);
};

/** The server that held this row is gone, and its lease is over. */
export const abandon = ({ workspaceId }: TestWorkspace, messageId: string, phase: "ACCEPTED" | "DISPATCHING") => sql`
  update messages set phase = ${phase}, status = 'PENDING', whatsapp_message_id = null, sent_at = null,
    failure_reason = null, failed_at = null, lease_expires_at = now() - interval '1 second'
  where workspace_id = ${workspaceId} and id = ${messageId}`;

/** Every column of what webhooks may change in a workspace, but what any write or the sweeper moves: `table/id.column`. */
export const snapshot = async ({ workspaceId }: TestWorkspace): Promise<Map<string, unknown>> => {
  const tables = [
    "messages",
    "contacts",
    "templates",
    "phone_numbers",
    "account_notices",
    "flow_sessions",
    "usage",
    "api_keys",
  ];
  const columns = new Map<string, unknown>();
  for (const table of tables) {
    const rows = await sql<{ row: Record<string, unknown> }[]>`
      select to_jsonb(t) - array['updated_at', 'last_webhook_at', 'last_used_at', 'event_count', 'folded_name'] as row
      from ${sql(table)} t where workspace_id = ${workspaceId}`;
    for (const { row } of rows) {
      for (const [name, value] of Object.entries(row))
        columns.set(`${table}/${row.id ?? row.month ?? `${row.number} ${row.kind}`}.${name}`, value);
    }
  }
  return columns;
};

/** What differs between two snapshots, by `table.column`; of a new row every column that is set. */
export const changesBetween = (before: Map<string, unknown>, after: Map<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    [...after]
      .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before.get(key) ?? null))
      .map(([key, value]) => [key.replace(/\/[^.]*/, ""), value]),
  );

export type AuditEntry = {
  actor: string;
  action: string;
  target_kind: string;
  target_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

/** The audit log of a workspace, oldest first. */
export const auditEntries = (workspaceId: string): Promise<AuditEntry[]> => sql<AuditEntry[]>`
  select actor_kind || ' ' || actor_id as actor, action, target_kind, target_id, before, after
  from audit_log where workspace_id = ${workspaceId} order by at, id`;

/** Our id of the workspace's first key. */
export const keyIdOf = async ({ apiKey }: TestWorkspace): Promise<string> => {
  const [key] = await sql<{ id: string }[]>`select id from api_keys where api_key = ${apiKey}`;
  if (!key) throw new Error("no key");
  return key.id;
};
