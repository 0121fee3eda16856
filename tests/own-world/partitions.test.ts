import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createDatabase } from "../support/databases";
import { forSuite } from "../support/for-suite";
import { linked, PICTURE } from "../support/linked-pictures";
import { startOwnPostgres } from "../support/own-database";
import { definitions, migrateTestDatabase, tenantTables } from "../support/partitions";
import { addEndpoint, startReceiver } from "../support/receiver";
import { RECORDING, recordedStatements } from "../support/recorded-plans";
import { requestRows } from "../support/request-rows";
import { sql } from "../support/rows";
import { expectSent, PHONE } from "../support/sends";
import { sweep } from "../support/sweep";
import { bodyOf, templateRecord } from "../support/template-records";
import { accountWebhook, FLOW_CONTENT, inboundWebhook } from "../support/webhooks";
import {
  graphError,
  postWebhook,
  provisionWorkspace,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

const own = forSuite(() =>
  startOwnPostgres({ MESSAGE_RETENTION_DAYS: "7" }, "API", { settings: RECORDING, isPartitioned: true }),
);

/**
 * Connections whose statements are about rows of many workspaces, each with its reason. All others are those of calls,
 * which name theirs.
 */
const OF_MANY_WORKSPACES = {
  webhooks: "a webhook holds WhatsApp's ids, and those that arrive together share a statement; the sweeper",
  records: "the log of requests is written in batches, and counted and aged for all workspaces",
  deliveries: "a process claims and settles what is due, whosever it is",
};

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const REPLY = { type: "nfm_reply", nfm_reply: { name: "flow", response_json: "{}" } };
/** A number of the sandbox whose messages are read. */
const READ = "447700900003";

/** Every kind of call and webhook once, and the work that they leave behind. */
const useEverything = async () => {
  const receiver = await startReceiver();
  const workspace = await provisionWorkspace({
    plan: "starter",
    templates: [
      templateRecord("ready", [bodyOf("Order {{1}} is ready.")]),
      templateRecord("sale", [bodyOf("Half price.")], { category: "MARKETING" }),
      PICTURE,
    ],
    contacts: [{ ref: "ada", phone: PHONE }],
  });
  const trial = await provisionWorkspace({ mode: "test" });
  await addEndpoint(trial, { url: receiver.url });

  const start = own.databaseLog().length;
  const send = async (body: object, key: string) => {
    const answer = await workspace.send(body, { "Idempotency-Key": key });
    expectSent(answer);
    return answer.body.data;
  };
  expectSent(await trial.send({ ...TEXT, phone: READ }));
  const { id, chatMessageId } = await send(TEXT, "text");
  expect((await workspace.send(TEXT, { "Idempotency-Key": "text" })).status).toBe(200);
  await send({ type: "template", phone: PHONE, templateName: "ready", templateVariables: { "1": "8812" } }, "template");
  const sale = { type: "template", phone: PHONE, templateName: "sale", templateVariables: {} };
  await send(sale, "sale");
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(131050), graphError(131049)]);
  for (const key of ["stopped", "withheld"]) await workspace.send(sale, { "Idempotency-Key": key });
  await send(sale, "withheld");
  await send(linked("/a.png?partitions"), "picture");
  await send({ type: "text", contactId: workspace.contacts.ada, content: "Hello" }, "contact");
  const flow = { type: "interactive", contactId: workspace.contacts.ada, content: FLOW_CONTENT };
  const opened = await send(flow, "flow");
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(130403)]);
  expect((await workspace.send(TEXT, { "Idempotency-Key": "again" })).body.details.retryable).toBe(true);
  await send(TEXT, "again");
  expect((await workspace.status(id)).status).toBe(200);
  expect((await workspace.call("GET", "/api/v1/public/templates")).status).toBe(200);

  const template = {
    message_template_id: 1,
    message_template_name: "ready",
    message_template_language: "en_US",
    event: "PAUSED",
  };
  for (const webhook of [
    ...["sent", "delivered", "read"].map((status) =>
      statusWebhook(workspace, [{ id: chatMessageId ?? "", status, recipient_id: PHONE }]),
    ),
    statusWebhook(workspace, [{ id: "wamid.unknown", status: "sent" }]),
    inboundWebhook(workspace, [
      { from: PHONE, context: { id: opened.chatMessageId }, type: "interactive", interactive: REPLY },
      { from: READ, text: { body: "Hi" } },
    ]),
    accountWebhook(workspace, "message_template_status_update", template),
    accountWebhook(workspace, "account_update", { event: "DISABLED_UPDATE" }),
  ])
    expect((await postWebhook(webhook)).status).toBe(200);
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(2);
  await requestRows(workspace, 9);
  expect((await sweep()).status).toBe(200);
  await receiver.stop();
  return own.databaseLog().slice(start);
};

test("every statement of a call names its workspace: one partition has all that it reads and writes", async () => {
  const recorded = recordedStatements(await useEverything(), await tenantTables(sql));
  const ofMany = recorded.filter(({ pool, namesWorkspace }) => !namesWorkspace && pool !== "tests");
  const ofCalls = recorded.filter(({ pool }) => pool === "requests" || pool === "limits");
  expect(ofCalls.length).toBeGreaterThan(25);
  expect(ofMany.filter(({ pool }) => !(pool in OF_MANY_WORKSPACES))).toEqual([]);
  expect(new Set(ofMany.map(({ pool }) => pool))).toEqual(new Set(Object.keys(OF_MANY_WORKSPACES)));
});

test("a database in partitions has the keys, indexes, triggers and columns of one that is whole", async () => {
  const [whole, split] = await Promise.all([
    createDatabase({ isMigrated: true }),
    createDatabase({ isMigrated: false }),
  ]);
  await migrateTestDatabase(split.url, { isPartitioned: true });
  const [ofWhole, ofSplit] = await Promise.all([definitions(whole.sql), definitions(split.sql)]);
  expect(ofWhole.length).toBeGreaterThan(400);
  expect(ofSplit).toEqual(ofWhole);
  // An upgrade meets tables that are in partitions already, which take settings that the whole does not.
  for (const name of ["0053_bursts_of_statuses", "0054_room_for_bursts", "0057_less_room"])
    await split.sql.unsafe(readFileSync(`db/migrations/${name}.sql`, "utf8"));
  const settings = await split.sql`
    select reloptions from pg_partition_tree('messages') join pg_class on oid = relid where isleaf`;
  expect(settings).toEqual(Array(16).fill({ reloptions: ["fillfactor=70"] }));
  await Promise.all([whole.drop(), split.drop()]);
});

const countOf = (table: string, { workspaceId }: TestWorkspace) =>
  sql`select from ${sql(table)} where workspace_id = ${workspaceId}`.then((rows) => rows.length);

test("age and a workspace's deletion remove its own rows, and none of the 16 others", async () => {
  const [old, deleted, ...others] = await Promise.all(Array.from({ length: 18 }, () => provisionWorkspace()));
  if (!old || !deleted) throw new Error("no workspace");
  const all = [old, deleted, ...others];
  // In each partition the same first places are taken.
  await sql`
      insert into audit_log (id, workspace_id, action, actor_kind, actor_id, target_kind, target_id)
      select 'aud_' || w.id || n, w.id, 'workspace.changed', 'command', 'test', 'workspace', w.id
      from json_array_elements_text(${JSON.stringify(all.map(({ workspaceId }) => workspaceId))}::text::json) as w (id),
        generate_series(1, 20) n`;
  await Promise.all(
    all.flatMap((workspace) => Array.from({ length: 10 }, () => workspace.call("GET", "/api/v1/public/templates"))),
  );
  for (const workspace of all) await requestRows(workspace, 10);
  const before = await Promise.all(
    others.map(async (one) => [await countOf("api_requests", one), await countOf("audit_log", one)]),
  );
  await sql`update api_requests set at = now() - interval '8 days' where workspace_id = ${old.workspaceId}`;
  await sql`update workspaces set ref = null where id = ${deleted.workspaceId}`;
  await sql`delete from members where workspace_id = ${deleted.workspaceId}`;
  expect((await sweep()).status).toBe(200);
  expect(await countOf("api_requests", old)).toBe(0);
  expect([await countOf("api_requests", deleted), await countOf("audit_log", deleted)]).toEqual([0, 0]);
  expect(
    await Promise.all(others.map(async (one) => [await countOf("api_requests", one), await countOf("audit_log", one)])),
  ).toEqual(before);
});
