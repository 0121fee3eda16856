import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { printed, runCommand } from "../support/commands";
import { everything } from "../support/databases";
import { testServers } from "../support/environment";
import { startOwnDatabase } from "../support/own-database";
import { ERASE, KEYS } from "../support/programs";
import { onRows } from "../support/rows";
import { expectSent } from "../support/sends";
import { signIn, submitSignIn } from "../support/session";
import { sweep } from "../support/sweep";
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
/** Where the traffic must have left rows, for a scan of an empty table proves nothing. */
const EVERY_TABLE = [
  ...["api_keys", "api_requests", "audit_log", "contacts", "duration_hours", "flow_sessions", "media_uploads"],
  ...["members", "messages", "phone_numbers", "rate_windows", "request_hours", "status_events", "templates"],
  ...["unhandled_webhooks", "usage", "users", "workspaces"],
];
const PICTURE = {
  ...{ id: "5900010001", name: "picture", language: "en_US", status: "APPROVED", category: "UTILITY" },
  components: [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Hi {{1}}, goodbye." },
  ],
};
const WORDS = "four herons on one leg";

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase({ LOG_LEVEL: "debug" });
});
afterAll(() => own.stop());

test("after traffic of every kind no secret is in the database, the logs or the built pages, and no number in the logs", async () => {
  const workspace = await provisionWorkspace({
    contacts: [{ ref: "ada", phone: READER, name: "Ada" }],
    templates: [PICTURE],
  });
  const sandboxed = await provisionWorkspace({ mode: "test" });
  await sendEverything(workspace, sandboxed);
  const made = await manageKeys(workspace);
  await receiveEverything(workspace);
  await visit(workspace);
  await runCommand(ERASE, ["--workspace", workspace.workspaceId, "--phone", ERASED]).then(printed);
  await sweep();
  // The log's last lines are written after their answers.
  await sleep(300);

  const secrets = [...secretsOf(workspace), ...secretsOf(sandboxed), ...made, ...environmentSecrets()];
  expect(secrets.length).toBeGreaterThan(20);
  expect(secrets.every((secret) => secret.length >= 12)).toBe(true);

  const tables = Object.entries(await onRows(everything));
  expect(tables.map(([table]) => table)).toEqual(EVERY_TABLE);
  for (const [table, rows] of tables) expect(found(JSON.stringify(rows), secrets), table).toEqual([]);

  const log = readFileSync(own.logFile, "utf8");
  expect(log.split("\n").length).toBeGreaterThan(15);
  expect(found(log, [...secrets, ...PHONES, WORDS])).toEqual([]);

  const pages = filesBelow(".next/static");
  expect(pages.length).toBeGreaterThan(5);
  for (const file of pages) expect(found(readFileSync(file, "latin1"), secrets), file).toEqual([]);
});

test("the scan finds what it is to find: in plain, as bytes and encoded", () => {
  const secret = "sk_live_planted_secret";
  const bytes = Buffer.from(`x${secret}y`);
  const encoded = `{"body":"\\\\x${bytes.toString("hex")}"}`;
  expect(found(`..${secret}..`, [secret])).toEqual([secret]);
  expect(found(encoded, [secret])).toEqual([secret]);
  expect(found(encodeURIComponent("a b+c/d"), ["a b+c/d"])).toEqual(["a b+c/d"]);
  expect(found(Buffer.from(secret).toString("base64"), [secret])).toEqual([secret]);
  expect(found("nothing", [secret])).toEqual([]);
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

/** Good signatures and bad ones, for lines of ours and of nobody, and a challenge with a wrong word. */
const receiveEverything = async (workspace: TestWorkspace): Promise<void> => {
  const { data } = (await workspace.send({ type: "text", phone: READER, content: WORDS })).body;
  const status = { id: data.chatMessageId ?? "", recipient_id: READER };
  const details = `Cannot reach ${READER}`;
  const errors = [{ code: 131026, title: "Undeliverable", error_data: { details } }];
  await postWebhook(statusWebhook(workspace, [{ ...status, status: "failed", errors }]));
  await postWebhook(statusWebhook(workspace, [{ ...status, status: "read" }]));
  await postWebhook(statusWebhook(workspace, [status as never]), { "x-hub-signature-256": `sha256=${"0".repeat(64)}` });
  await postWebhook(inboundWebhook(workspace, [{ from: WRITER, text: { body: WORDS } }]));
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
    const cookie = await signIn(person);
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

/** The words that a text holds, as they are, in hexadecimal, in base 64 from any of its three places, or in a URL. */
const found = (text: string, words: readonly string[]): string[] =>
  words.filter((word) => formsOf(word).some((form) => text.includes(form)));

const formsOf = (word: string): string[] => {
  const json = JSON.stringify(word).slice(1, -1);
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${"\0".repeat(shift)}${word}`).toString("base64");
    // What stands at the ends depends on the neighbours.
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
  return [word, json, encodeURIComponent(word), Buffer.from(word).toString("hex"), ...base64];
};

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
