import { afterEach, describe, expect, test } from "vitest";
import type { Message, Template } from "../../../clients/typescript/src/switchboard";
import { printed, runCommand } from "../../support/commands";
import { testServers } from "../../support/environment";
import { fromOwnAddress } from "../../support/own-address";
import { type Environment, runProgram, SWITCHBOARD, serverEnvironment, startProgram } from "../../support/programs";
import { requestRows } from "../../support/request-rows";
import { listContacts } from "../../support/sends";
import { ORDER, templateRecord } from "../../support/template-records";
import { inboundWebhook } from "../../support/webhooks";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

/** READ within two seconds; SENT for good; refused by WhatsApp. */
const [READ, SILENT, REFUSED] = ["447700900003", "447700900001", "447700900190"];

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** What a partner has: a key and an address. */
async function partnerOf(workspace: TestWorkspace): Promise<Environment> {
  const { url, close } = await fromOwnAddress(workspace);
  open.push(close);
  const { apiKey, apiSecret } = workspace;
  return { PATH: process.env.PATH, CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: url };
}

const cli = (env: Environment, words: string[], input?: string) =>
  runProgram([...SWITCHBOARD, ...words], env, input === undefined ? {} : { input: [input] });

/** With the environment of the gateway itself. */
const operate = (words: string[], changes: Environment = {}) => runCommand(SWITCHBOARD, words, changes);

describe("0", () => {
  test("send prints the message, and again under its key the same one", async () => {
    const partner = await partnerOf(await provisionWorkspace({ mode: "test" }));
    const words = ["send", "--to", READ, "--text", "Hi", "--key", "order-1"];
    const sent = printed<Message>(await cli(partner, words));
    expect(sent).toMatchObject({ status: "SENT", idempotentReplay: false });
    expect(printed<Message>(await cli(partner, words))).toMatchObject({ id: sent.id, idempotentReplay: true });
  });

  test("send --watch prints each new status as a line, until the last", async () => {
    const partner = await partnerOf(await provisionWorkspace({ mode: "test" }));
    const { exitCode, stdout } = await cli(partner, ["send", "--to", READ, "--text", "Hi", "--watch"]);
    const lines = stdout.trimEnd().split("\n");
    const statuses = lines.map((line) => JSON.parse(line).status);
    expect([exitCode, statuses[0], statuses.at(-1)]).toEqual([0, "SENT", "READ"]);
    expect(new Set(statuses).size).toBe(statuses.length);
  });

  test("send fills a template, and sends a request from standard input as it is", async () => {
    const workspace = await provisionWorkspace({ mode: "test", templates: [ORDER] });
    const partner = await partnerOf(workspace);
    const filled = ["--template", "order_ready", "--language", "en_US", "--var", "1=Ada = Lovelace", "--var", "2=8812"];
    expect(printed<Message>(await cli(partner, ["send", "--to", READ, ...filled])).status).toBe("SENT");
    const body = JSON.stringify({ type: "text", phone: READ, content: "From a file" });
    expect(printed<Message>(await cli(partner, ["send", "--body", "-"], body)).status).toBe("SENT");
    const [template, text] = await requestRows(workspace, 2);
    expect(template?.body).toContain('"1": "<14 characters>"');
    expect(text?.body).toContain('"content": "<11 characters>"');
  });

  test("status prints a message as it stands", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const { id } = (await workspace.send({ type: "text", phone: SILENT, content: "Hi" })).body.data;
    const partner = await partnerOf(workspace);
    expect(printed<Message>(await cli(partner, ["status", id]))).toMatchObject({ id, status: "SENT" });
  });

  test("templates prints a table with the keys of each, or with --json the records", async () => {
    const plain = templateRecord("welcome", [{ type: "BODY", text: "Welcome" }], { category: "MARKETING" });
    const partner = await partnerOf(await provisionWorkspace({ templates: [ORDER, plain] }));
    const table = await cli(partner, ["templates"]);
    expect([table.exitCode, table.stdout.split("\n")]).toEqual([
      0,
      ["NAME         LANGUAGE  CATEGORY   KEYS", expect.any(String), expect.any(String), ""],
    ]);
    expect(table.stdout).toMatch(/^order_ready {2}en_US {5}UTILITY {4}1 2$/m);
    expect(table.stdout).toMatch(/^welcome {6}en_US {5}MARKETING {2}–$/m);
    const records = printed<Template[]>(await cli(partner, ["templates", "--category", "MARKETING", "--json"]));
    expect(records.map(({ name }) => name)).toEqual(["welcome"]);
  });

  test("logs tail prints the calls so far with masked recipients, each new one, and ends well at Ctrl-C", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await workspace.send({ type: "text", phone: READ, content: "Hi" });
    await workspace.status("msg_unknown");
    await requestRows(workspace, 2);
    const words = ["logs", "tail", "--workspace", workspace.workspaceId];
    const once = await operate([...words, "--once"]);
    const [first, second] = once.stdout.split("\n");
    expect([once.exitCode, once.stderr]).toEqual([0, ""]);
    expect(first).toMatch(
      /^\S+Z {2}test {2}201 {2}POST \/messages\/send {2}\d+ ms {2}to 44770•••0003 {2}".+" {2}req_\w+$/,
    );
    expect(second).toMatch(
      /^\S+Z {2}test {2}404 {2}GET \/messages\/msg_unknown {2}\d+ ms {2}NOT_FOUND {2}".+" {2}req_\w+$/,
    );
    expect(once.stdout).not.toContain(READ);
    expect((await operate([...words, "--once", "--status", "4xx"])).stdout).toBe(`${second}\n`);
    expect((await operate([...words, "--once", "--mode", "live"])).stdout).toBe("");

    const tail = startProgram([...SWITCHBOARD, ...words], serverEnvironment());
    await tail.says("NOT_FOUND");
    await workspace.call("GET", "/api/v1/public/templates");
    await tail.says("GET /templates");
    tail.signal("SIGINT");
    expect(await tail.exited).toBe(0);
    expect(tail.said.stdout.trimEnd().split("\n").length).toBe(3);
  });

  test("webhook replay delivers a recorded webhook, signed and byte for byte, as often as asked for", async () => {
    const workspace = await provisionWorkspace();
    const recorded = inboundWebhook(
      workspace,
      [{ from: READ, text: { body: "Hello" } }],
      [{ profile: { name: "Zoë" }, wa_id: READ }],
    );
    for (const words of [["-"], ["-", "--example", "hello"]]) {
      // As WhatsApp might write it: escaped, spaced, and with a number that no double holds.
      const raw = JSON.stringify({ ...recorded, serial: 0 }, null, 1)
        .replace("ë", "\\u00eb")
        .replace(/0(?=\n}$)/, "9007199254740993");
      const content = words.length === 1 ? raw : `{ "note": "hello", "hello": ${raw}, "bye": {} }`;
      const replayed = await runProgram([...SWITCHBOARD, "webhook", "replay", ...words], serverEnvironment(), {
        input: [content],
      });
      const answer = { webhook: `${testServers().baseUrl}/api/webhooks/whatsapp`, bytes: raw.length, answer: 200 };
      expect(printed(replayed)).toMatchObject(answer);
    }
    expect((await listContacts(workspace)).map(({ phone }) => phone)).toEqual([READ]);
  });
});

describe("1", () => {
  test("a refusal of the API is reported with its code, its words and the request's id", async () => {
    const partner = await partnerOf(await provisionWorkspace({ mode: "test" }));
    const unknown = await cli(partner, ["status", "msg_unknown"]);
    expect(unknown).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unknown.stderr).toMatch(/^NOT_FOUND \(404\): .+\nRequest req_\w{26}\n$/);
    const invalid = await cli(partner, ["send", "--to", "12", "--text", "Hi"]);
    expect(invalid).toMatchObject({ exitCode: 1, stdout: "" });
    expect(invalid.stderr).toMatch(/^VALIDATION_ERROR \(400\): .+\nRequest req_\w{26}\n$/);
    const refused = await cli(partner, ["send", "--to", REFUSED ?? "", "--text", "Hi"]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/^CHAT_GRAPH_ERROR \(502\): /)]);
    const stranger = await cli({ ...partner, CHAT_API_SECRET: "sk_test_wrong" }, ["templates"]);
    expect([stranger.exitCode, stranger.stderr]).toEqual([1, expect.stringMatching(/^UNAUTHORIZED \(401\): /)]);
    expect(stranger.stderr).not.toContain("sk_test_wrong");
  });

  test("a gateway that is not there", async () => {
    const away = { PATH: process.env.PATH, CHAT_API_KEY: "pk_test_x", CHAT_API_SECRET: "sk_test_x" };
    const answer = await cli({ ...away, CHAT_API_URL: "http://127.0.0.1:1" }, ["templates"]);
    expect([answer.exitCode, answer.stderr]).toEqual([
      1,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1: it could not be reached \(.+\)\n$/),
    ]);
  });

  test("a webhook under another app secret", async () => {
    const recorded = JSON.stringify({ object: "whatsapp_business_account", entry: [] });
    const env = serverEnvironment({ WHATSAPP_APP_SECRET: "another app secret" });
    const refused = await runProgram([...SWITCHBOARD, "webhook", "replay", "-"], env, { input: [recorded] });
    expect([refused.exitCode, JSON.parse(refused.stdout).answer]).toEqual([1, 401]);
    expect(refused.stderr).toMatch(/^UNAUTHORIZED: .+\nRequest req_\w{26}\n$/);
  });

  test("a workspace that is not there", async () => {
    const refused = await operate(["logs", "tail", "--workspace", "nobody", "--once"]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('no workspace "nobody"')]);
  });
});

describe("2", () => {
  const key = { PATH: process.env.PATH, CHAT_API_KEY: "pk_test_x", CHAT_API_SECRET: "sk_test_x" };

  test.each([
    [[]],
    [["send"]],
    [["send", "--to", READ, "--text", "Hi", "--template", "x"]],
    [["send", "--to", READ, "--template", "x", "--var", "Ada"]],
    [["send", "--to", READ, "--contact", "ct_1", "--text", "Hi"]],
    [["send", "--to", READ, "--text", "Hi", "--var", "1=Ada"]],
    [["send", "--to", READ, "--text", "Hi", "--language", "de"]],
    [["send", "--to", READ, "--body", "-"]],
    [["send", "--body", "-", "--var", "1=Ada"]],
    [["status", "msg_1", "msg_2"]],
    [["templates", "--colour"]],
    [["webhook", "replay", "/nowhere.json"]],
  ])("%j is not understood, and the usage follows", async (words) => {
    const refused = await cli(key, words.map(String));
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("Usage: ");
  });

  test("a key without its secret, and an address that is none", async () => {
    const { CHAT_API_SECRET: _, ...half } = key;
    const [missing, address] = [
      await cli(half, ["templates"]),
      await cli({ ...key, CHAT_API_URL: "messages.example.com" }, ["templates"]),
    ];
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringMatching(/^CHAT_API_SECRET is required/)]);
    expect([address.exitCode, address.stderr]).toEqual([2, expect.stringMatching(/^CHAT_API_URL must be /)]);
  });

  test("a file of several webhooks, without the name of one", async () => {
    const several = JSON.stringify({ sent: { entry: [] }, read: { entry: [] } });
    const refused = await runProgram([...SWITCHBOARD, "webhook", "replay", "-"], serverEnvironment(), {
      input: [several],
    });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^Say --example, one of: sent, read\./),
    ]);
  });
});
