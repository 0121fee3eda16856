import postgres, { type Sql } from "postgres";
import { closePools } from "@/db/client";
import { writeCursor } from "@/lib/core/keyset-page";
import { withProgress } from "../../scripts/progress.mjs";
import { endpointWithDelivery } from "../support/endpoint-rows";
import { testServers } from "../support/environment";
import type { Shown } from "../support/pages";
import { keepFromCounting, letCount, rollUpAll } from "../support/roll-up";
import { carouselRecord, ORDER, templateRecord } from "../support/template-records";
import { countTraffic, fillContacts, fillEvents, fillTraffic, prepareConnection } from "../support/traffic";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

const DAYS = 30;
const CONTACTS = 100_000;
const PHONES_FROM = 447_400_000_000;
/** Calls in the log and messages with events, per million messages. */
const LOGGED_SHARE = 0.23;
const WITH_EVENTS = 0.2;
const STEP = 0.1;

/** Things of the workspace that lists are searched for. Where the traffic has a rare and a common one, the rare one. */
export type Sample = Shown & {
  workspace: TestWorkspace;
  recipient: string;
  whatsappMessageId: string;
  messageRequestId: string;
  idempotencyKey: string;
  /** A place in the middle of the list. */
  middle: string;
  /** A day in the middle, and three days before it. */
  day: string;
  dayBefore: string;
};

/** A workspace with as many messages as `messages` says, and all that comes with them. */
export const fillWorkspace = async (messages: number): Promise<Sample> => {
  const workspace = await provisionWorkspace({
    lines: ["main", "sales", "old"].map((ref, index) => ({ ref, isDefault: index === 0 })),
    extraKeys: ["erp", "campaigns"],
    templates: [
      ORDER,
      carouselRecord(3),
      ...["shipped", "delivered", "payment_due", "feedback", "appointment", "welcome_back"].map((name) =>
        templateRecord(name, [{ type: "BODY", text: "Hi {{1}}, about {{2}}." }]),
      ),
    ],
  });
  const { workspaceId } = workspace;
  const sql = postgres(testServers().environment.DATABASE_URL ?? "", { max: 1, onnotice: () => undefined });
  try {
    await prepareConnection(sql);
    await keepFromCounting(sql);
    await sql`update workspaces set time_zone = 'Europe/Berlin' where id = ${workspaceId}`;
    await withProgress("Contacts", () => fillContacts(sql, { workspaceId, count: CONTACTS, phonesFrom: PHONES_FROM }));
    const keys = await sql<{ id: string }[]>`
      select id from api_keys where workspace_id = ${workspaceId} and mode = 'live' order by id`;
    const lineIds = Object.values(workspace.lines).map(({ id }) => id);
    const traffic = {
      workspaceId,
      mode: "live" as const,
      lineIds,
      keyIds: keys.map(({ id }) => id),
      templates: Object.keys(workspace.templates),
      days: DAYS,
      messages,
      loggedShare: LOGGED_SHARE,
    };
    const newest = Math.round(messages * WITH_EVENTS);
    await withoutIndexes(sql, async () => {
      await withProgress("Messages and calls", () => fillTraffic(sql, traffic, tellSteps()));
      await withProgress("Status events", () => fillEvents(sql, { workspaceId, newest }));
    });
    await withProgress("Counts of calls", () => countTraffic(sql, workspaceId));
    // By itself the database would come to it only after a minute, and plan until then as if the tables were empty.
    await withProgress("Statistics of the tables", () => sql`vacuum analyze`);
    await letCount(sql);
    await withProgress("Roll-up of messages by the hour", () => rollUpAll(sql, { workspaceId, messages }));
    await sql`vacuum analyze messages_by_quarter, messages_by_day, duration_hours`;
    const sample = await sampleOf(sql, workspaceId);
    const endpoint = await endpointWithDelivery(workspace, { mode: "live", messageId: sample.messageId });
    await fillDeliveries(sql, { workspaceId, endpointId: endpoint.endpointId, newest });
    return { ...sample, ...endpoint, workspace };
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), closePools()]);
  }
};

/** Indexes on what has no order cost a filling more than everything else; the one by time is read while it goes on. */
const withoutIndexes = async (sql: Sql, fill: () => Promise<void>): Promise<void> => {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename in ('messages', 'status_events', 'api_requests') and indexname not like '%_pk'
      and indexname not in ('messages_created', 'api_requests_at')`;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  await fill();
  await sql`set maintenance_work_mem = '1GB'`;
  await withProgress("Indexes", async () => {
    for (const { definition } of indexes) await sql.unsafe(definition);
  });
};

/** An event of each of the newest messages, which a partner's endpoint took. */
const fillDeliveries = (
  sql: Sql,
  { workspaceId, endpointId, newest }: Record<"workspaceId" | "endpointId", string> & { newest: number },
) => sql`
  insert into webhook_deliveries (
    workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts, settled_at, created_at)
  select workspace_id, 'whd_' || substr(id, 5), ${endpointId}, 'message.sent', id, 1, '{"status":"SENT"}', created_at, 'DELIVERED', 1,
    created_at, created_at
  from messages where workspace_id = ${workspaceId} order by created_at desc, id desc limit ${newest}`;

/** A line whenever another tenth is done. */
const tellSteps = () => {
  let reported = 0;
  return (share: number) => {
    if (share < reported + STEP) return;
    reported = Math.floor(share / STEP) * STEP;
    console.log(`  … ${Math.round(reported * 100)} %`);
  };
};

const sampleOf = async (
  sql: Sql,
  workspaceId: string,
): Promise<Omit<Sample, "workspace" | "endpointId" | "deliveryId">> => {
  const one = async <T extends object>(query: PromiseLike<T[]>): Promise<T> => {
    const [row] = await query;
    if (!row) throw new Error("the traffic has nothing of a kind that it should have");
    return row;
  };
  const message = await one(sql<Record<"id" | "phone" | "wamid" | "request" | "contact" | "key", string>[]>`
    select id, phone, whatsapp_message_id as wamid, request_id as request, contact_id as contact, idempotency_key as key
    from messages where workspace_id = ${workspaceId} and status = 'READ' and idempotency_key is not null
    order by created_at desc, id desc offset 1000 limit 1`);
  const middle = await one(sql<{ createdAt: Date; id: string; day: string; before: string }[]>`
    select created_at as "createdAt", id, created_at::date::text as day, (created_at::date - 3)::text as before from messages
    where workspace_id = ${workspaceId} and created_at < now() - interval '15 days' order by created_at desc, id desc limit 1`);
  const refused = await one(sql<{ id: string }[]>`
    select id from api_requests where workspace_id = ${workspaceId} and status = 400 order by at desc limit 1`);
  const rarest = (table: string) =>
    one(sql<{ id: string }[]>`
    select id from ${sql(table)} where workspace_id = ${workspaceId} and mode = 'live' order by id desc limit 1`);
  const [line, key, template] = [await rarest("phone_numbers"), await rarest("api_keys"), await rarest("templates")];
  return {
    messageId: message.id,
    recipient: message.phone,
    whatsappMessageId: message.wamid,
    contactId: message.contact,
    messageRequestId: message.request,
    idempotencyKey: message.key,
    requestId: refused.id,
    phoneNumberId: line.id,
    keyId: key.id,
    templateId: template.id,
    middle: writeCursor(middle),
    day: middle.day,
    dayBefore: middle.before,
  };
};
