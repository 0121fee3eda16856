import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sandboxSecret } from "@/lib/whatsapp/webhook-signature";
import { tablesHolding } from "../../support/databases";
import { startInstance, testServers } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { eventWords, sql } from "../../support/rows";
import { expectError, expectSent, PHONE, TEXT } from "../../support/sends";
import { templateWebhook } from "../../support/template-records";
import { accountWebhook, inboundWebhook, signatureOf } from "../../support/webhooks";
import { deliver, postWebhook, provisionWorkspace, request, statusWebhook } from "../../support/workspace";

const url = () => `${testServers().baseUrl}/api/webhooks/whatsapp`;
const secrets = () => testServers().environment;
const challenge = (parameters: Record<string, string>) => request("GET", `${url()}?${new URLSearchParams(parameters)}`);

describe("verification", () => {
  const good = () => ({
    "hub.mode": "subscribe",
    "hub.challenge": "1158201444",
    "hub.verify_token": secrets().WHATSAPP_VERIFY_TOKEN ?? "",
  });

  test("200 with the bare challenge", async () => {
    const answer = await challenge(good());
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("1158201444");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const markup = await challenge({ ...good(), "hub.challenge": "<script>alert(1)</script>" });
    expect(markup.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(markup.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("403 for another token or mode and without parameters, and the challenge is not reported", async () => {
    for (const change of [{ "hub.verify_token": "wrong" }, { "hub.verify_token": "" }, { "hub.mode": "unsubscribe" }]) {
      const answer = await challenge({ ...good(), ...change });
      expectError(answer, { status: 403, error: "FORBIDDEN", details: {} });
      expect(answer.text).not.toContain("1158201444");
    }
    expect((await request("GET", url())).status).toBe(403);
  });
});

describe("signatures", () => {
  const body = accountWebhook({ whatsappBusinessAccountId: "1" }, "unknown_field", { text: "Grüße 👋 </b>" });
  // WhatsApp escapes what is not ASCII, and signs the escapes.
  const escaped = JSON.stringify(body).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

  test("200 for the app secret, the previous one and upper-case hex over the bytes as they came", async () => {
    for (const signature of [
      signatureOf(escaped),
      signatureOf(escaped, secrets().WHATSAPP_APP_SECRET_PREVIOUS),
      signatureOf(escaped).toUpperCase().replace("SHA256", "sha256"),
    ]) {
      const answer = await postWebhook(escaped, { "x-hub-signature-256": signature });
      expect([answer.status, answer.body], answer.text).toEqual([200, { success: true }]);
    }
  });

  test("401 for any other signature, and for one under the old header", async () => {
    const signed = signatureOf(escaped);
    const refused: Record<string, Record<string, string>> = {
      "another secret": { "x-hub-signature-256": signatureOf(escaped, "x".repeat(43)) },
      "the verify token": { "x-hub-signature-256": signatureOf(escaped, secrets().WHATSAPP_VERIFY_TOKEN) },
      "an empty secret": { "x-hub-signature-256": signatureOf(escaped, "") },
      "a body written anew": { "x-hub-signature-256": signatureOf(JSON.stringify(body)) },
      "no prefix": { "x-hub-signature-256": signed.slice("sha256=".length) },
      "a cut digest": { "x-hub-signature-256": signed.slice(0, -2) },
      "the old header only": { "x-hub-signature-256": "", "x-hub-signature": signed },
    };
    for (const [name, headers] of Object.entries(refused)) {
      const answer = await postWebhook(escaped, headers);
      expect(answer.status, name).toBe(401);
      expectError(answer, { status: 401, error: "UNAUTHORIZED", details: {} });
    }
  });

  test("401 without any signature, and nothing is kept", async () => {
    const mark = `unsigned-${Date.now()}`;
    const answer = await request("POST", url(), { body: JSON.stringify({ mark }) });
    expect(answer.status).toBe(401);
    expect(await tablesHolding([mark])).toEqual([]);
  });

  test("a webhook of the sandbox speaks for test lines only, whatever it names", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "live" }] });
    const contact = `4477${Date.now()}`.slice(0, 13);
    const sent = await workspace.send(TEXT);
    expectSent(sent);
    const { id, chatMessageId } = sent.body.data;
    const bySandbox = (body: unknown) => {
      const raw = JSON.stringify(body);
      const secret = sandboxSecret(secrets().WHATSAPP_APP_SECRET ?? "");
      return postWebhook(raw, { "x-hub-signature-256": signatureOf(raw, secret) });
    };
    const read = { id: chatMessageId ?? "", status: "read", biz_opaque_callback_data: id };
    expect((await bySandbox(statusWebhook(workspace, [read]))).status).toBe(200);
    expect((await bySandbox(inboundWebhook(workspace, [{ from: contact }]))).status).toBe(200);
    const deletion = accountWebhook(workspace, "account_update", { event: "ACCOUNT_DELETED" });
    expect((await bySandbox(deletion)).status).toBe(200);
    expect((await workspace.status(id)).body.data.status).toBe("SENT");
    expect(await eventWords(workspace, id)).toEqual([]);
    expect(await eventWords(workspace, null)).toEqual([]);
    const [row] = await sql`
        select (select count(*)::int from account_notices where workspace_id = ${workspace.workspaceId}) as notices,
          (select count(*)::int from contacts where phone = ${contact}) as contacts`;
    expect(row).toEqual({ notices: 0, contacts: 0 });
  });
});

describe("200 for whatever JSON it is, or none", () => {
  const METRICS_TOKEN = "metrics-token-of-this-test";
  const instance = forSuite(() => startInstance({ METRICS_TOKEN }, "API"));

  const newMark = () => `mark${randomInt(10 ** 12)}`;
  const postThere = (body: unknown) => postWebhook(body, {}, instance.baseUrl);
  const logOf = () => readFileSync(instance.logFile, "utf8");
  /** The lines about webhooks without effect. */
  const logged = (): Record<string, unknown>[] =>
    logOf()
      .split("\n")
      .filter((line) => line.includes('"webhook.no-effect"'))
      .map((line) => JSON.parse(line));
  const counted = async (kind: string): Promise<number> => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const { text } = await request("GET", `${instance.baseUrl}/api/metrics`, { headers });
    const pattern = new RegExp(`^switchboard_webhook_no_effect_total\\{[^}]*kind="${kind}"[^}]*\\} (\\d+)$`, "m");
    return Number(pattern.exec(text)?.[1] ?? 0);
  };

  const ACCOUNT = { whatsappBusinessAccountId: "1" };
  const NOT_CONNECTED = { level: "warn", kind: "notConnected" };
  test.for<[string, (mark: string) => unknown, Record<string, string> & { kind: string }]>([
    [
      "no JSON",
      (mark) => `<html>${mark}`,
      { level: "warn", kind: "unreadable", reason: "not a webhook of a WhatsApp business account" },
    ],
    [
      "an unknown field",
      (mark) => accountWebhook(ACCOUNT, "brand_new", { mark }),
      { level: "info", kind: "unusedField", reason: "a field that nothing here uses", field: "brand_new", ...ACCOUNT },
    ],
    [
      "a status of an unknown line",
      (id) => statusWebhook({ whatsappPhoneNumberId: "1", ...ACCOUNT }, [{ id, status: "sent" }]),
      { ...NOT_CONNECTED, reason: "a status of nothing that is connected here", whatsappPhoneNumberId: "1" },
    ],
    [
      "a template of an unknown account",
      (mark) => templateWebhook(ACCOUNT, { id: 7, name: mark, language: "en" }),
      { ...NOT_CONNECTED, reason: "a template of nothing that is connected here", ...ACCOUNT },
    ],
    [
      "an event of a number that is not connected",
      (requester) =>
        accountWebhook(ACCOUNT, "security", { display_phone_number: "15550100", event: "PIN_CHANGED", requester }),
      { ...NOT_CONNECTED, reason: "a phone number of nothing that is connected here" },
    ],
  ])("%s is counted and logged by its kind, and its contents are nowhere", async ([, write, line]) => {
    const mark = newMark();
    const before = await counted(line.kind);
    const answer = await postThere(write(mark));
    expect([answer.status, answer.body], answer.text).toEqual([200, { success: true }]);
    await expect.poll(() => logged().at(-1)).toMatchObject({ event: "webhook.no-effect", parts: 1, ...line });
    expect(await counted(line.kind)).toBe(before + 1);
    expect(logOf()).not.toContain(mark);
    expect(await tablesHolding([mark])).toEqual([]);
  });

  test("tens of thousands of parts that make no sense are one line", async () => {
    const [mark, before, lines] = [newMark(), await counted("unreadable"), logged().length];
    const entry = [mark, ...Array<number>(30_000).fill(0), mark];
    const answer = await postThere({ object: "whatsapp_business_account", entry });
    expect(answer.status, answer.text).toBe(200);
    await expect.poll(() => logged().slice(lines)).toMatchObject([{ kind: "unreadable", parts: 30_002 }]);
    expect(await counted("unreadable")).toBe(before + 30_002);
  });

  test("a message without an id opens its person's 24 hours, and is logged as one that no event reports", async () => {
    const [workspace, lines] = [await provisionWorkspace(), logged().length];
    const about = { whatsappPhoneNumberId: workspace.whatsappPhoneNumberId };
    for (const group of [{}, { group_id: "g" }]) {
      const message = { id: undefined, from: PHONE, ...group, text: { body: "Hello" } };
      expect((await postThere(inboundWebhook(workspace, [message]))).status).toBe(200);
    }
    await expect
      .poll(() => logged().slice(lines))
      .toMatchObject([{ kind: "unusedMessage", reason: "a message without an id: no event reports it", ...about }]);
    const [contact] = await sql`
        select last_inbound_at is not null as has_written from contacts where workspace_id = ${workspace.workspaceId}`;
    expect(contact).toEqual({ has_written: true });
  });

  test("an empty body and bytes that are no UTF-8", async () => {
    for (const raw of [Buffer.from(""), Buffer.from([0xff, 0xfe, 0x00, 0x7b])]) {
      const answer = await request("POST", url(), {
        body: new Uint8Array(raw),
        headers: { "x-hub-signature-256": signatureOf(raw) },
      });
      expect(answer.status, answer.text).toBe(200);
    }
  });
});

describe("the edge", () => {
  test("4 MB is taken, and more is 413", async () => {
    const most = JSON.stringify({ filler: "x".repeat(4 * 1_024 * 1_024 - 13) });
    expect(Buffer.byteLength(most)).toBe(4 * 1_024 * 1_024);
    await deliver(most);
    const answer = await postWebhook(`${most} `);
    expect(answer.status).toBe(413);
    expect(answer.body.error).toBe("PAYLOAD_TOO_LARGE");
  });
});
