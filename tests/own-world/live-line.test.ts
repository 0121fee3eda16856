import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { syncTemplates } from "@/lib/templates/sync-templates";
import { freePort } from "../../scripts/ports.mjs";
import { heard, reaching } from "../support/awaiting";
import { testServers } from "../support/environment";
import { startOver } from "../support/own-database";
import { type Program, runProgram, SANDBOX, serverEnvironment, startProgram } from "../support/programs";
import { expectSent, PHONE, usedUnits } from "../support/sends";
import { type Answer, provisionWorkspace, request, type TestWorkspace } from "../support/workspace";

const READER = "447700900003";
const ENOUGH_FOR_THREE_PAGES = 110;

const named = (name: string) => FIXTURE_TEMPLATES.filter((template) => template.name === name);
const many = Array.from({ length: ENOUGH_FOR_THREE_PAGES }, (_, i) => ({
  id: `${700_000_000 + i}`,
  name: `notice_${i}`,
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  components: [{ type: "BODY", text: `Notice ${i}` }],
}));
const LISTED = [...named("order_ready"), ...named("test_carousel"), ...many];

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-live-"));
let sandbox: Program;
let sandboxUrl: string;
let instance: { baseUrl: string; stop: () => Promise<void> };

const sandboxArgs = (port: number, webhook: string, ...more: string[]) => [
  ...SANDBOX,
  `--port=${port}`,
  `--webhook=${webhook}`,
  ...more,
];
const secret = () => serverEnvironment().WHATSAPP_APP_SECRET ?? "";

beforeAll(async () => {
  const port = await freePort();
  sandboxUrl = `http://127.0.0.1:${port}`;
  // This file's own provisioning and use cases speak to the second server's platform, too.
  const { DATABASE_URL = "" } = testServers().environment;
  instance = await startOver(DATABASE_URL, { WHATSAPP_GRAPH_URL: sandboxUrl }, "API");
  const file = path.join(folder, "templates.json");
  writeFileSync(file, JSON.stringify({ data: LISTED }));
  sandbox = startProgram(
    sandboxArgs(port, `${instance.baseUrl}/api/webhooks/whatsapp`, "--templates", file, `--app-secret=${secret()}`),
    { PATH: process.env.PATH },
  );
  await sandbox.says("listening");
});
afterAll(async () => {
  sandbox.signal("SIGTERM");
  await Promise.all([instance.stop(), sandbox.exited]);
  rmSync(folder, { recursive: true, force: true });
});

type Kept = {
  at: string;
  phoneNumberId: string;
  status: number;
  body: { to: string; type: string; [field: string]: unknown };
};

/** What the sandbox process says that it was sent through a line. */
const sentThrough = async ({ whatsappPhoneNumberId }: { whatsappPhoneNumberId: string }): Promise<Kept[]> => {
  const { requests }: { requests: Kept[] } = await (await fetch(`${sandboxUrl}/__requests`)).json();
  return requests.filter(({ phoneNumberId }) => phoneNumberId === whatsappPhoneNumberId);
};

const sync = async (workspace: TestWorkspace) => {
  const { main } = workspace.lines;
  if (!main) throw new Error("the workspace has its line");
  return syncTemplates(provenWorkspaceId(workspace.workspaceId), { mode: "live", ...main });
};

const synced = async (): Promise<TestWorkspace> => {
  const workspace = await provisionWorkspace({ plan: "free" });
  expect(await sync(workspace)).toEqual({ outcome: "ok", count: LISTED.length });
  return workspace;
};

const expectRead = async (workspace: TestWorkspace, answer: Answer) => {
  expectSent(answer);
  const { id } = answer.body.data;
  const data = await reaching(workspace, id, "READ");
  const instants = [data.sentAt, data.deliveredAt, data.readAt].map((at) => Date.parse(at ?? ""));
  expect([data.status, instants]).toEqual(["READ", instants.toSorted((one, other) => one - other)]);
  await heard(workspace, id, ["sent", "delivered", "read"]);
};

describe("a live line against another platform server, by settings alone", () => {
  const interactive = {
    type: "button",
    body: { text: "Pick" },
    action: { buttons: [{ type: "reply", reply: { id: "a", title: "A" } }] },
  };

  test("text and interactive: sent, statuses back to READ, one plan unit each, and WhatsApp has what was sent", async () => {
    const workspace = await provisionWorkspace({ plan: "free" });
    const text = await workspace.send({ type: "text", phone: READER, content: "Grüße 🙂" });
    const buttons = await workspace.send({ type: "interactive", phone: READER, content: JSON.stringify(interactive) });
    await Promise.all([expectRead(workspace, text), expectRead(workspace, buttons)]);
    const recipient = { messaging_product: "whatsapp", recipient_type: "individual", to: `+${READER}` };
    const envelope = (answer: Answer) => ({ ...recipient, biz_opaque_callback_data: answer.body.data.id });
    const kept = { at: expect.stringMatching(/Z$/), phoneNumberId: workspace.whatsappPhoneNumberId, status: 200 };
    const sent = await sentThrough(workspace);
    expect(sent).toEqual([
      { ...kept, body: { ...envelope(text), type: "text", text: expect.objectContaining({ body: "Grüße 🙂" }) } },
      { ...kept, body: { ...envelope(buttons), type: "interactive", interactive } },
    ]);
    expect(JSON.stringify(sent)).not.toContain(workspace.lines.main?.accessToken);
    expect(await usedUnits(workspace)).toBe(2);
  });

  test("templates are synced from it to the end of its cursors; what it lists no more is gone", async () => {
    const workspace = await provisionWorkspace({
      templates: [
        { ...many[0], id: "699999999", name: "not_there_any_more" },
        { ...many[0], status: "PENDING" },
      ],
    });
    expect(await sync(workspace)).toEqual({ outcome: "ok", count: LISTED.length });
    const { templates } = (await workspace.call("GET", "/api/v1/public/templates")).body.data;
    const namesOf = (list: readonly { name: string; language: string }[]) =>
      list.map(({ name, language }) => `${name}/${language}`).toSorted();
    expect(namesOf(templates)).toEqual(namesOf(LISTED));
    const [order] = named("order_ready");
    expect(templates.find(({ name, language }) => name === "order_ready" && language === "en_US")).toMatchObject({
      components: order?.components,
      qualityScore: "GREEN",
      phoneNumberIds: [workspace.phoneNumberId],
    });
  });

  test("a synced template is sent and read", async () => {
    const workspace = await synced();
    const template = { type: "template", phone: READER, templateName: "order_ready", templateLanguage: "en_US" };
    await expectRead(workspace, await workspace.send({ ...template, templateVariables: { "1": "Ana", "2": "A-42" } }));
    const [sent] = await sentThrough(workspace);
    expect(sent?.body.template).toEqual({
      name: "order_ready",
      language: { code: "en_US" },
      components: [
        {
          type: "body",
          parameters: [
            { type: "text", text: "Ana" },
            { type: "text", text: "A-42" },
          ],
        },
        { type: "button", sub_type: "url", index: expect.anything(), parameters: [{ type: "text", text: "Ana" }] },
      ],
    });
  });

  test("a carousel's linked pictures are uploaded to it first, and go out under its ids", async () => {
    const workspace = await synced();
    const { mediaUrl } = testServers();
    const cards = [0, 1, 2].map((index) => ({
      index,
      bodyValues: { "1": `${index} %` },
      header: { format: "image", link: `${mediaUrl}/live-${index}.png` },
      buttonValues: [{ index: 0, sub_type: "url", parameters: { type: "text", text: `item-${index}` } }],
    }));
    const answer = await workspace.send({
      type: "template",
      phone: READER,
      templateName: "test_carousel",
      templateLanguage: "en_US",
      bodyParameters: { "1": "Ana" },
      carousel: { cards },
    });
    await expectRead(workspace, answer);
    const [sent] = await sentThrough(workspace);
    const ids = [...JSON.stringify(sent?.body).matchAll(/"image":\{"id":"(\d+)"\}/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(3);
    const uploads = sandbox.said.stdout
      .split("\n")
      .filter((line) => line.includes(`/${workspace.whatsappPhoneNumberId}/media`));
    expect(uploads).toHaveLength(3);
  });

  test("what it refuses is a refusal: a test number's code, and a template that it does not list", async () => {
    const workspace = await provisionWorkspace({ templates: [{ ...many[0], name: "ours_only" }] });
    const refused = await workspace.send({ type: "text", phone: "447700900231", content: "Hi" });
    expect([refused.status, refused.body.details.platform?.code]).toEqual([502, 131031]);
    const unknown = { type: "template", phone: READER, templateName: "ours_only", templateVariables: {} };
    const answer = await workspace.send(unknown);
    expect([answer.status, answer.body.error], answer.text).toEqual([400, "TEMPLATE_NOT_APPROVED"]);
    expect((await sentThrough(workspace)).map(({ status }) => status)).toEqual([403, 404]);
    expect(await usedUnits(workspace)).toBe(0);
  });

  test("a token may be any text: the one of the documentation's example, too", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main", accessToken: "EAA…" }] });
    expectSent(await workspace.send({ type: "text", phone: PHONE, content: "Hi" }));
  });
});

describe("npm run sandbox", () => {
  test("with a port of its own choice, the address verified, and its list of requests forgotten on demand", async () => {
    const webhook = `${instance.baseUrl}/api/webhooks/whatsapp`;
    const { WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN = "", PATH } = serverEnvironment();
    const other = startProgram(sandboxArgs(0, webhook, `--verify-token=${WHATSAPP_VERIFY_TOKEN}`), {
      PATH,
      WHATSAPP_APP_SECRET,
    });
    await other.says("webhook address: verified");
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(other.said.stdout) ?? [];
    const headers = { authorization: "Bearer any" };
    const hello = { messaging_product: "whatsapp", to: `+${PHONE}`, type: "text", text: { body: "secret words" } };
    const sent = await request("POST", `${url}/v25.0/106500001/messages`, { headers, body: JSON.stringify(hello) });
    expect(sent.status).toBe(200);
    const listed = await request("GET", `${url}/__requests`);
    expect(JSON.parse(listed.text).requests).toMatchObject([{ phoneNumberId: "106500001", body: hello, status: 200 }]);
    expect((await request("DELETE", `${url}/__requests`)).text).toBe('{"requests":[]}');
    await other.says("POST /v25.0/106500001/messages 200 text to …123");
    expect(other.said.stdout).not.toMatch(/secret words|Bearer|447700900123/);
    other.signal("SIGTERM");
    expect(await other.exited).toBe(0);
  });

  test("--help says what there is", async () => {
    const { exitCode, stdout } = await runProgram([...SANDBOX, "--help"], { PATH: process.env.PATH });
    expect(exitCode).toBe(0);
    for (const option of ["--port", "--webhook", "--app-secret", "--templates", "--verify-token", "/__requests"]) {
      expect(stdout).toContain(option);
    }
  });

  const webhook = "http://127.0.0.1:1/webhook";
  const given = ["--port", "0", "--webhook", webhook];
  test.each<[string, string[], number, RegExp]>([
    ["no port", ["--webhook", webhook], 2, /^--port needs a number from 0 to 65535\.\n\nUsage: /],
    ["no port number", ["--port", "99999", "--webhook", webhook], 2, /^--port needs a number from 0 to 65535\.\n/],
    ["no webhook", ["--port", "0"], 2, /^--webhook needs the http\(s\) address .+\n/],
    ["no web address", ["--port", "0", "--webhook", "ftp://a"], 2, /^--webhook needs the http\(s\) address .+\n/],
    ["an unknown option", ["--prot", "0"], 2, /^Unknown option --prot\. Did you mean --port\?\n/],
    ["no such file", [...given, "--templates", "/none"], 2, /^\/none cannot be read: .+\n/],
    ["no templates", [...given, "--templates", "package.json"], 2, /^package\.json does not hold templates .+\n/],
  ])("refuses %s in a sentence", async (_, args, code, sentence) => {
    const env = { PATH: process.env.PATH, WHATSAPP_APP_SECRET: "x" };
    const { exitCode, stdout, stderr } = await runProgram([...SANDBOX, ...args], env);
    expect([exitCode, stdout]).toEqual([code, ""]);
    expect(stderr).toMatch(sentence);
  });

  test("refuses a port that is taken", async () => {
    const port = new URL(sandboxUrl).port;
    const finished = await runProgram(sandboxArgs(Number(port), webhook), {
      PATH: process.env.PATH,
      WHATSAPP_APP_SECRET: "x",
    });
    expect([finished.exitCode, finished.stderr]).toEqual([1, `Port ${port} is taken. Pass another --port.\n`]);
  });
});
