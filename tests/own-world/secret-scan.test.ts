import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { printed, runCommand } from "../support/commands";
import { everything, tableNames } from "../support/databases";
import { startInstance, testServers } from "../support/environment";
import { forSuite } from "../support/for-suite";
import { limitKey } from "../support/key-limits";
import { freshAddress } from "../support/limits";
import { startMailServer } from "../support/mail-server";
import { startOwnDatabase } from "../support/own-database";
import { act, actOnMembers, invitationInto, userIdOf } from "../support/people";
import { sendPriced, uploadCard } from "../support/priced-messages";
import { ERASE, KEYS } from "../support/programs";
import { addEndpoint, startReceiver } from "../support/receiver";
import { sql } from "../support/rows";
import { found } from "../support/secret-scan";
import { expectSent } from "../support/sends";
import { signInByForm, submitSignIn } from "../support/session";
import { sweep } from "../support/sweep";
import { startUpstash } from "../support/upstash";
import { accountWebhook, FLOW_CONTENT, inboundWebhook } from "../support/webhooks";
import {
  graphError,
  postWebhook,
  provisionWorkspace,
  request,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const PHONES = ["447700900311", "447700900312", "447700900313", "447700900314"] as const;
const [READER, REFUSED, WRITER, ERASED] = PHONES;
/** As WhatsApp writes the number of the one who writes. */
const ALIAS = "4407700900313";
const PICTURE = {
  id: "5900010001",
  name: "picture",
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  components: [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Hi {{1}}, goodbye." },
  ],
};
const WORDS = "four herons on one leg";

const own = forSuite(() => startOwnDatabase({ LOG_LEVEL: "debug" }));

const FORMER = [
  "contact_aliases",
  "cost_reads",
  "mails",
  "message_days",
  "message_hours",
  "priced_days",
  "priced_hours",
  "reported_days",
  "unhandled_webhooks",
  "usage_shares",
];

test("after traffic of every kind no secret is in the database, the logs or the built pages, and no number in the logs", async () => {
  const workspace = await provisionWorkspace({
    plan: "free",
    contacts: [{ ref: "ada", phone: READER, name: "Ada" }],
    templates: [PICTURE],
  });
  // Only keys with a cap are counted.
  await limitKey(workspace, { monthlyCap: 1_000 });
  const sandboxed = await provisionWorkspace({ mode: "test" });
  const partner = await startReceiver();
  const { secret } = await addEndpoint(sandboxed, partner);
  await sendEverything(workspace, sandboxed);
  await expect.poll(() => partner.received.length, { timeout: 20_000 }).toBeGreaterThan(1);
  await partner.stop();
  const made = [secret, ...(await manageKeys(workspace)), ...(await makeLinks(workspace))];
  await receiveEverything(workspace);
  await visit(workspace);
  await raiseAlert(workspace);
  await priceMessages(workspace);
  await runCommand(ERASE, ["--workspace", workspace.workspaceId, "--phone", ERASED]).then(printed);
  await sweep();
  // The log's last lines are written after their answers.
  await sleep(300);

  const secrets = [...secretsOf(workspace), ...secretsOf(sandboxed), ...made, ...environmentSecrets()];
  expect(secrets.length).toBeGreaterThan(20);
  expect(secrets.every((secret) => secret.length >= 12)).toBe(true);

  const tables = Object.entries(await everything(sql));
  // A scan of an empty table proves nothing; only the release before this one fills these.
  const filled = (await tableNames(sql)).filter((name) => !FORMER.includes(name));
  expect(tables.map(([table]) => table)).toEqual(filled);
  for (const [table, rows] of tables) expect(found(JSON.stringify(rows), secrets), table).toEqual([]);

  const log = readFileSync(own.logFile, "utf8");
  expect(log.split("\n").length).toBeGreaterThan(15);
  expect(found(log, [...secrets, ...PHONES, ALIAS, WORDS])).toEqual([]);

  const pages = filesBelow(".next/static");
  expect(pages.length).toBeGreaterThan(5);
  for (const file of pages) expect(found(readFileSync(file, "latin1"), secrets), file).toEqual([]);
});

test("after the right, wrong and swapped credentials the limiter's store holds addresses and our own ids, and nothing else", async () => {
  const store = await startUpstash();
  const upstash = { UPSTASH_REDIS_REST_URL: store.url, UPSTASH_REDIS_REST_TOKEN: store.token };
  const limited = await startInstance(upstash, "API");
  const workspace = await provisionWorkspace();
  const { apiKey, apiSecret, owner } = workspace;
  const address = freshAddress();
  const send = (credentials: Record<string, string>, forwardedFor = address) =>
    request("POST", `${limited.baseUrl}/api/v1/public/messages/send`, {
      headers: { "x-forwarded-for": forwardedFor, ...credentials },
      body: JSON.stringify({ type: "text", phone: READER, content: WORDS }),
    });
  const tried = [
    await send({ apiKey, apiSecret }),
    await send({ apiKey, apiSecret: `${apiSecret.slice(0, -1)}-` }),
    await send({ apiKey: apiSecret, apiSecret: apiKey }),
    await send({ "X-API-Key": READER, "X-API-Secret": owner.password }),
    await send({ apiKey, apiSecret }, apiSecret),
    await send({ apiKey, apiSecret }, READER),
  ];
  expect(tried.map(({ status }) => status)).toEqual([201, 401, 401, 401, 201, 201]);
  await submitSignIn({ email: owner.email, password: `${owner.password} wrong` });
  await limited.stop();

  const secrets = [...secretsOf(workspace), ...environmentSecrets(), store.token];
  const entries = store.entries();
  const ids = new Set(entries.map(([key]) => key.replace(/:\d+$/, "")));
  // What is no address counts on the socket's.
  const known = ["rl:ip:127.0.0.1", `rl:ip:${address}`];
  expect([...ids].filter((id) => !/^rl:key:key_\w+$/.test(id)).sort()).toEqual(known.sort());
  expect(ids.size).toBe(known.length + 1);
  expect(found(JSON.stringify(entries), [...secrets, ...PHONES, owner.email, WORDS])).toEqual([]);
  const windows = JSON.stringify((await everything(sql)).rate_windows);
  expect(windows).toContain("sign-in:account:");
  expect(found(windows, [...secrets, ...PHONES, owner.email])).toEqual([]);
  expect(found(readFileSync(limited.logFile, "utf8"), [...secrets, ...PHONES, WORDS])).toEqual([]);
  await store.stop();
});

/** Accepted, refused, unknown, replayed, conflicting, malformed, with wrong credentials in every place. */
const sendEverything = async (workspace: TestWorkspace, sandboxed: TestWorkspace): Promise<void> => {
  const text = (phone: string) => ({ type: "text", phone, content: WORDS });
  const send = workspace.send;
  const templateVariables = { "1": WORDS, header_link: `${testServers().mediaUrl}/heron.png` };
  expectSent(await send({ type: "template", phone: READER, templateName: "picture", templateVariables }));
  expectSent(await send({ type: "interactive", phone: READER, content: FLOW_CONTENT }));
  await send(text(READER), { "Idempotency-Key": "one" });
  await send(text(READER), { "Idempotency-Key": "one" });
  await send(text(REFUSED), { "Idempotency-Key": "one" });
  // Only a crowd has shares of the plan's units.
  await Promise.all(Array.from({ length: 12 }, () => send(text(READER))));
  await send({ ...text(`+${WRITER}`), nonsense: WORDS });
  await send({ type: "text", phone: `0${REFUSED}`, content: WORDS });
  await workspace.call("POST", "/api/v1/public/messages/send", { rawBody: `{"phone":"${REFUSED}","content":` });
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [
    graphError(131047, `Refused for ${REFUSED}`),
    { status: 500, text: `<html>${workspace.lines.main?.accessToken ?? ""} ${REFUSED}` },
    { hangUp: "before" },
    { status: 401, json: { error: { code: 190, message: `Invalid token ${workspace.lines.main?.accessToken}` } } },
  ]);
  for (let i = 0; i < 4; i++) await send(text(REFUSED), { "Idempotency-Key": `refusal ${i}` });
  const otherwise = { input: `+${WRITER}`, wa_id: ALIAS };
  const known = { messaging_product: "whatsapp", contacts: [otherwise], messages: [{ id: "wamid.ALIAS" }] };
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [{ json: known }]);
  expectSent(await send(text(WRITER)));
  await send(text(ERASED));
  await sandboxed.send(text(READER));
  const wrong = { apiKey: workspace.apiKey, apiSecret: `${workspace.apiSecret}-but-wrong` };
  await workspace.call("GET", "/api/v1/public/templates", { key: wrong });
  await workspace.call("GET", `/api/v1/public/messages/${workspace.apiSecret}`, { key: null });
  for (const phone of [READER, `+${READER}`, `%2B${READER}`]) await workspace.status(phone);
  await workspace.call("GET", "/api/v1/public/templates", { headers: { authorization: `Bearer ${wrong.apiSecret}` } });
  await workspace.call("GET", "/api/v1/public/nothing");
};

const manageKeys = async ({ workspaceId, keys }: TestWorkspace): Promise<string[]> => {
  const command = (...args: string[]) =>
    runCommand(KEYS, [...args, "--workspace", workspaceId]).then(printed<{ apiKey: string; apiSecret: string }>);
  const made = await command("create", "--label", "Scanned", "--mode", "live");
  const rotated = await command("rotate", "--key", made.apiKey, "--overlap", "1h");
  await command("revoke", "--key", keys.other?.apiKey ?? "");
  return [made.apiSecret, rotated.apiSecret];
};

/** Links that sign in anyone who has them. */
const makeLinks = async (workspace: TestWorkspace): Promise<string[]> => {
  const fields = { userId: await userIdOf(workspace.member) };
  const { said } = await actOnMembers(workspace, "createResetLink", { fields });
  const Made = z.object({ value: z.object({ link: z.string() }) });
  const reset = Made.parse(said).value.link.split("#")[1] ?? "";
  await act("app/reset-password/actions.ts#readResetLink", { fields: { token: reset }, path: "/reset-password" });
  return [reset, await invitationInto(workspace)];
};

/** An alert, and a mail about it that stays in the queue, because its server greylists. */
const raiseAlert = async ({ workspaceId, owner }: TestWorkspace): Promise<void> => {
  const mailServer = await startMailServer();
  mailServer.behave("greylist");
  const mailing = await startInstance({ SMTP_URL: mailServer.url, MAIL_FROM: "alerts@example.test" }, "API");
  await sql`
      with confirmed as (update users set email_confirmed_at = now() where email = ${owner.email}),
        -- People are counted once their message is settled, where there is a limit.
        settled as (
          update messages set created_at = created_at - interval '2 minutes'
          where workspace_id = ${workspaceId} and type = 'template')
      update phone_numbers set token_problem = ${`The token of ${WRITER} has expired`}, messaging_limit = 'TIER_250'
      where workspace_id = ${workspaceId}`;
  const headers = { authorization: `Bearer ${testServers().environment.CRON_SECRET}` };
  await expect
    .poll(async () => {
      // A pass that meets another server's leaves the alerts to that one, which sends no mail.
      await request("GET", `${mailing.baseUrl}/api/cron/sweep`, { headers });
      return mailServer.asked();
    })
    .toBeGreaterThan(0);
  await mailing.stop();
  await mailServer.stop();
};

/** Prices, and a message that has one. */
const priceMessages = async (workspace: TestWorkspace): Promise<void> => {
  await uploadCard(workspace, "GB,utility,1,EUR,2026-01-01");
  await sendPriced(workspace, { to: READER, category: "utility" });
  await sweep();
};

/** Good signatures and bad ones, for lines that exist and that do not, and a challenge with a wrong word. */
const receiveEverything = async (workspace: TestWorkspace): Promise<void> => {
  const { data } = (await workspace.send({ type: "text", phone: READER, content: WORDS })).body;
  const status = { id: data.chatMessageId ?? "", recipient_id: READER };
  const details = `Cannot reach ${READER}`;
  const errors = [{ code: 131026, title: "Undeliverable", error_data: { details } }];
  await postWebhook(statusWebhook(workspace, [{ ...status, status: "failed", errors }]));
  await postWebhook(statusWebhook(workspace, [{ ...status, status: "read" }]));
  await postWebhook(statusWebhook(workspace, [status as never]), { "x-hub-signature-256": `sha256=${"0".repeat(64)}` });
  await postWebhook(inboundWebhook(workspace, [{ from: WRITER, text: { body: WORDS } }]));
  const reply = { type: "nfm_reply", nfm_reply: { name: "flow", body: WORDS, response_json: "{}" } };
  const context = { id: "wamid.OF_NO_MESSAGE" };
  await postWebhook(inboundWebhook(workspace, [{ from: WRITER, type: "interactive", interactive: reply, context }]));
  await postWebhook(inboundWebhook({ whatsappPhoneNumberId: "1", whatsappBusinessAccountId: "2" }, [{ from: WRITER }]));
  await postWebhook(accountWebhook(workspace, "account_update", { event: "ACCOUNT_RESTRICTION" }));
  await postWebhook("no json at all");
  const { baseUrl, environment } = testServers();
  for (const token of [environment.WHATSAPP_VERIFY_TOKEN ?? "", "a wrong word"]) {
    const query = new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "1" });
    await request("GET", `${baseUrl}/api/webhooks/whatsapp?${query}`);
  }
};

const visit = async (workspace: TestWorkspace): Promise<void> => {
  const { baseUrl, environment } = testServers();
  await submitSignIn({ email: workspace.owner.email, password: `${workspace.owner.password} wrong` });
  for (const person of [workspace.owner, workspace.member]) {
    const cookie = await signInByForm(person);
    for (const page of ["", "/messages", "/phone-numbers", "/templates", "/settings/api-keys"]) {
      const answer = await request("GET", `${baseUrl}/dashboard${page}`, { headers: { cookie } });
      expect(found(answer.text, [...secretsOf(workspace), ...environmentSecrets()]), page).toEqual([]);
    }
  }
  await sweep(`${environment.CRON_SECRET} wrong`);
};

const secretsOf = ({ owner, admin, member, lines, keys }: TestWorkspace): string[] => [
  ...[owner, admin, member].map(({ password }) => password),
  ...Object.values(lines).map(({ accessToken }) => accessToken),
  ...Object.values(keys).map(({ apiSecret }) => apiSecret),
];

const environmentSecrets = (): string[] => {
  const names = /^(NEXTAUTH_SECRET|KEY_PEPPER|ENCRYPTION_KEY|WHATSAPP_APP_SECRET|WHATSAPP_VERIFY_TOKEN|CRON_SECRET)/;
  return Object.entries(testServers().environment).flatMap(([name, value]) => (names.test(name) ? [value] : []));
};

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
