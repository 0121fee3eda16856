import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { inTransaction } from "@/db/client";
import { provenWorkspaceId } from "@/lib/core/principal";
import { claimReadOf, failRead, finishRead, queueRead, queueRequestedRead } from "@/lib/phone-numbers/queue-reads";
import { syncAllTemplates } from "@/lib/templates/sync-all-templates";
import { startInstance, testServers } from "../../support/environment";
import { actingAs, doneBy, freshAccount, workspaceOfAccount } from "../../support/line-actions";
import { sql } from "../../support/rows";
import { expectError, expectSent, PHONE } from "../../support/sends";
import { sweep } from "../../support/sweep";
import { bodyOf, templateRecord, templateWebhook } from "../../support/template-records";
import { test } from "../../support/test";
import { accountWebhook } from "../../support/webhooks";
import {
  deliver,
  graphError,
  platformRequests,
  provisionWorkspace,
  request,
  scriptMessages,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

type Account = { whatsappBusinessAccountId: string };
type Record = ReturnType<typeof templateRecord>;

const record = (name = `order_${randomInt(10 ** 9)}`, more = {}) => templateRecord(name, [bodyOf("Hi")], more);
const NOW_SECONDS = () => Math.floor(Date.now() / 1_000);

const lists = (account: Account, ...answers: Parameters<typeof scriptPlatform>[2]) =>
  scriptPlatform(account.whatsappBusinessAccountId, "message_templates", answers);
const listOf = (...templates: Record[]) => ({ json: { data: templates } });
/** Reads of an account's list so far. */
const readsOf = async ({ whatsappBusinessAccountId }: Account) =>
  (await platformRequests(whatsappBusinessAccountId, "message_templates")).map(({ path }) => path);

const namesOf = async (workspace: TestWorkspace): Promise<string[]> =>
  (await workspace.call("GET", "/api/v1/public/templates")).body.data.templates.map(({ name }) => name);
const expectNames = (workspace: TestWorkspace, names: string[], timeout = 15_000) =>
  expect.poll(() => namesOf(workspace), { timeout, interval: 300 }).toEqual(names);
const send = (workspace: TestWorkspace, templateName: string) =>
  workspace.send({ type: "template", phone: PHONE, templateName, templateVariables: {} });

type Row = {
  failures: number;
  last_error: string | null;
  is_asked: boolean;
  is_claimed: boolean;
  waits: number;
  due: number;
};
const rowOf = async (account: Account): Promise<Row | undefined> => {
  const [row] = await sql<Row[]>`
      select attempts - (leased_until is not null)::int as failures, last_error, payload ? 'asked' as is_asked, leased_until is not null as is_claimed,
        extract(epoch from due_at - now())::int as waits,
        extract(epoch from (payload ->> 'wholeAt')::timestamptz - now())::int as due
      from jobs where kind = 'templates' and payload ->> 'account' = ${account.whatsappBusinessAccountId}`;
  return row;
};
/** As if so much time had passed since everything that the queue knows of the account. */
const pass = ({ whatsappBusinessAccountId }: Account, interval: string) => sql`
  update jobs set due_at = due_at - ${interval}::interval, started_at = started_at - ${interval}::interval,
    leased_until = leased_until - ${interval}::interval,
    payload = payload || jsonb_strip_nulls(jsonb_build_object(
      'wholeAt', (payload ->> 'wholeAt')::timestamptz - ${interval}::interval,
      'askedAt', (payload ->> 'askedAt')::timestamptz - ${interval}::interval))
  where kind = 'templates' and payload ->> 'account' = ${whatsappBusinessAccountId}`;

describe("a webhook about a template that we have not seen", () => {
  test("APPROVED: it is listed and can be sent within seconds, after one read of that name", async () => {
    const known = record();
    const workspace = await provisionWorkspace({ templates: [known] });
    const arriving = record();
    await lists(workspace, listOf(arriving));
    await deliver(templateWebhook(workspace, arriving));
    await expectNames(workspace, [arriving.name, known.name].sort());
    expectSent(await send(workspace, arriving.name));
    const [path, ...more] = await readsOf(workspace);
    expect(more).toEqual([]);
    expect(path).toContain(`name=${arriving.name}`);
  });

  test("every workspace that has connected the account gets it, also where one knows it already", async () => {
    const arriving = record();
    const account = freshAccount();
    const knowing = await workspaceOfAccount(account, { templates: [arriving] });
    await sql`
        update templates set whatsapp_business_account_id = ${account.whatsappBusinessAccountId}
        where workspace_id = ${knowing.workspaceId}`;
    const others = [await workspaceOfAccount(account), await workspaceOfAccount(account)];
    await lists(account, listOf(arriving), listOf(arriving));
    await deliver(templateWebhook(account, arriving));
    for (const workspace of [knowing, ...others]) await expectNames(workspace, [arriving.name]);
    expect(await readsOf(account)).toHaveLength(2);
  });

  test("300 of them in a storm are one read of the whole list", async ({ workspace }) => {
    const arriving = Array.from({ length: 300 }, () => record());
    await lists(workspace, listOf(...arriving));
    await Promise.all(arriving.map((template) => deliver(templateWebhook(workspace, template))));
    await expectNames(workspace, arriving.map(({ name }) => name).sort(), 30_000);
    await sweep();
    expect(await readsOf(workspace)).toHaveLength(1);
    await pass(workspace, "61 seconds");
    await sweep();
    await sleep(1_000);
    expect((await readsOf(workspace)).length).toBeLessThanOrEqual(2);
  });

  test("one that was deleted, and one of an account that is not connected, is not looked for", async () => {
    const workspace = await provisionWorkspace();
    const stranger = freshAccount();
    await deliver(templateWebhook(workspace, record(), "DELETED"));
    await deliver(templateWebhook(stranger, record()));
    await sleep(1_500);
    expect(await readsOf(workspace)).toEqual([]);
    expect(await readsOf(stranger)).toEqual([]);
  });

  test("an event that leaves the status open has the known template read", async () => {
    const known = record();
    const workspace = await provisionWorkspace({ templates: [known] });
    await lists(workspace, listOf({ ...known, status: "DISABLED" }));
    await deliver(templateWebhook(workspace, known, "FLAGGED"));
    await expectNames(workspace, []);
    expectError(await send(workspace, known.name), {
      status: 400,
      error: "TEMPLATE_NOT_APPROVED",
      message: expect.stringContaining("en_US is DISABLED"),
      details: { field: "templateName", retryable: false },
    });
  });
});

describe("without a webhook", () => {
  test("a line that is connected brings its templates, and so does a new token in place of a refused one", async () => {
    const workspace = await provisionWorkspace();
    const account = freshAccount();
    const [first, second] = [record("a_first"), record("b_second")];
    await lists(account, listOf(first));
    const acting = await actingAs(workspace, workspace.owner);
    const access = { accessToken: `EAA${randomInt(10 ** 9)}`, ...account };
    const { id } = doneBy(await acting("connectLine", { ...access, label: "New" })) as { id: string };
    await expectNames(workspace, ["a_first"]);
    // The claim ends after the templates are there, and one that time passed over would be another server's.
    await expect.poll(async () => (await rowOf(account))?.is_claimed).toBe(false);

    // First what WhatsApp says: another server's sweep may be the one that asks.
    await lists(account, graphError(190, "Error validating access token"));
    await pass(account, "7 hours");
    await sweep();
    await expect.poll(async () => (await rowOf(account))?.failures, { timeout: 10_000 }).toBe(1);
    const [line] = await sql`select token_problem from phone_numbers where id = ${id}`;
    expect(line).toEqual({ token_problem: expect.stringContaining("190") });
    await pass(account, "7 hours");
    await sweep();
    await sleep(1_000);
    expect(await readsOf(account)).toHaveLength(2);

    await lists(account, listOf(first, second));
    doneBy(await acting("replaceLineToken", { phoneNumberId: id, accessToken: `EAA${randomInt(10 ** 9)}` }));
    await expectNames(workspace, ["a_first", "b_second"]);
  });

  test("each account is read when six hours have passed, and not before", async ({ workspace }) => {
    const arriving = record();
    await lists(workspace, listOf(arriving), listOf());
    await sweep();
    expect(await readsOf(workspace)).toEqual([]);
    await pass(workspace, "6 hours");
    await sweep();
    await expectNames(workspace, [arriving.name]);
    // The claim ends after the templates are there.
    const done = { failures: 0, last_error: null, is_asked: false, is_claimed: false };
    await expect.poll(() => rowOf(workspace)).toMatchObject(done);
    expect((await rowOf(workspace))?.due).toBeGreaterThan(5.9 * 3_600);
    await pass(workspace, "7 hours");
    await sweep();
    await expectNames(workspace, []);
  });

  test("updatedAt is when a template changed: not when it was read, or its media got other addresses, or WhatsApp repeats itself", async () => {
    const header = (handle: string) => ({ type: "HEADER", format: "IMAGE", example: { header_handle: [handle] } });
    const known = (handle: string, text: string) =>
      templateRecord("known", [header(handle), bodyOf(text)], { id: "5900010001", quality_score: { score: "GREEN" } });
    const first = known("https://cdn.example/[1]?a=\\u0022", "Hi");
    const workspace = await provisionWorkspace({ templates: [first] });
    const updatedAt = async () =>
      (await workspace.call("GET", "/api/v1/public/templates")).body.data.templates[0]?.updatedAt ?? "";
    const readAgain = async (listed: Record) => {
      await lists(workspace, listOf(listed));
      const reads = (await readsOf(workspace)).length;
      await pass(workspace, "7 hours");
      await sweep();
      await expect.poll(async () => (await readsOf(workspace)).length, { timeout: 10_000 }).toBe(reads + 1);
      await expect.poll(async () => (await rowOf(workspace))?.is_claimed, { timeout: 10_000 }).toBe(false);
    };
    const before = await updatedAt();
    await readAgain(known("https://cdn.example/2", "Hi"));
    for (const atSeconds of [NOW_SECONDS() - 1, NOW_SECONDS()]) {
      await deliver(templateWebhook(workspace, first, "APPROVED", { atSeconds }));
    }
    expect(await updatedAt()).toBe(before);
    await readAgain(known("https://cdn.example/2", "Hello"));
    const changed = await updatedAt();
    expect(Date.parse(changed)).toBeGreaterThan(Date.parse(before));
    const quality = { previous_quality_score: "GREEN", new_quality_score: "YELLOW" };
    const value = { message_template_id: Number(first.id), message_template_language: "en_US", ...quality };
    await deliver(accountWebhook(workspace, "message_template_quality_update", value, NOW_SECONDS()));
    expect(Date.parse(await updatedAt())).toBeGreaterThan(Date.parse(changed));
  });

  test("an account that came by another way is found: at once without templates, else in six hours", async () => {
    const [empty, filled] = [await provisionWorkspace(), await provisionWorkspace({ templates: [record()] })];
    for (const { workspaceId } of [empty, filled]) {
      await sql`
        with known as (delete from template_reads where workspace_id = ${workspaceId})
        delete from jobs where workspace_id = ${workspaceId}`;
    }
    const arriving = record();
    await lists(empty, listOf(arriving));
    await sweep();
    await expectNames(empty, [arriving.name]);
    expect(await readsOf(filled)).toEqual([]);
    expect((await rowOf(filled))?.due).toBeGreaterThan(5.9 * 3_600);
  });

  test("a person who asks twice within a minute causes one read now and one later", async ({ workspace }) => {
    const [first, second] = [record("a_first"), record("b_second")];
    await lists(workspace, listOf(first), listOf(first, second));
    const sync = () => syncAllTemplates(provenWorkspaceId(workspace.workspaceId), "live");
    expect(await sync()).toEqual({ count: 1, queued: 0 });
    expect(await sync()).toEqual({ count: 0, queued: 1 });
    expect(await readsOf(workspace)).toHaveLength(1);
    await pass(workspace, "61 seconds");
    await sweep();
    await expectNames(workspace, ["a_first", "b_second"]);
  });

  test("a name that is requested while the read of another one is being claimed is read after it", async () => {
    const workspace = await provisionWorkspace();
    await sweep();
    const { whatsappBusinessAccountId } = workspace;
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const { claiming, asking } = await sql.begin(async (tx) => {
      await tx`
        select from jobs where payload ->> 'account' = ${whatsappBusinessAccountId} for update`;
      const claiming = claimReadOf(workspaceId, { whatsappBusinessAccountId, name: "a" });
      await sleep(300);
      const asking = queueRequestedRead(workspaceId, { whatsappBusinessAccountId, name: "b" });
      await sleep(300);
      return { claiming, asking };
    });
    const read = await claiming;
    await asking;
    expect(read).toMatchObject({ name: "a" });
    if (read) await finishRead(read);
    expect(await rowOf(workspace)).toMatchObject({ is_asked: true, is_claimed: false });
  });

  test("a token that comes while the former one is refused once more is tried a minute later, not after all failures' wait", async () => {
    const workspace = await provisionWorkspace();
    await sweep();
    const { whatsappBusinessAccountId } = workspace;
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    await sql`update jobs set attempts = 6 where payload ->> 'account' = ${whatsappBusinessAccountId}`;
    const read = await claimReadOf(workspaceId, { whatsappBusinessAccountId, name: null });
    await inTransaction((tx) => queueRead(tx, workspaceId, whatsappBusinessAccountId));
    if (read) await failRead(read, "refused");
    const row = await rowOf(workspace);
    expect(row).toMatchObject({ last_error: "refused", is_claimed: false });
    expect(Math.abs((row?.waits ?? 0) - 60)).toBeLessThan(20);
  });

  test("what a server of 0.6 was asked to read, and did not begin, is read by this release", async ({ workspace }) => {
    const arriving = record();
    await lists(workspace, listOf(arriving));
    await sql`
      update template_reads set asked_at = now() - interval '3 minutes', asked_name = ${arriving.name}
      where workspace_id = ${workspace.workspaceId}`;
    await sweep();
    await expectNames(workspace, [arriving.name]);
    await sweep();
    expect(await readsOf(workspace)).toHaveLength(1);
  });

  test("a template that is missing is a 404 that says how templates get here", async ({ workspace }) => {
    const answer = await send(workspace, "nowhere");
    expect([answer.status, answer.body.error]).toEqual([404, "NOT_FOUND"]);
    expect(answer.body.message).toMatch(/Sync now/);
  });
});

describe("what goes wrong", () => {
  test("WhatsApp is down for one account: it is read again after 1, 2, 4 minutes, and others are read at the same time", async () => {
    const [down, well] = [await provisionWorkspace(), await provisionWorkspace()];
    const arriving = record();
    const failures = [{ status: 500, text: "<html>" }, { hangUp: "before" } as const, graphError(2, "Service down")];
    await lists(down, ...failures, listOf(arriving));
    for (const [round, waits] of [60, 120, 240].entries()) {
      if (round === 0) await deliver(templateWebhook(down, arriving));
      await expect.poll(async () => (await rowOf(down))?.failures, { timeout: 10_000 }).toBe(round + 1);
      const row = await rowOf(down);
      expect(row?.is_asked).toBe(true);
      expect(Math.abs((row?.waits ?? 0) - waits)).toBeLessThan(20);
      await sweep();
      await sleep(500);
      expect(await readsOf(down)).toHaveLength(round + 1);
      if (round === 0) {
        await lists(well, listOf(arriving));
        await deliver(templateWebhook(well, arriving));
        await expectNames(well, [arriving.name]);
      }
      await pass(down, `${waits + 1} seconds`);
      await sweep();
    }
    await expectNames(down, [arriving.name]);
    expect((await rowOf(down))?.failures).toBe(0);
  });

  test("a workspace whose ten accounts hang holds one reader, and another workspace's template arrives", async () => {
    const accounts = Array.from({ length: 10 }, freshAccount);
    const slow = await provisionWorkspace({ lines: accounts.map((line, i) => ({ ref: `l${i}`, ...line })) });
    const quick = await provisionWorkspace();
    for (const account of accounts) await lists(account, { delayMs: 9_000 });
    await Promise.all(accounts.map((account) => deliver(templateWebhook(account, record()))));
    await sweep();
    const arriving = record();
    await lists(quick, listOf(arriving));
    await deliver(templateWebhook(quick, arriving));
    await expectNames(quick, [arriving.name], 6_000);
    const [held] = await sql`
        select count(*)::int as count from jobs where workspace_id = ${slow.workspaceId} and leased_until > now()`;
    expect(held).toEqual({ count: 1 });
    await sql`delete from jobs where workspace_id = ${slow.workspaceId}`;
    await sql`update phone_numbers set disconnected_at = now() where workspace_id = ${slow.workspaceId}`;
  });

  test("a reader that is killed during its read is followed by another, once its claim has expired", async () => {
    const workspace = await provisionWorkspace();
    const arriving = record();
    await lists(workspace, { delayMs: 30_000 }, listOf(arriving));
    const reader = await startInstance({}, "API");
    await deliver(templateWebhook(workspace, arriving), reader.baseUrl);
    await expect.poll(async () => (await readsOf(workspace)).length, { timeout: 10_000 }).toBe(1);
    process.kill(reader.pid, "SIGKILL");
    await pass(workspace, "61 seconds");
    await sweep();
    await sleep(1_000);
    expect(await readsOf(workspace)).toHaveLength(1);
    await pass(workspace, "90 seconds");
    await sweep();
    await expectNames(workspace, [arriving.name]);
    await reader.stop();
  });

  test("three servers that sweep at once read each of 12 accounts once", async () => {
    const [one, two] = [await startInstance({}, "API"), await startInstance({}, "API")];
    const workspaces: TestWorkspace[] = [];
    for (let i = 0; i < 12; i++) workspaces.push(await provisionWorkspace());
    for (const workspace of workspaces) await pass(workspace, "7 hours");
    const { baseUrl, environment } = testServers();
    const headers = { authorization: `Bearer ${environment.CRON_SECRET}` };
    const servers = [baseUrl, one.baseUrl, two.baseUrl];
    const passes = await Promise.all(
      [...servers, ...servers].map((url) => request("GET", `${url}/api/cron/sweep`, { headers })),
    );
    expect(passes.map(({ status }) => status)).toEqual(Array(6).fill(200));
    await expect
      .poll(async () => (await Promise.all(workspaces.map(rowOf))).every((row) => (row?.due ?? 0) > 3_600), {
        timeout: 15_000,
      })
      .toBe(true);
    for (const workspace of workspaces) expect(await readsOf(workspace)).toHaveLength(1);
    await Promise.all([one.stop(), two.stop()]);
  });

  test("30 refused sends of one template read the account once", async () => {
    const known = record();
    const workspace = await provisionWorkspace({ templates: [known] });
    await scriptMessages(workspace, Array(30).fill(graphError(132000)));
    await lists(workspace, ...Array(30).fill(listOf(known)));
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(workspace, known.name)));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(400));
    expect(await readsOf(workspace)).toHaveLength(1);
  });

  test("what happens during a read is newer than its list: an event stays, a new template is not called deleted", async () => {
    const known = record("a_known");
    const workspace = await provisionWorkspace({ templates: [known] });
    await lists(workspace, { delayMs: 3_000, ...listOf(known) });
    await pass(workspace, "7 hours");
    await sweep();
    await expect.poll(async () => (await readsOf(workspace)).length, { timeout: 10_000 }).toBe(1);
    await sleep(1_100);
    await deliver(templateWebhook(workspace, known, "PAUSED"));
    const submitted = record("b_submitted");
    await sql`
        insert into templates (workspace_id, id, mode, whatsapp_business_account_id, whatsapp_template_id, name, language,
          category, status, components)
        values (${workspace.workspaceId}, ${`tpl_${submitted.id}`}, 'live', ${workspace.whatsappBusinessAccountId},
          ${submitted.id}, ${submitted.name}, 'en_US', 'UTILITY', 'PENDING', '[]')`;
    await expect.poll(async () => (await rowOf(workspace))?.is_claimed, { timeout: 10_000 }).toBe(false);
    const rows =
      await sql`select name, status from templates where workspace_id = ${workspace.workspaceId} order by name`;
    expect(rows).toEqual([
      { name: "a_known", status: "PAUSED" },
      { name: "b_submitted", status: "PENDING" },
    ]);
  });
});
