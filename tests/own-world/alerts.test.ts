import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashToken } from "@/lib/core/crypto";
import { provenWorkspaceId } from "@/lib/core/principal";
import { rotateSecret } from "@/lib/outgoing/change-endpoint";
import { createSlackChannel } from "@/lib/outgoing/create-endpoint";
import { deleteWorkspace } from "@/lib/workspaces/delete-workspace";
import { command } from "@/lib/workspaces/record-audit";
import { startInstance, testServers } from "../support/environment";
import { forTest } from "../support/for-suite";
import { listenOnLoopback } from "../support/loopback";
import { type MailServer, startMailServer } from "../support/mail-server";
import { startOwnDatabase } from "../support/own-database";
import { act, actOnMembers, userIdOf } from "../support/people";
import { newPhone, onRateCard, sendPriced, uploadCard } from "../support/priced-messages";
import { runProgram, SWITCHBOARD, serverEnvironment } from "../support/programs";
import { addEndpoint, type Receiver, startReceiver } from "../support/receiver";
import { sql } from "../support/rows";
import { cookiesOf, postToAuth, readAs, readAt, signIn, submitSignIn } from "../support/session";
import { sweep } from "../support/sweep";
import { bodyOf, templateRecord } from "../support/template-records";
import { provisionWorkspace, request, type Sign, type TestWorkspace } from "../support/workspace";

const ACCOUNT = "/dashboard/account";
const WEEK_DAYS = 7;
const METRICS_TOKEN = "metrics-token-of-this-test";

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
let mailServer: MailServer;
let partner: Receiver;
let slack: Awaited<ReturnType<typeof startSlack>>;
beforeAll(async () => {
  [mailServer, partner, slack] = await Promise.all([startMailServer(), startReceiver(), startSlack()]);
  own = await startOwnDatabase({
    SMTP_URL: mailServer.url,
    MAIL_FROM: "Switchboard <alerts@example.test>",
    METRICS_TOKEN,
    WEBHOOK_ALLOW: [partner.url, slack.url].map((url) => new URL(url).host).join(","),
  });
});
afterAll(async () => {
  await own.stop();
  await Promise.all([mailServer.stop(), partner.stop(), slack.close()]);
});
beforeEach(() => mailServer.behave("accept"));

/** What a channel of Slack receives. */
async function startSlack() {
  const received: { path: string; text: string }[] = [];
  const server = createServer(async (incoming, response) => {
    received.push({ path: incoming.url ?? "", ...JSON.parse(await text(incoming)) });
    response.end("ok");
  });
  return { ...(await listenOnLoopback(server)), received };
}

type Rows = { kind: string; sentence: string; closed: boolean; level: number };

const alertsOf = ({ workspaceId }: TestWorkspace): Promise<Rows[]> =>
  sql<Rows[]>`
  select kind, sentence, closed_at is not null as closed, level from alerts
  where workspace_id = ${workspaceId} order by opened_at, id`.then((rows) => rows.map((row) => ({ ...row })));

const kindsOf = async (workspace: TestWorkspace) =>
  (await alertsOf(workspace)).map(({ kind, closed }) => `${kind} ${closed ? "over" : "open"}`).sort();

/** As if the people of a workspace had used a link that was mailed to them. */
const confirmAddresses = ({ owner, admin, member }: TestWorkspace, ...who: Sign[]) => sql`
  update users set email_confirmed_at = now()
  where email in ${sql((who.length > 0 ? who : [owner, admin, member]).map(({ email }) => email))}`;

/** A workspace in which nothing needs attention, whose owner may be mailed to. */
const quietWorkspace = async () => {
  const workspace = await provisionWorkspace({ templates: [templateRecord("order_ready", [bodyOf("Hi")])] });
  await sql`
    update phone_numbers set token_checked_at = now(), subscribed_at = now(), quality_rating = 'GREEN'
    where workspace_id = ${workspace.workspaceId}`;
  await confirmAddresses(workspace, workspace.owner);
  return workspace;
};

const breakToken = ({ workspaceId }: TestWorkspace, problem: string | null = "Session has expired") =>
  sql`update phone_numbers set token_problem = ${problem} where workspace_id = ${workspaceId}`;

/** As if ten minutes had passed since the last mail, so that the next one is due. */
const afterTheDigest = ({ owner }: TestWorkspace) =>
  sql`update users set alerts_mailed_at = now() - interval '11 minutes' where email = ${owner.email}`;

const nameOf = ({ workspaceId }: TestWorkspace): Promise<string> =>
  sql<{ name: string }[]>`select name from workspaces where id = ${workspaceId}`.then(([row]) => row?.name ?? "");

const scrape = async (origin: string) => {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await request("GET", `${origin}/api/metrics`, { headers })).text;
};

const mailsTo = (person: Sign, count: number) => expect.poll(() => mailServer.to(person.email).length).toBe(count);

/** The mails that wait for a person, or are under way, and why the last attempt failed. */
const waitingFor = ({ email }: { email: string }) =>
  sql<{ attempts: number; error: string | null }[]>`
  select attempts, last_error as error from jobs where payload ->> 'address' = ${email}`.then((rows) =>
    rows.map((row) => ({ ...row })),
  );

/** What waits for a person is due now, as after the pause of a retry. */
const makeDue = ({ email }: { email: string }) => sql<{ id: string }[]>`
  update jobs set due_at = now(), leased_until = null where payload ->> 'address' = ${email} returning id`;

const pauseTemplates = ({ workspaceId }: TestWorkspace) => sql`
  update templates set status = 'PAUSED', status_changed_at = now()
  where workspace_id = ${workspaceId} and status = 'APPROVED'`;

const oldKeys = ({ workspaceId }: TestWorkspace) =>
  sql`update api_keys set created_at = now() - interval '91 days' where workspace_id = ${workspaceId}`;

/** As if the workspace had sent so many of the messages that its limit allows. */
const spendQuota = ({ workspaceId }: TestWorkspace, used: number, limit = 100) => sql`
  with limited as (update workspaces set message_limit = ${limit} where id = ${workspaceId})
  insert into usage (workspace_id, month, used) values (${workspaceId}, date_trunc('month', now() at time zone 'utc'), ${used})
  on conflict (workspace_id, month) do update set used = excluded.used, message_limit = null`;

const sweepAt = ({ baseUrl }: { baseUrl: string }) =>
  request("GET", `${baseUrl}/api/cron/sweep`, {
    headers: { authorization: `Bearer ${testServers().environment.CRON_SECRET}` },
  });

describe("an alert", () => {
  test("is opened once, mailed once, sent once to endpoint and channel; and once more when it is over", async () => {
    const workspace = await quietWorkspace();
    const { owner, admin } = workspace;
    await addEndpoint(workspace, { url: partner.url, mode: "live" });
    const url = `${slack.url}/services/T000/B000/the-credential`;
    const channel = { url, label: "#alerts" };
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const endpointId = await createSlackChannel(workspaceId, channel, command("test"));
    // Its only secret is its URL, which a rotation would overwrite.
    const rotation = rotateSecret(workspaceId, { endpointId, overlap: "now" }, command("test"));
    await expect(rotation).rejects.toMatchObject({ code: "NOT_FOUND" });
    await breakToken(workspace);
    for (let pass = 0; pass < 3; pass++) expect((await sweep()).status).toBe(200);
    const [alert, ...others] = await alertsOf(workspace);
    expect([alert?.kind, alert?.closed, others]).toEqual(["token.invalid", false, []]);
    await mailsTo(owner, 1);
    const [mail] = mailServer.to(owner.email);
    const name = await nameOf(workspace);
    expect(mail?.subject).toMatch(new RegExp(`^${name}: Line .*WhatsApp refuses this line’s token`));
    expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    for (const words of [
      /^Critical: .* Since \d+ \w+ 20\d\d at \d\d:\d\d \(UTC\)\.$/m,
      /^What to do: create a new token/m,
    ])
      expect(mail?.text).toMatch(words);
    expect(mail?.text).toContain(`${own.baseUrl}/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    for (const words of ["Replace the token</a>", "Switchboard is the gateway"]) expect(mail?.html).toContain(words);
    const eventsOf = () => partner.received.filter(({ event }) => event.data.sentence === alert?.sentence);
    await expect.poll(() => eventsOf().map(({ event }) => event.type)).toEqual(["alert.opened"]);
    expect(eventsOf()[0]?.event.data).toMatchObject({ kind: "token.invalid", severity: "critical", closedAt: null });
    const said = () => slack.received.filter((one) => one.path === "/services/T000/B000/the-credential");
    await expect.poll(() => said().map((one) => one.text.slice(0, name.length + 9))).toEqual([`🔴 ${name}: Line`]);

    await breakToken(workspace, null);
    await afterTheDigest(workspace);
    for (let pass = 0; pass < 2; pass++) await sweep();
    expect(await kindsOf(workspace)).toEqual(["token.invalid over"]);
    await mailsTo(owner, 2);
    expect(mailServer.to(owner.email)[1]?.subject).toMatch(new RegExp(`^Over in ${name}: `));
    await expect.poll(() => eventsOf().map(({ event }) => event.type)).toEqual(["alert.opened", "alert.closed"]);
    await expect.poll(() => said().length).toBe(2);
    // The admin's address was not confirmed.
    expect(mailServer.to(admin.email)).toEqual([]);
  });

  type Change = (workspace: TestWorkspace) => Promise<unknown>;
  const set =
    (table: string, values: string): Change =>
    ({ workspaceId }) =>
      sql`update ${sql(table)} set ${sql.unsafe(values)} where workspace_id = ${workspaceId}`;
  const noticed =
    (kind: string, event: string, detail = "{}"): Change =>
    ({ workspaceId, whatsappBusinessAccountId }) =>
      sql`
      insert into account_notices (workspace_id, whatsapp_business_account_id, number, kind, event, detail, is_alarm, occurred_at)
      values (${workspaceId}, ${whatsappBusinessAccountId}, '', ${kind}, ${event}, ${detail}, true, now())`;
  /** 200 of the 250 people to whom the line may begin to write in a day. */
  const nearLimit: Change = ({ workspaceId: id }) => sql`
    with limited as (update phone_numbers set messaging_limit = 'TIER_250' where workspace_id = ${id}),
      counted as (update template_reads set people_begun = 200 where workspace_id = ${id}),
      people as (
        insert into contacts (workspace_id, id, phone)
        select ${id}, 'ct_limit' || i, (447700200000 + i)::text from generate_series(1, 200) i returning id)
    insert into conversation_starts (workspace_id, whatsapp_business_account_id, contact_id, started_at)
    select r.workspace_id, r.whatsapp_business_account_id, people.id, now()
    from template_reads r, people where r.workspace_id = ${id}`;
  const changes: [kind: string, change: Change][] = [
    ["token.invalid", set("phone_numbers", "token_problem = 'no'")],
    ["token.expiring", set("phone_numbers", "token_expires_at = now() + interval '13 days'")],
    ["line.unsubscribed", set("phone_numbers", "subscribed_at = null")],
    ["line.quality", set("phone_numbers", "quality_rating = 'RED'")],
    ["line.status", noticed("status", "BANNED")],
    ["line.security", noticed("security", "PIN_CHANGED")],
    ["account.error", noticed("error 131042", "ERROR_131042")],
    ["account.restricted", noticed("ban", "DISABLED_UPDATE", '{"state": "DISABLE"}')],
    ["account.limit", nearLimit],
    ["template.paused", pauseTemplates],
    ["template.rejected", set("templates", "status = 'REJECTED', status_changed_at = now()")],
    ["template.disabled", set("templates", "status = 'DISABLED', status_changed_at = now()")],
    ["template.recategorized", set("templates", "category = 'MARKETING'")],
    ["quota.used", (workspace) => spendQuota(workspace, 85)],
    ["key.old", set("api_keys", "created_at = now() - interval '91 days', last_used_at = now()")],
    ["key.unused", oldKeys],
    // With a new secret, which nobody used either.
    ["key.unused", set("api_keys", "created_at = now() - interval '91 days', secret_made_at = now()")],
  ];

  test.each(changes)("of kind %s is opened", async (kind, change) => {
    const workspace = await quietWorkspace();
    await change(workspace);
    await sweep();
    expect(await kindsOf(workspace)).toContain(`${kind} open`);
    expect(new Set(await kindsOf(workspace)).size).toBe(1);
  });

  test("is opened beside a workspace with the highest monthly limit", async () => {
    const [large, workspace] = await Promise.all([quietWorkspace(), quietWorkspace()]);
    await spendQuota(large, 2_147_483_647, 2_147_483_647);
    await breakToken(workspace);
    expect((await sweep()).status).toBe(200);
    expect(await kindsOf(workspace)).toEqual(["token.invalid open"]);
    expect(await kindsOf(large)).toEqual(["quota.used open"]);
  });

  test("of failures opens above a fifth of 20 messages, and is over below a tenth", async () => {
    const workspace = await quietWorkspace();
    const send = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => workspace.send({ type: "text", phone: "15550001111", content: "Hi" })),
      );
    await send(20);
    const fail = (failed: number) => sql`
      with chosen as (
        select id, row_number() over (order by id) <= ${failed} as fails from messages
        where workspace_id = ${workspace.workspaceId})
      update messages m set status = (case when fails then 'FAILED' else 'SENT' end)::message_status, delivered_at = now()
      from chosen where m.workspace_id = ${workspace.workspaceId} and m.id = chosen.id`;
    for (const [failed, kinds] of [
      [3, []],
      [4, ["failures.high open"]],
      [3, ["failures.high open"]],
      [1, ["failures.high over"]],
    ] as const) {
      await fail(failed);
      await sweep();
      expect(await kindsOf(workspace), `${failed} of 20`).toEqual(kinds);
    }
  });

  test("that becomes worse is announced again: 80, 90 and 100 %; what becomes better is not", async () => {
    const workspace = await quietWorkspace();
    const { owner } = workspace;
    for (const used of [79, 80, 90, 95, 100, 90]) {
      await spendQuota(workspace, used);
      await sweep();
    }
    expect(await alertsOf(workspace)).toMatchObject([{ kind: "quota.used", level: 90, closed: false }]);
    await mailsTo(owner, 2);
    // 80 was sent at once, and 90 waited, until 100 did not.
    expect(mailServer.to(owner.email).map(({ subject }) => subject)).toEqual([
      `${await nameOf(workspace)}: At least 80 % of the monthly limit is used.`,
      expect.stringContaining(": The monthly limit is reached."),
    ]);
    await expect.poll(() => waitingFor(owner)).toEqual([]);
  });

  test("of a budget opens at 80 and becomes worse at 100 % of the estimated cost of live messages, in its currency", async () => {
    const workspace = await quietWorkspace();
    const { owner } = workspace;
    await uploadCard(workspace, "BR,utility,10,EUR,2026-01-01", "GB,utility,1000,USD,2026-01-01");
    await onRateCard(workspace, "saveBudget", { fields: { budget: "50", budgetCurrency: "EUR" } });
    const send = (to: "BR" | "GB", more: object = {}) =>
      sendPriced(workspace, { to: newPhone(to), category: "utility", ...more });
    for (let i = 0; i < 3; i++) await send("BR");
    await send("GB");
    await send("BR", { status: "sent" });
    await send("BR", { billable: false });
    await send("BR", { at: new Date(Date.now() - 40 * 86_400_000).toISOString() });
    await sweep();
    expect(await kindsOf(workspace)).toEqual([]);
    await send("BR");
    for (let pass = 0; pass < 2; pass++) await sweep();
    const most = expect.stringContaining("80 % of the budget of 50.00 EUR");
    const alert = { kind: "budget.used", closed: false };
    expect(await alertsOf(workspace)).toMatchObject([{ ...alert, level: 80, sentence: most }]);
    await mailsTo(owner, 1);
    await send("BR");
    await sweep();
    const whole = expect.stringContaining("the whole budget of 50.00 EUR. They are still sent");
    expect(await alertsOf(workspace)).toMatchObject([{ ...alert, level: 100, sentence: whole }]);
    expect((await workspace.send({ type: "text", phone: newPhone(), content: "Hi" })).status).toBe(201);
    await mailsTo(owner, 2);
    await onRateCard(workspace, "saveBudget", { fields: { budget: "500", budgetCurrency: "EUR" } });
    await sweep();
    expect(await kindsOf(workspace)).toEqual(["budget.used over"]);
  });

  test("is opened once by two servers that look at the same time, and mailed once", async () => {
    const second = await forTest(startInstance({}, "API"));
    const workspace = await quietWorkspace();
    await breakToken(workspace);
    for (let round = 0; round < 5; round++) await Promise.all([sweep(), sweepAt(second), sweep(), sweepAt(second)]);
    expect(await kindsOf(workspace)).toEqual(["token.invalid open"]);
    await mailsTo(workspace.owner, 1);
  });

  test("is not opened by what is old: templates that were rejected long before", async () => {
    const workspace = await quietWorkspace();
    await sql`
      update templates set status = 'REJECTED', status_changed_at = now() - make_interval(days => ${WEEK_DAYS + 1})
      where workspace_id = ${workspace.workspaceId}`;
    await sweep();
    expect(await kindsOf(workspace)).toEqual([]);
  });

  test("holds no secret and no recipient, whatever WhatsApp said", async () => {
    const workspace = await quietWorkspace();
    await breakToken(workspace, "Recipient 4915112345678 of token EAAGsecrettoken refused");
    await sweep();
    await mailsTo(workspace.owner, 1);
    const [mail] = mailServer.to(workspace.owner.email);
    for (const words of [mail?.text, mail?.html, mail?.subject]) expect(words).not.toMatch(/4915112345678/);
    for (const secret of [workspace.apiSecret, testServers().environment.ENCRYPTION_KEY ?? ""])
      expect(mail?.raw).not.toContain(secret);
  });
});

describe("mail", () => {
  test("of what needs action now is sent at once after another, and takes along what waits", async () => {
    const workspace = await quietWorkspace();
    const { owner, workspaceId } = workspace;
    await pauseTemplates(workspace);
    await sweep();
    await mailsTo(owner, 1);
    await sql`update phone_numbers set quality_rating = 'YELLOW' where workspace_id = ${workspaceId}`;
    await sweep();
    await expect.poll(() => waitingFor(owner)).toEqual([{ attempts: 0, error: null }]);
    await breakToken(workspace);
    await sweep();
    await mailsTo(owner, 2);
    expect(mailServer.to(owner.email)[1]?.subject).toMatch(/^2 alerts: .*refuses this line’s token/);
    await expect.poll(() => waitingFor(owner)).toEqual([]);
  });

  test("of what needs action now is sent by the server's own next pass, also right after another", async () => {
    const workspace = await quietWorkspace();
    const { owner } = workspace;
    await sql`update users set alerts_mailed_at = now() where email = ${owner.email}`;
    await breakToken(workspace);
    // No pass is asked for here: the promise is a minute, and its passes are half a minute apart.
    await expect.poll(() => mailServer.to(owner.email).length, { timeout: 60_000, interval: 500 }).toBe(1);
  }, 90_000);

  test("of what flaps is two: the first at once, and one that says how often it came", async () => {
    const workspace = await quietWorkspace();
    const { owner } = workspace;
    for (let i = 0; i < 6; i++) {
      await breakToken(workspace);
      await sweep();
      if (i === 0) await mailsTo(owner, 1);
      await breakToken(workspace, null);
      await sweep();
    }
    await breakToken(workspace);
    await sweep();
    expect(mailServer.to(owner.email)).toHaveLength(1);
    await breakToken(workspace, null);
    await sweep();
    await afterTheDigest(workspace);
    await sweep();
    await mailsTo(owner, 2);
    const [, mail] = mailServer.to(owner.email);
    expect(mail?.subject).toMatch(/^Seven times in ten minutes: Over in /);
    expect(mail?.text).toContain("It came and went seven times in ten minutes; it is over now.");
    // Its person knows that it is over, so the next time is news.
    await breakToken(workspace);
    await sweep();
    await mailsTo(owner, 3);
    await expect.poll(() => waitingFor(owner)).toEqual([]);
  });

  test("is not held up by a last one that was dated ahead, as by a clock that was set back", async () => {
    const workspace = await quietWorkspace();
    const { owner } = workspace;
    await sql`update users set alerts_mailed_at = now() + interval '1 hour' where email = ${owner.email}`;
    await pauseTemplates(workspace);
    await sweep();
    await mailsTo(owner, 1);
  });

  test.each([
    { at: "connection", code: 554, words: "No service for you" },
    { at: "AUTH", code: 535, words: "Wrong password" },
    { at: "MAIL FROM", code: 530, words: "Authentication required" },
    { at: "MAIL FROM", code: 550, words: "No such sender" },
    { at: "RCPT TO", code: 554, words: "5.7.1 Relay access denied" },
    { at: "DATA", code: 554, words: "5.7.1 Rejected as spam" },
  ] as const)(
    "to a server that refuses us at $at with $code is kept, counted by reason and sent once it accepts",
    async (refusal) => {
      const workspace = await quietWorkspace();
      const { owner } = workspace;
      mailServer.behave(refusal);
      await breakToken(workspace);
      await sweep();
      const reason = `refused us, ${refusal.code} at ${refusal.at}`;
      await expect.poll(() => waitingFor(owner)).toEqual([{ attempts: 1, error: reason }]);
      await sweep();
      expect(await kindsOf(workspace)).toEqual(["mail.refused open", "token.invalid open"]);
      const metrics = await scrape(own.baseUrl);
      expect(metrics).toMatch(new RegExp(`^switchboard_mails_waiting\\{reason="${reason}"\\} [1-9]`, "m"));
      const counted = metrics.split("\n").filter((line) => line.includes('outcome="refused_us"'));
      expect(counted.some((line) => line.includes(`reason="${refusal.code}"`))).toBe(true);
      mailServer.behave("accept");
      await makeDue(owner);
      await sweep();
      await mailsTo(owner, 1);
      await expect.poll(() => waitingFor(owner)).toEqual([]);
      await sweep();
      expect(await kindsOf(workspace)).toEqual(["mail.refused over", "token.invalid open"]);
    },
  );

  test("that waits goes to no one who may not read it any more, and of what one no longer chose", async () => {
    const workspace = await quietWorkspace();
    const { owner, admin, workspaceId } = workspace;
    await confirmAddresses(workspace, owner, admin);
    mailServer.behave("greylist");
    await sql`
      insert into webhook_endpoints (workspace_id, id, slot, mode, label, url, events, secret, paused_at, paused_by)
      values (${workspaceId}, ${`whe_${crypto.randomUUID()}`}, 1, 'live', 'shop', 'https://shop.example.test/', '[]', 'x', now(), 'gone')`;
    await pauseTemplates(workspace);
    await sweep();
    for (const person of [owner, admin])
      await expect.poll(async () => (await waitingFor(person))[0]?.error).toMatch(/^451/);
    await sql`
      with chosen as (
        update members set mailed_alerts = '["endpoints"]' where workspace_id = ${workspaceId} and role = 'owner')
      update members set role = 'member', mailed_alerts = '["endpoints"]' where workspace_id = ${workspaceId} and role = 'admin'`;
    mailServer.behave("accept");
    await makeDue(owner);
    await makeDue(admin);
    await sweep();
    await mailsTo(owner, 1);
    const [mail] = mailServer.to(owner.email);
    expect(mail?.text).toContain("Webhook shop");
    expect(mail?.text).not.toContain("Template");
    await expect.poll(() => waitingFor(admin)).toEqual([]);
    expect(mailServer.to(admin.email)).toEqual([]);
  });

  test("that waits with a link is not sent once the invitation was revoked, or the address is no longer the account’s", async () => {
    const workspace = await quietWorkspace();
    const { member } = workspace;
    const invited = { email: `invited-${crypto.randomUUID()}@example.test` };
    mailServer.behave("greylist");
    await actOnMembers(workspace, "invite", { fields: { role: "member", ...invited, days: "7" } });
    await act(`app${ACCOUNT}/actions.ts#sendConfirmation`, {
      fields: { workspaceId: workspace.workspaceId },
      path: ACCOUNT,
      as: member,
    });
    for (const person of [invited, member])
      await expect.poll(async () => (await waitingFor(person))[0]?.error).toMatch(/^451/);
    const [invitation] = await sql<
      { id: string }[]
    >`select id from invitations where workspace_id = ${workspace.workspaceId}`;
    await actOnMembers(workspace, "revoke", { fields: { invitationId: invitation?.id ?? "" } });
    await sql`update users set email = ${`new-${member.email}`} where email = ${member.email}`;
    mailServer.behave("accept");
    for (const person of [invited, member]) await makeDue(person);
    await sweep();
    for (const person of [invited, member]) {
      await expect.poll(() => waitingFor(person)).toEqual([]);
      expect(mailServer.to(person.email)).toEqual([]);
    }
  });

  test("of several alerts at once is one, and goes to those who chose their group", async () => {
    const workspace = await quietWorkspace();
    const { owner, admin, member, workspaceId } = workspace;
    await confirmAddresses(workspace);
    const choose = (as: Sign, groups: string) =>
      act(`app${ACCOUNT}/actions.ts#chooseAlerts`, { fields: { workspaceId, groups }, path: ACCOUNT, as });
    expect((await choose(member, "keys")).said).toMatchObject({ ok: true });
    expect((await choose(admin, "templates")).said).toMatchObject({ ok: true });
    await breakToken(workspace);
    await Promise.all([oldKeys(workspace), pauseTemplates(workspace)]);
    await sweep();
    await mailsTo(owner, 1);
    await mailsTo(admin, 1);
    expect(mailServer.to(owner.email)[0]?.text).toMatch(/refuses this line’s token[\s\S]*paused by WhatsApp/);
    expect(mailServer.to(admin.email)[0]?.subject).toMatch(/paused by WhatsApp/);
    // Keys are nothing that a member may see.
    expect(mailServer.to(member.email)).toEqual([]);
  });

  test("that a server greylists is sent later, once; that it refuses is given up, without the address in a log", async () => {
    const [late, gone] = [await quietWorkspace(), await quietWorkspace()];
    mailServer.behave("greylist");
    await breakToken(late);
    await sweep();
    const dueIn = () =>
      sql<{ minutes: number }[]>`
      select extract(epoch from due_at - now())::float8 / 60 as minutes from jobs
      where payload ->> 'address' = ${late.owner.email}`.then(([row]) => row);
    await expect.poll(() => waitingFor(late.owner)).toEqual([{ attempts: 1, error: "451 at RCPT TO" }]);
    await expect.poll(async () => (await dueIn())?.minutes).toBeLessThan(1.01);
    mailServer.behave("accept");
    await makeDue(late.owner);
    await sweep();
    await mailsTo(late.owner, 1);
    await expect.poll(dueIn).toBeUndefined();

    mailServer.behave("refuse");
    await breakToken(gone);
    await sweep();
    await expect.poll(() => waitingFor(gone.owner)).toEqual([]);
    // Log lines are written together.
    await expect.poll(() => readFileSync(own.logFile, "utf8")).toMatch(/"mail.failed".*"refused".*"550"/);
    const log = readFileSync(own.logFile, "utf8");
    expect(log).not.toContain(gone.owner.email);
    expect(log).not.toContain("No such mailbox");
  });

  test("of several alerts is claimed once where two look for it at once", async () => {
    const workspace = await quietWorkspace();
    await breakToken(workspace);
    await pauseTemplates(workspace);
    // Both wait for their person, who is being changed.
    await sql.begin(async (transaction) => {
      await transaction`select from users where email = ${workspace.owner.email} for no key update`;
      await sweep();
      await sleep(500);
    });
    await mailsTo(workspace.owner, 1);
    await expect.poll(() => waitingFor(workspace.owner)).toEqual([]);
    expect(readFileSync(own.logFile, "utf8")).not.toContain('"mail.stopped"');
  });

  test("to a server that hangs delays neither a pass nor a send, and is kept", async () => {
    const workspace = await quietWorkspace();
    mailServer.behave("hang");
    const before = mailServer.asked();
    await breakToken(workspace);
    await sweep();
    await expect.poll(() => mailServer.asked()).toBeGreaterThan(before);
    const startedAtMs = performance.now();
    expect((await sweep()).status).toBe(200);
    expect((await workspace.send({ type: "text", phone: "15550001111", content: "Hi" })).status).toBe(201);
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    await expect.poll(() => waitingFor(workspace.owner)).toEqual([{ attempts: 1, error: null }]);
  });

  test("that waits for a person is dropped when the person leaves the workspace", async () => {
    const workspace = await quietWorkspace();
    const { admin } = workspace;
    await confirmAddresses(workspace, admin);
    mailServer.behave("greylist");
    await breakToken(workspace);
    await sweep();
    expect(await waitingFor(admin)).toHaveLength(1);
    await actOnMembers(workspace, "leave", { as: "admin" });
    expect(await waitingFor(admin)).toEqual([]);
  });

  test("that waits is dropped when the workspace is deleted, before its rows are removed", async () => {
    const workspace = await quietWorkspace();
    mailServer.behave("greylist");
    await breakToken(workspace);
    await sweep();
    expect(await waitingFor(workspace.owner)).toHaveLength(1);
    await deleteWorkspace(provenWorkspaceId(workspace.workspaceId), command("test"));
    expect(await waitingFor(workspace.owner)).toEqual([]);
  });

  test("that a server of 0.6 queued is sent by this release, once, with the same Message-ID", async () => {
    const { owner } = await quietWorkspace();
    const id = `mail_${crypto.randomUUID()}`;
    const content = { subject: "Queued before", paragraphs: ["Hi"], link: { label: "Open", path: "/dashboard" } };
    await sql`
      insert into mails (id, kind, address, user_id, content, expires_at)
      select ${id}, 'alert', email, id, ${JSON.stringify(content)}::text::json, now() + interval '1 hour'
      from users where email = ${owner.email}`;
    await Promise.all([sweep(), sweep()]);
    await mailsTo(owner, 1);
    expect(mailServer.to(owner.email)[0]).toMatchObject({
      subject: "Queued before",
      messageId: expect.stringContaining(id),
    });
    expect(await sql`select from mails where id = ${id}`).toEqual([]);
  });

  test("of a workspace with 300 invitations holds one sender, and another workspace's is under way beside it", async () => {
    const [many, one] = [await quietWorkspace(), await quietWorkspace()];
    mailServer.behave("hang");
    const content = { subject: "Join", paragraphs: ["Hi"], link: { label: "Join", path: "/invite/x" } };
    const invite = (count: number, { workspaceId }: TestWorkspace, waited: string) => sql`
      insert into jobs (kind, id, cause, workspace_id, due_at, payload)
      select 'mail', 'mail_' || gen_random_uuid(), ${workspaceId}, ${workspaceId}, now() - ${waited}::interval,
        jsonb_build_object('kind', 'invitation', 'address', 'invited@example.test', 'linkSecret', null,
          'content', ${JSON.stringify(content)}::text::jsonb)
      from generate_series(1, ${count}::int)`;
    await invite(300, many, "1 hour");
    await invite(1, one, "1 minute");
    const underWay = () =>
      sql<{ cause: string }[]>`
      select cause from jobs where kind = 'mail' and leased_until > now()
        and cause in ${sql([many.workspaceId, one.workspaceId])} order by started_at, cause`.then((rows) =>
        rows.map(({ cause }) => cause).toSorted(),
      );
    await sweep();
    await sweep();
    await expect.poll(underWay).toEqual([many.workspaceId, one.workspaceId].toSorted());
    await sql`delete from jobs where kind = 'mail'`;
  });

  test("of a server that was killed while it sent is sent by another, with the same Message-ID", async () => {
    const victim = await forTest(startInstance({}, "API"));
    const workspace = await quietWorkspace();
    mailServer.behave("hang");
    await breakToken(workspace);
    const before = mailServer.asked();
    await sweepAt(victim);
    await expect.poll(() => mailServer.asked()).toBeGreaterThan(before);
    process.kill(victim.pid, "SIGKILL");
    mailServer.behave("accept");
    const [row] = await makeDue(workspace.owner);
    await sweep();
    await mailsTo(workspace.owner, 1);
    expect(mailServer.to(workspace.owner.email)[0]?.messageId).toContain(row?.id);
  });
});

describe("links by mail", () => {
  const FORGOT = "/forgot-password";
  const ask = (email: string, address?: string) =>
    act("app/forgot-password/actions.ts#askForReset", {
      fields: { email },
      path: FORGOT,
      ...(address ? { address } : {}),
    });
  const linkIn = (person: { email: string }) =>
    /http\S+/.exec(mailServer.to(person.email).at(-1)?.text ?? "")?.[0] ?? "";

  test("a forgotten password: the same answer for an unknown address, a link that works once, and a limit", async () => {
    const { owner } = await provisionWorkspace();
    const [known, unknown] = [await ask(owner.email), await ask("nobody@example.test")];
    expect([known.status, known.said]).toEqual([200, { ok: true, value: { email: owner.email } }]);
    expect([unknown.status, unknown.said]).toEqual([200, { ok: true, value: { email: "nobody@example.test" } }]);
    await mailsTo(owner, 1);
    expect(mailServer.to("nobody@example.test")).toEqual([]);
    const token = linkIn(owner).split("#")[1] ?? "";
    const reset = () =>
      act("app/reset-password/actions.ts#setNewPassword", {
        fields: { token, password: "another long sentence" },
        path: "/reset-password",
      });
    expect((await reset()).goesTo).toBe("/dashboard");
    expect((await reset()).said).toMatchObject({ ok: false });
    const [user] = await sql<{ confirmed: boolean }[]>`
      select email_confirmed_at is not null as confirmed from users where email = ${owner.email}`;
    expect(user?.confirmed).toBe(true);
    for (let i = 0; i < 2; i++) await ask(owner.email);
    expect((await ask(owner.email)).said).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Too many mails/),
    });
  });

  test("an invitation: its link is in the mail alone, and joining confirms the address", async () => {
    const workspace = await provisionWorkspace();
    const email = `invited-${crypto.randomUUID()}@example.test`;
    const fields = { role: "member", email, days: "7" };
    const { said } = await actOnMembers(workspace, "invite", { fields });
    expect(said).toEqual({ ok: true, value: { link: null, role: "member", email } });
    await mailsTo({ email, password: "" }, 1);
    const token = linkIn({ email }).replace(/.*\/invite\//, "");
    const joined = await act("app/invite/[token]/actions.ts#joinAsNewUser", {
      fields: { token, name: "New Person", email, password: "a sentence of some length" },
      path: `/invite/${token}`,
    });
    expect(joined.goesTo).toBe("/dashboard");
    const [user] = await sql<{ confirmed: boolean }[]>`
      select email_confirmed_at is not null as confirmed from users where email = ${email}`;
    expect(user?.confirmed).toBe(true);
  });

  test("an owner's reset link for a member goes to the member, and is shown to no one else", async () => {
    const workspace = await provisionWorkspace();
    const fields = { userId: await userIdOf(workspace.member) };
    const { said } = await actOnMembers(workspace, "createResetLink", { fields });
    expect(said).toEqual({ ok: true, value: { link: null, email: workspace.member.email } });
    await mailsTo(workspace.member, 1);
    expect(linkIn(workspace.member)).toContain("/reset-password#");
    for (let i = 0; i < 2; i++) await actOnMembers(workspace, "createResetLink", { fields });
    const { said: fourth } = await actOnMembers(workspace, "createResetLink", { fields });
    expect(fourth).toMatchObject({ ok: false, message: expect.stringMatching(/^Too many mails/) });
    await mailsTo(workspace.member, 3);
  });

  test("a confirmation: a link of the account alone, for half an hour, that a forged one does not replace", async () => {
    const { owner, admin, workspaceId } = await provisionWorkspace();
    const sent = await act(`app${ACCOUNT}/actions.ts#sendConfirmation`, {
      fields: { workspaceId },
      path: ACCOUNT,
      as: owner,
    });
    expect(sent.said).toMatchObject({ ok: true });
    await mailsTo(owner, 1);
    const token = linkIn(owner).split("#")[1] ?? "";
    const confirm = (given: string) =>
      act("app/confirm-email/actions.ts#confirm", { fields: { token: given }, path: "/confirm-email" });
    const [userId = "", endsAt = "", signature = ""] = token.split(".");
    for (const forged of [
      `${await userIdOf(admin)}.${endsAt}.${signature}`,
      `${userId}.${Number(endsAt) + 60}.${signature}`,
      `${userId}.${endsAt}.`,
      "",
    ])
      expect((await confirm(forged)).said).toMatchObject({ ok: false });
    expect((await confirm(token)).said).toEqual({ ok: true, value: { email: owner.email } });
  });
});

describe("a sign-in", () => {
  test("from a browser that is new to the account is mailed and shown to its person alone; the next one from it is not", async () => {
    const workspace = await quietWorkspace();
    const { owner, admin, workspaceId } = workspace;
    await sql`update members set last_seen_at = now() where workspace_id = ${workspaceId}`;
    const first = await submitSignIn(owner);
    expect(first.status).toBe(200);
    await mailsTo(owner, 1);
    expect(mailServer.to(owner.email)[0]?.subject).toMatch(/^New sign-in to your account: /);
    const page = async (person: Sign) => (await readAs(person, "/dashboard/alerts")).text;
    expect(await page(owner)).toContain("New sign-in to your account");
    expect(await page(admin)).not.toContain("New sign-in to your account");
    await afterTheDigest(workspace);
    const csrf = await fetch(`${own.baseUrl}/api/auth/csrf`);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const again = await request("POST", `${own.baseUrl}/api/auth/callback/credentials`, {
      headers: { cookie: `${cookiesOf(csrf.headers)}; ${cookiesOf(first.headers)}` },
      body: new URLSearchParams({ csrfToken, ...owner, json: "true", callbackUrl: `${own.baseUrl}/dashboard` }),
    });
    expect(again.status).toBe(200);
    await sweep();
    expect(await kindsOf(workspace)).toEqual(["sign_in.new_device open"]);
    expect(mailServer.to(owner.email)).toHaveLength(1);
  });
});

describe("a change of how a person signs in", () => {
  const CODE = "abcd-efgh-ijkl-mnop";
  /** As if the person had set up a second factor, and still had this recovery code. */
  const withFactor = async (): Promise<TestWorkspace> => {
    const workspace = await quietWorkspace();
    await sql`
        update users set factor_secret = 'v1.of.an.app', recovery_hashes = array[${Buffer.from(hashToken(CODE.replaceAll("-", ""))).toString("hex")}]
        where email = ${workspace.owner.email}`;
    return workspace;
  };
  const ofAccount = async (action: string, { owner }: TestWorkspace, fields: Record<string, string>) =>
    act(`app${ACCOUNT}/actions.ts#${action}`, { fields, path: ACCOUNT, cookie: await signIn(owner) });

  type Change = (workspace: TestWorkspace) => Promise<unknown>;
  const CHANGES: [string, Change][] = [
    ["Your recovery codes were replaced", (of) => ofAccount("createRecoveryCodes", of, { code: CODE })],
    ["Your second factor was removed", (of) => ofAccount("turnOffSecondFactor", of, { code: CODE })],
    [
      "Your second factor was removed",
      ({ owner: { email } }) =>
        runProgram([...SWITCHBOARD, "remove-second-factor", "--email", email], {
          ...serverEnvironment(),
          SMTP_URL: mailServer.url,
          MAIL_FROM: "alerts@example.test",
        }),
    ],
    [
      "A recovery code was used",
      async ({ owner }) => {
        const due = cookiesOf((await submitSignIn(owner)).headers);
        return postToAuth("callback/credentials", { code: CODE }, { cookie: due });
      },
    ],
    [
      "Your password was changed",
      (of) => ofAccount("setPassword", of, { current: of.owner.password, password: "another long sentence" }),
    ],
  ];
  test.each(CHANGES)("is mailed to them: %s", async (subject, change) => {
    const workspace = await withFactor();
    await change(workspace);
    await sweep();
    await mailsTo(workspace.owner, 1);
    const [mail] = mailServer.to(workspace.owner.email);
    expect([mail?.subject, mail?.text]).toEqual([subject, expect.stringContaining(`${own.baseUrl}${ACCOUNT}`)]);
    expect(mail?.text).toContain("If you did not expect this");
  });

  test("is not mailed to an address that its person never confirmed", async () => {
    const workspace = await withFactor();
    await sql`update users set email_confirmed_at = null where email = ${workspace.owner.email}`;
    await ofAccount("turnOffSecondFactor", workspace, { code: CODE });
    expect(await waitingFor(workspace.owner)).toEqual([]);
  });
});

test("the bell counts open alerts until the page of alerts was opened", async () => {
  const workspace = await quietWorkspace();
  await breakToken(workspace);
  await sweep();
  const cookie = await signIn(workspace.owner);
  const get = async (path: string) => (await readAt(path, cookie)).text;
  expect(await get("/dashboard")).toContain("Alerts: 1 new");
  expect(await get("/dashboard/alerts")).toContain("WhatsApp refuses this line’s token");
  await expect.poll(() => get("/dashboard/account")).not.toContain("Alerts: 1 new");
});

test("to the operator, a sweeper that never ran is later than any that did", async () => {
  const METRICS_TOKEN = "metrics-token-of-this-test";
  const instance = await forTest(startInstance({ METRICS_TOKEN }));
  const age = async () => {
    // The servers' own sweepers may run between the two.
    await sql`delete from roll_up_marks where id = 'sweep'`;
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const { text } = await request("GET", `${instance.baseUrl}/api/metrics`, { headers });
    return /^switchboard_sweep_age_seconds (.+)$/m.exec(text)?.[1];
  };
  await expect.poll(age, { timeout: 3_000 }).toBe("+Inf");
});
