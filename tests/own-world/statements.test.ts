import { beforeEach, describe, expect, test } from "vitest";
import { startInstance } from "../support/environment";
import { forSuite, forTest } from "../support/for-suite";
import { limitKey } from "../support/key-limits";
import { awayFromWindowEdge, freshAddress } from "../support/limits";
import { startOwnPostgres } from "../support/own-database";
import { messageRows, sql } from "../support/rows";
import { expectError, expectSent, PHONE } from "../support/sends";
import { bodyOf, templateRecord } from "../support/template-records";
import { accountWebhook, inboundWebhook, signatureOf } from "../support/webhooks";
import {
  type Answer,
  postWebhook,
  provisionWorkspace,
  request,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

const own = forSuite(() => startOwnPostgres({}, "API"));

describe("calls", () => {
  const TEXT = { type: "text", phone: PHONE, content: "Hello" };
  const TEMPLATES = "/api/v1/public/templates";
  const [MAX_ROUNDS, COUNT] = [20, 3];

  beforeEach(awayFromWindowEdge);

  /** Those of calls: the sweeper and the log of requests have pools of their own. Of the quietest rounds, two alike. */
  const statementsOf = async (
    call: () => Promise<Answer>,
    status: number,
    pools = "(requests|limits)",
  ): Promise<number> => {
    const rounds: number[] = [];
    const isSure = () => rounds.filter((count) => count === Math.min(...rounds)).length > 1;
    while (rounds.length < MAX_ROUNDS && !isSure()) {
      const before = own.countStatements("", pools);
      for (let done = 0; done < COUNT; done++) {
        const answer = await call();
        expect(answer.status, answer.text).toBe(status);
      }
      rounds.push(Math.round((own.countStatements("", pools) - before) / COUNT));
    }
    return Math.min(...rounds);
  };

  test("calls that come while others are logged are logged together, each second at the latest", async () => {
    const workspace = await provisionWorkspace();
    const sent = await workspace.send(TEXT);
    const logged = () => own.countStatements("insert into api_requests", "records");
    const [before, startedAtMs] = [logged(), performance.now()];
    const [CLIENTS, CALLS, BATCH] = [10, 30, 200];
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let made = 0; made < CALLS; made++) expect((await workspace.status(sent.body.data.id)).status).toBe(200);
      }),
    );
    const seconds = Math.ceil((performance.now() - startedAtMs) / 1_000);
    expect(logged() - before).toBeLessThanOrEqual((CLIENTS * CALLS) / BATCH + seconds + 1);
  });

  describe("statements of one call", () => {
    test("a send, a replay, a status, a list, and what is refused with 401 or 404", { timeout: 60_000 }, async () => {
      const workspace = await provisionWorkspace({
        templates: [
          templateRecord("ready", [bodyOf("Order {{1}} is ready.")]),
          templateRecord("sale", [bodyOf("Half price: {{1}}.")], { category: "MARKETING" }),
        ],
        contacts: [{ ref: "customer", phone: PHONE }],
      });
      const first = await workspace.send(TEXT);
      expectSent(first);
      const fresh = () => ({ "Idempotency-Key": crypto.randomUUID() });
      const templateVariables = { "1": "8812" };
      const template = { type: "template", phone: PHONE, templateName: "ready", templateVariables };
      const contact = { type: "text", contactId: workspace.contacts.customer, content: "Hello" };
      await workspace.send(TEXT, { "Idempotency-Key": "the same" });
      const wrong = { apiKey: workspace.apiKey, apiSecret: "sk_live_wrong" };
      const unknown = { apiKey: "pk_live_unknown", apiSecret: "sk_live_wrong" };
      const list = (key: typeof wrong | null) => workspace.call("GET", TEMPLATES, { key });
      const changeAndSend = async () => {
        await sql`update templates set updated_at = now() where workspace_id = ${workspace.workspaceId}`;
        return workspace.send(template, fresh());
      };
      const ofField = (idempotencyKey: string) => () => workspace.send({ ...TEXT, idempotencyKey });
      const calls: [name: string, statements: number, status: number, call: () => Promise<Answer>][] = [
        ["text", 3, 201, () => workspace.send(TEXT, fresh())],
        ["template", 3, 201, () => workspace.send(template, fresh())],
        ["marketing", 3, 201, () => workspace.send({ ...template, templateName: "sale" }, fresh())],
        ["template that has changed", 6, 201, changeAndSend],
        ["contact", 4, 201, () => workspace.send(contact, fresh())],
        ["replay", 1, 200, () => workspace.send(TEXT, { "Idempotency-Key": "the same" })],
        ["replay by field", 2, 200, ofField("the same")],
        ["text by field", 3, 201, () => ofField(crypto.randomUUID())()],
        ["unknown status", 1, 404, () => workspace.status("msg_unknown")],
        ["status", 1, 200, () => workspace.status(first.body.data.id)],
        ["templates", 2, 200, () => workspace.call("GET", TEMPLATES)],
        ["wrong secret", 1, 401, () => list(wrong)],
        ["unknown key", 1, 401, () => list(unknown)],
        ["no key", 1, 401, () => list(null)],
        ["unknown path", 1, 404, () => workspace.call("GET", "/api/v1/public/nothing")],
      ];
      for (const [name, statements, status, call] of calls)
        expect([name, await statementsOf(call, status)]).toEqual([name, statements]);
    });

    test("the limits of a key cost no further statement, nor does a call beyond them", {
      timeout: 60_000,
    }, async () => {
      const workspace = await provisionWorkspace();
      await limitKey(workspace, {
        permissions: ["send", "status"],
        phoneNumberIds: [workspace.phoneNumberId],
        ipRanges: [`${workspace.clientAddress}/32`],
        monthlyCap: 100_000,
      });
      const first = await workspace.send(TEXT);
      expectSent(first);
      const fresh = () => ({ "Idempotency-Key": crypto.randomUUID() });
      const elsewhere = { headers: { "x-forwarded-for": freshAddress() } };
      expect({
        text: await statementsOf(() => workspace.send(TEXT, fresh()), 201),
        status: await statementsOf(() => workspace.status(first.body.data.id), 200),
        permission: await statementsOf(() => workspace.call("GET", TEMPLATES), 403),
        ip: await statementsOf(() => workspace.call("GET", TEMPLATES, elsewhere), 403),
      }).toEqual({ text: 3, status: 1, permission: 1, ip: 1 });
      await limitKey(workspace, { permissions: ["templates"], phoneNumberIds: [workspace.phoneNumberId] });
      expect(await statementsOf(() => workspace.call("GET", TEMPLATES), 200)).toBe(2);
    });

    test("a webhook of ten statuses", async () => {
      const workspace = await provisionWorkspace();
      const sent = await Promise.all(Array.from({ length: 10 }, () => workspace.send(TEXT)));
      for (const answer of sent) expectSent(answer);
      const body = statusWebhook(
        workspace,
        sent.map((answer) => ({ id: answer.body.data.chatMessageId ?? "", status: "read", timestamp: "1760000000" })),
      );
      // One reads the messages, one writes what has not changed since.
      expect(await statementsOf(() => postWebhook(body), 200, "webhooks")).toBe(2);
      expect((await messageRows(workspace)).filter(({ status }) => status === "READ")).toHaveLength(10);
    });

    test("a 429 that is repeated", async () => {
      const limits = { PUBLIC_API_IP_RATE_LIMIT: "5", PUBLIC_API_KEY_RATE_LIMIT: "3" };
      const instance = await forTest(startInstance(limits, "API"));
      const workspace = await provisionWorkspace();
      const list = (address: string, keys: Record<string, string>) =>
        request("GET", `${instance.baseUrl}${TEMPLATES}`, { headers: { "x-forwarded-for": address, ...keys } });
      const [full, other] = [freshAddress(), freshAddress()];
      const { apiKey, apiSecret } = workspace;
      for (let call = 0; call < 6; call++) await list(full, {});
      for (let call = 0; call < 4; call++) await list(other, { apiKey, apiSecret });
      expect({
        address: await statementsOf(() => list(full, { apiKey, apiSecret }), 429),
        key: await statementsOf(() => list(freshAddress(), { apiKey, apiSecret }), 429),
      }).toEqual({ address: 0, key: 0 });
    });
  });
});

describe("events", () => {
  type Entry = ReturnType<typeof accountWebhook>["entry"][number];

  const NOW = Math.floor(Date.now() / 1_000);
  const TEMPLATES = 100;

  const post = (body: unknown, baseUrl = own.baseUrl): Promise<Answer> => {
    const raw = JSON.stringify(body);
    const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(raw) };
    return request("POST", `${baseUrl}/api/webhooks/whatsapp`, { headers, body: raw });
  };

  /** One webhook of all these, as WhatsApp batches them. */
  const together = (webhooks: { entry: Entry[] }[]) => ({
    object: "whatsapp_business_account",
    entry: webhooks.flatMap(({ entry }) => entry),
  });

  const record = (index: number) => templateRecord(`offer_${String(index).padStart(3, "0")}`, [bodyOf("Before")]);
  const records = (count = TEMPLATES) => Array.from({ length: count }, (_, index) => record(index));

  type Workspace = TestWorkspace & { records: ReturnType<typeof record>[] };

  const workspaceWith = async (count = TEMPLATES): Promise<Workspace> => {
    const templates = records(count);
    return { ...(await provisionWorkspace({ templates })), records: templates };
  };

  const named = ({ id, name }: { id: string; name: string }) => ({
    message_template_id: Number(id),
    message_template_name: name,
    message_template_language: "en_US",
  });

  const statusOf = (workspace: TestWorkspace, template: ReturnType<typeof record>, event: string, at = NOW) =>
    accountWebhook(workspace, "message_template_status_update", { ...named(template), event, reason: "NONE" }, at);

  const qualityOf = (workspace: TestWorkspace, template: ReturnType<typeof record>, score: string, at = NOW) =>
    accountWebhook(
      workspace,
      "message_template_quality_update",
      { ...named(template), previous_quality_score: "UNKNOWN", new_quality_score: score },
      at,
    );

  const categoryOf = (workspace: TestWorkspace, template: ReturnType<typeof record>, category: string, at = NOW) =>
    accountWebhook(workspace, "template_category_update", { ...named(template), new_category: category }, at);

  const textOf = (workspace: TestWorkspace, template: ReturnType<typeof record>, body: string, at = NOW) =>
    accountWebhook(
      workspace,
      "message_template_components_update",
      { ...named(template), message_template_element: body },
      at,
    );

  const banOf = (state: string) => ({ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: state } });

  const templateRows = ({ workspaceId }: TestWorkspace) =>
    sql<{ name: string; status: string; score: string | null; category: string; text: string; write: string }[]>`
      select name, status, quality_score as score, category, components #>> '{0,text}' as text, xmin::text as write
      from templates where workspace_id = ${workspaceId} order by name`;

  /** How many transactions wrote these rows last. */
  const writesOf = (rows: readonly { write: string }[]) => new Set(rows.map(({ write }) => write)).size;

  const taken = async (...answers: Promise<Answer>[]) => {
    for (const answer of await Promise.all(answers)) expect(answer.status, answer.text).toBe(200);
  };

  /** What one webhook costs the database, without what runs beside it: limits, health and counts. */
  const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = own.countStatements();
    await work();
    return own.countStatements() - before;
  };

  describe("200: the events of one webhook are stored together", () => {
    test("300 events of 100 templates take one transaction and a handful of statements", async () => {
      const workspace = await workspaceWith();
      const events = workspace.records.flatMap((template) => [
        statusOf(workspace, template, "PAUSED"),
        qualityOf(workspace, template, "RED"),
        textOf(workspace, template, "After"),
      ]);
      const statements = await statementsOf(() => taken(post(together(events))));
      const rows = await templateRows(workspace);
      expect(rows).toHaveLength(TEMPLATES);
      for (const row of rows) expect(row).toMatchObject({ status: "PAUSED", score: "RED", text: "After" });
      console.log(`${events.length} template events: ${statements} statements, ${writesOf(rows)} transactions`);
      expect(writesOf(rows)).toBe(1);
      expect(statements).toBeLessThan(20);
    });

    test("30 accounts and 30 numbers take one transaction each", async () => {
      const lines = Array.from({ length: 30 }, (_, index) => ({
        ref: `line${index}`,
        whatsappBusinessAccountId: `${NOW}${index}`,
      }));
      const workspace = await provisionWorkspace({ lines });
      const writes = async (kind: string) =>
        writesOf(
          await sql<{ write: string }[]>`
            select xmin::text as write from account_notices where workspace_id = ${workspace.workspaceId} and kind = ${kind}`,
        );
      await taken(
        post(
          together(lines.map((line) => accountWebhook(line, "account_update", { event: "ACCOUNT_RESTRICTION" }, NOW))),
        ),
      );
      expect(await writes("restriction")).toBe(1);
      const flagged = { display_phone_number: "442079460123", event: "FLAGGED" };
      await taken(
        post(together(lines.map((line) => accountWebhook(line, "phone_number_quality_update", flagged, NOW + 1)))),
      );
      expect(await writes("flag")).toBe(1);
    });

    test("4 MB of statuses are stored, too, as are 4 MB of template events", async () => {
      const workspace = await workspaceWith(1);
      const statuses = Array.from({ length: 12_000 }, (_, index) => ({
        id: `wamid.${index}${"x".repeat(80)}`,
        status: "sent",
        timestamp: `${NOW}`,
        conversation: { id: "c".repeat(60), origin: { type: "utility" } },
      }));
      await taken(post(statusWebhook(workspace, statuses)));
      const [kept] =
        await sql`select count(*)::int as count from status_events where workspace_id = ${workspace.workspaceId}`;
      expect(kept).toEqual({ count: statuses.length });
      const [template] = workspace.records;
      const events = Array.from({ length: 12_000 }, (_, index) =>
        qualityOf(
          workspace,
          template ?? record(0),
          index === 7_000 ? "YELLOW" : "GREEN",
          NOW - Math.abs(index - 7_000),
        ),
      );
      await taken(post(together(events)));
      expect((await templateRows(workspace))[0]?.score).toBe("YELLOW");
    });
  });

  describe("200: webhooks that come at once share transactions", () => {
    test("of templates", async () => {
      const workspace = await workspaceWith();
      await taken(...workspace.records.map((template) => post(statusOf(workspace, template, "PAUSED"))));
      const rows = await templateRows(workspace);
      expect(rows.map(({ status }) => status)).toEqual(Array(TEMPLATES).fill("PAUSED"));
      console.log(`100 template webhooks at once: ${writesOf(rows)} transactions`);
      expect(writesOf(rows)).toBeLessThanOrEqual(50);
    });

    test("of messages from contacts", async () => {
      const workspace = await provisionWorkspace();
      const phones = Array.from({ length: 100 }, (_, index) => `44770091${1_000 + index}`);
      await taken(...phones.map((from) => post(inboundWebhook(workspace, [{ from }]))));
      const rows = await sql<{ phone: string; write: string }[]>`
        select phone, xmin::text as write from contacts where workspace_id = ${workspace.workspaceId} order by phone`;
      expect(rows.map(({ phone }) => phone)).toEqual(phones);
      console.log(`100 inbound webhooks at once: ${writesOf(rows)} transactions`);
      expect(writesOf(rows)).toBeLessThanOrEqual(50);
    });

    test("of accounts and numbers", async () => {
      const lines = Array.from({ length: 60 }, (_, index) => ({
        ref: `line${index}`,
        whatsappBusinessAccountId: `${NOW}9${index}`,
      }));
      const workspace = await provisionWorkspace({ lines });
      await taken(
        ...lines.map((line) => post(accountWebhook(line, "account_update", { event: "DISABLED_UPDATE" }, NOW))),
      );
      const rows = await sql<{ write: string }[]>`
        select xmin::text as write from phone_numbers where workspace_id = ${workspace.workspaceId}`;
      expect(writesOf(rows)).toBeLessThanOrEqual(30);
    });
  });

  describe("200: an event's own time decides, not its place or its arrival", () => {
    test("within a webhook", async () => {
      const workspace = await workspaceWith(1);
      const [template = record(0)] = workspace.records;
      await taken(
        post(
          together([
            statusOf(workspace, template, "APPROVED", NOW + 60),
            statusOf(workspace, template, "REJECTED", NOW),
            qualityOf(workspace, template, "GREEN", NOW + 60),
            qualityOf(workspace, template, "RED", NOW),
            categoryOf(workspace, template, "MARKETING", NOW + 60),
            categoryOf(workspace, template, "UTILITY", NOW),
            textOf(workspace, template, "Later", NOW + 60),
            textOf(workspace, template, "Earlier", NOW),
            accountWebhook(workspace, "account_update", banOf("REINSTATE"), NOW + 60),
            accountWebhook(workspace, "account_update", banOf("DISABLE"), NOW),
          ]),
        ),
      );
      const later = { status: "APPROVED", score: "GREEN", category: "MARKETING", text: "Later" };
      expect(await templateRows(workspace)).toMatchObject([later]);
      const [line] = await sql`select detail from account_notices where workspace_id = ${workspace.workspaceId}`;
      expect(line).toEqual({ detail: JSON.stringify({ state: "REINSTATE", date: null }) });
    });

    test("between webhooks, for each part of a template by itself", async () => {
      const workspace = await workspaceWith(1);
      const [template = record(0)] = workspace.records;
      for (const [at, status, score, category, text] of [
        [NOW + 60, "APPROVED", "GREEN", "MARKETING", "Later"],
        [NOW, "REJECTED", "RED", "UTILITY", "Earlier"],
      ] as const) {
        await taken(post(statusOf(workspace, template, status, at)));
        await taken(post(qualityOf(workspace, template, score, at)));
        await taken(post(categoryOf(workspace, template, category, at)));
        await taken(post(textOf(workspace, template, text, at)));
      }
      const later = { status: "APPROVED", score: "GREEN", category: "MARKETING", text: "Later" };
      expect(await templateRows(workspace)).toMatchObject([later]);
      // A later status leaves the time of the others as it is.
      await taken(post(statusOf(workspace, template, "PAUSED", NOW + 600)));
      await taken(post(qualityOf(workspace, template, "YELLOW", NOW + 300)));
      expect(await templateRows(workspace)).toMatchObject([{ ...later, status: "PAUSED", score: "YELLOW" }]);
    });
  });

  describe("503 until all of it is stored", () => {
    test("one that cannot be stored, among 99 that can", async () => {
      const workspace = await workspaceWith();
      const webhook = together(workspace.records.map((template) => statusOf(workspace, template, "PAUSED")));
      await sql`
        alter table templates add constraint refuses_paused check (name <> 'offer_042' or status <> 'PAUSED') not valid`;
      try {
        expectError(await post(webhook), { status: 503, error: "SERVICE_UNAVAILABLE", details: {} });
      } finally {
        await sql`alter table templates drop constraint refuses_paused`;
      }
      const approved = (await templateRows(workspace)).filter(({ status }) => status !== "PAUSED");
      expect(approved).toMatchObject([{ name: "offer_042", status: "APPROVED" }]);
      await taken(post(webhook));
      expect((await templateRows(workspace)).filter(({ status }) => status !== "PAUSED")).toEqual([]);
    });
  });

  describe("200: what is beside an event never stops it", () => {
    test("the same events in other orders, at once, on two instances, beside a sync of the same rows", async () => {
      const other = await forTest(startInstance({}, "API"));
      const workspace = await workspaceWith();
      const { workspaceId, whatsappBusinessAccountId } = workspace;
      const sync = () => sql`
        insert into templates (workspace_id, id, mode, whatsapp_business_account_id, whatsapp_template_id, name, language,
          category, status, components)
        select workspace_id, id, mode, whatsapp_business_account_id, whatsapp_template_id, name, language, category, status,
          components
        from templates where workspace_id = ${workspaceId} order by name, language
        on conflict (workspace_id, mode, whatsapp_business_account_id, name, language)
          do update set parameter_format = excluded.parameter_format`;
      const events = workspace.records.flatMap((template, index) => [
        statusOf(workspace, template, "REJECTED", NOW + index),
        statusOf(workspace, template, "APPROVED", NOW + 600),
        qualityOf(workspace, template, "RED", NOW),
        qualityOf(workspace, template, "GREEN", NOW + 600),
        accountWebhook({ whatsappBusinessAccountId }, "account_update", { event: "REINSTATED" }, NOW + index),
      ]);
      const shuffled = (round: number) =>
        events.map((_, index) => events[(index * 7 + round * 131) % events.length] ?? events[0]).filter((e) => !!e);
      for (let round = 0; round < 4; round++) {
        const webhooks = Array.from({ length: 8 }, (_, at) =>
          post(together(shuffled(round * 8 + at)), at % 2 ? other.baseUrl : own.baseUrl),
        );
        await Promise.all([taken(...webhooks), sync(), sync()]);
      }
      const rows = await templateRows(workspace);
      for (const row of rows) expect(row).toMatchObject({ status: "APPROVED", score: "GREEN" });
      const [deadlocks] = await sql`select deadlocks::int from pg_stat_database where datname = current_database()`;
      expect(deadlocks).toEqual({ deadlocks: 0 });
    });
  });
});

// Last: it changes the schema of this file's database.
describe("beside a later release's migration", () => {
  const CALLS = 24;

  /** As a migration does: one statement a table, which gives way to what holds the table. */
  const addColumns = async () => {
    const tables = await sql<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
    for (const { name } of tables) await sql`alter table ${sql(name)} add column later text`;
  };

  test("a column that comes to every table changes no statement's result: each call gets its own answer", {
    timeout: 120_000,
  }, async () => {
    const templates = [templateRecord("ready", [bodyOf("Order {{1}} is ready.")])];
    const workspace = await provisionWorkspace({ templates, contacts: [{ ref: "customer", phone: PHONE }] });
    const sent = await Promise.all(
      Array.from({ length: CALLS }, (_, i) => workspace.send({ type: "text", phone: PHONE, content: `Hello ${i}` })),
    );
    for (const answer of sent) expectSent(answer);
    const template = { type: "template", phone: PHONE, templateName: "ready", templateVariables: { "1": "8812" } };
    const contact = { type: "text", contactId: workspace.contacts.customer, content: "Hello" };
    const round = () =>
      Promise.all(
        sent.flatMap(({ body: { data } }, i) => [
          workspace.status(data.id).then(({ status, body }) => [status, body.data?.id === data.id]),
          ...[template, contact, { ...contact, content: `Hello again ${i}` }].map((one) =>
            workspace.send(one, { "Idempotency-Key": crypto.randomUUID() }).then(({ status }) => [status, true]),
          ),
          workspace.call("GET", "/api/v1/public/templates").then(({ status }) => [status, true]),
          postWebhook(statusWebhook(workspace, [{ id: data.chatMessageId ?? "", status: "delivered" }])).then(
            ({ status }) => [status, true],
          ),
          postWebhook(inboundWebhook(workspace, [{ from: PHONE, text: { body: `Answer ${i}` } }])).then(
            ({ status }) => [status, true],
          ),
        ]),
      );
    const before = await round();
    expect(new Set(before.flat())).toEqual(new Set([200, 201, true]));
    await addColumns();
    expect(await round()).toEqual(before);
    expect(own.databaseLog()).not.toContain("cached plan must not change result type");
  });
});
