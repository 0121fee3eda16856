import { describe, expect, test } from "vitest";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { heard, reaching } from "../../support/awaiting";
import { testServers } from "../../support/environment";
import { messageRows, sql } from "../../support/rows";
import { expectSent, usedUnits } from "../../support/sends";
import { provisionWorkspace } from "../../support/workspace";

const READER = "447700900003";
const text = (phone = READER) => ({ type: "text", phone, content: "Hello" });
const named = (name: string) => FIXTURE_TEMPLATES.filter((template) => template.name === name);

describe("201, then SENT, DELIVERED and READ by signed webhooks", () => {
  const carousel = {
    type: "template",
    phone: READER,
    templateName: "test_carousel",
    templateLanguage: "en_US",
    templateVariables: {
      "1": "Ana",
      ...Object.fromEntries(
        [0, 1, 2].flatMap((card) => [
          [`c${card}_1`, "10 %"],
          [`c${card}_header_link`, `${testServers().mediaUrl}/test-mode-${card}.png`],
        ]),
      ),
    },
  };
  test.concurrent.each<[string, object]>([
    ["text", text()],
    ["template", { ...carousel, templateName: "order_ready", templateVariables: { "1": "Ana", "2": "A-42" } }],
    ["carousel with linked pictures", carousel],
    [
      "interactive",
      {
        type: "interactive",
        phone: READER,
        content: JSON.stringify({
          type: "button",
          body: { text: "Pick" },
          action: { buttons: [{ type: "reply", reply: { id: "a", title: "A" } }] },
        }),
      },
    ],
  ])("%s", async (_, body) => {
    const workspace = await provisionWorkspace({
      mode: "test",
      plan: "free",
      templates: [...named("order_ready"), ...named("test_carousel")],
    });
    const answer = await workspace.send(body);
    expectSent(answer);
    const { id } = answer.body.data;
    const data = await reaching(workspace, id, "READ");
    expect(data).toMatchObject({ id, status: "READ", failureReason: null, idempotentReplay: false });
    const [sent, delivered, read] = [data.sentAt, data.deliveredAt, data.readAt].map((at) => Date.parse(at ?? ""));
    expect(sent).toBeLessThanOrEqual(delivered ?? 0);
    expect(delivered).toBeLessThanOrEqual(read ?? 0);
    await heard(workspace, id, ["sent", "delivered", "read"]);
    expect(await usedUnits(workspace)).toBe(0);
  });
});

describe("marketing that is refused by Switchboard, rehearsed", () => {
  const marketing = (phone: string) => ({
    type: "template",
    phone,
    templateName: "test_copy_code",
    templateVariables: { "1": "Ana", copy_code: "SAVE10" },
  });
  const marketer = () => provisionWorkspace({ mode: "test", templates: named("test_copy_code") });

  test.concurrent("…149 withholds a template twice, and a third is not sent", async () => {
    const workspace = await marketer();
    for (const _ of [1, 2]) {
      const sent = await workspace.send(marketing("447700900149"));
      expectSent(sent);
      await reaching(workspace, sent.body.data.id, "FAILED");
    }
    const { status, body } = await workspace.send(marketing("447700900149"));
    expect([status, body.details.refusedBy, body.details.platform?.code]).toEqual([400, "switchboard", 131049]);
  });

  test.concurrent("…302 stops marketing after its first message, and gets no second where the workspace refuses it", async () => {
    const workspace = await marketer();
    await sql`update workspaces set refuse_opted_out = true where id = ${workspace.workspaceId}`;
    expectSent(await workspace.send(marketing("447700900302")));
    await expect
      .poll(
        async () => {
          const { status, body } = await workspace.send(marketing("447700900302"));
          return [status, body.details?.refusedBy, body.details?.platform?.code];
        },
        { timeout: 15_000, interval: 500 },
      )
      .toEqual([400, "switchboard", 131050]);
  });
});

describe("test numbers", () => {
  test.concurrent.each<[string, string, string[]]>([
    ["003", "READ", ["sent", "delivered", "read"]],
    ["005", "READ", ["read", "delivered", "sent"]],
    ["006", "READ", ["sent", "delivered", "read"]],
    ["009", "DELIVERED", ["failed", "delivered"]],
  ])("…%s is accepted and ends as %s after %j", async (number, status, words) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const answer = await workspace.send(text(`447700900${number}`));
    expectSent(answer);
    const { id } = answer.body.data;
    await heard(workspace, id, words);
    const data = await reaching(workspace, id, status);
    expect(data).toMatchObject({ status, failureReason: null });
    expect([data.deliveredAt !== null, data.readAt !== null]).toEqual([status !== "SENT", status === "READ"]);
  });

  test.concurrent("…147 is accepted, then FAILED with the reason 131047", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const answer = await workspace.send(text("447700900147"));
    expectSent(answer);
    const data = await reaching(workspace, answer.body.data.id, "FAILED");
    expect(data).toMatchObject({ status: "FAILED", deliveredAt: null, readAt: null });
    expect(data.failureReason).toMatch(/^131047: .+/);
  });

  test.concurrent.each([
    ["100", 400, 100],
    ["190", 502, 190],
    ["229", 502, 130429],
  ])("…%s is refused with %i and WhatsApp's code %i", async (number, status, code) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const answer = await workspace.send(text(`447700900${number}`));
    expect([answer.status, answer.body.error], answer.text).toEqual([status, "CHAT_GRAPH_ERROR"]);
    expect(answer.body.details).toMatchObject({ outcome: "not_sent", platform: { code } });
    const { data } = (await workspace.status(answer.body.details.messageId ?? "")).body;
    expect([data.status, data.chatMessageId]).toEqual(["FAILED", null]);
  });

  test.concurrent.each([
    ["502", "UNKNOWN", []],
    ["299", "READ", ["sent", "delivered", "read"]],
  ])("…%s has an unknown outcome, and ends as %s", async (number, status, words) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const startedAtMs = performance.now();
    const answer = await workspace.send(text(`447700900${number}`), { "Idempotency-Key": "once" });
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
    const messageId = answer.body.details.messageId ?? "";
    expect([answer.status, answer.body.error], answer.text).toEqual([502, "CHAT_GRAPH_ERROR"]);
    expect(answer.body.details).toMatchObject({ outcome: "unknown", retryable: false });
    const replay = await workspace.send(text(`447700900${number}`), { "Idempotency-Key": "once" });
    expect([replay.status, replay.body.data.id, replay.body.data.idempotentReplay]).toEqual([200, messageId, true]);
    await heard(workspace, messageId, words);
    const data = await reaching(workspace, messageId, status);
    expect([data.status, data.chatMessageId !== null]).toEqual([status, status === "READ"]);
  });
});

describe("test numbers that the gateway itself refuses", () => {
  test.concurrent.each<[string, number, string, object]>([
    ["402", 402, "PLAN_LIMIT_EXCEEDED", { limit: 1_000, used: 1_000, retryable: false }],
    ["404", 404, "NOT_FOUND", { field: "contactId", retryable: false }],
    ["409", 409, "IDEMPOTENCY_CONFLICT", { field: "idempotencyKey", reason: "body_mismatch", retryable: false }],
    ["429", 429, "RATE_LIMIT_EXCEEDED", { scope: "key", retryable: true, retryAfterSeconds: 2 }],
    ["430", 429, "RATE_LIMIT_EXCEEDED", { scope: "ip", retryable: true, retryAfterSeconds: 2 }],
    ["431", 400, "PHONE_NUMBER_REQUIRED", { field: "phoneNumberId", retryable: false }],
    ["500", 500, "INTERNAL_ERROR", { retryable: true }],
  ])(
    "…%s is refused with %i %s, which says that it was played and binds nothing",
    async (number, status, code, details) => {
      const workspace = await provisionWorkspace({ mode: "test" });
      const phone = `447700900${number}`;
      const answer = await workspace.send(text(phone), { "Idempotency-Key": "rehearsal" });
      expect([answer.status, answer.body.error], answer.text).toEqual([status, code]);
      expect(answer.body.details).toMatchObject({ ...details, testNumber: phone });
      expect(answer.body.message).toMatch(new RegExp(`Simulated by test number ${phone}\\.$`));
      expect(answer.body.message.length).toBeLessThanOrEqual(280);
      expect(answer.headers.get("Retry-After")).toBe(status === 429 ? "2" : null);
      expectSent(await workspace.send(text(READER), { "Idempotency-Key": "rehearsal" }));
      expect(await messageRows(workspace)).toHaveLength(1);
    },
  );

  test("…431 is sent as soon as the call names a line that the refusal offers", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const refused = await workspace.send(text("447700900431"));
    const offered = refused.body.details.phoneNumbers;
    if (!Array.isArray(offered)) throw new Error(refused.text);
    expectSent(await workspace.send({ ...text("447700900431"), phoneNumberId: offered[0].id }));
  });

  test("what the call itself breaks is reported first", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const answer = await workspace.send({ ...text("447700900500"), content: " " });
    expect([answer.status, answer.body.error]).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("with a live key they are numbers like any other", async () => {
    const workspace = await provisionWorkspace({ mode: "live" });
    expectSent(await workspace.send(text("447700900500")));
  });

  test("…010 stays PENDING for 5 s, as a retry in the meantime reads, and is then sent and delivered", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const first = workspace.send(text("447700900010"), { "Idempotency-Key": "slow" });
    await expect.poll(() => messageRows(workspace), { timeout: 4_000 }).toHaveLength(1);
    const retry = await workspace.send(text("447700900010"), { "Idempotency-Key": "slow" });
    expect([retry.status, retry.body.data.status, retry.body.data.idempotentReplay]).toEqual([200, "PENDING", true]);
    const answer = await first;
    expectSent(answer);
    expect(answer.body.data.id).toBe(retry.body.data.id);
    await reaching(workspace, answer.body.data.id, "DELIVERED");
  });
});

describe("test and live never meet", () => {
  test.each(["test", "live"] as const)("each answer to a %s key names that mode, a refusal too", async (mode) => {
    const workspace = await provisionWorkspace({ mode });
    const answers = [await workspace.send(text()), await workspace.send({}), await workspace.status("msg_unknown")];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 404]);
    expect(answers.map(({ headers }) => headers.get("x-mode"))).toEqual([mode, mode, mode]);
    const stranger = await workspace.call("GET", "/api/v1/public/templates", { key: null });
    expect([stranger.status, stranger.headers.get("x-mode")]).toEqual([401, null]);
    expect([...answers, stranger].map(({ headers }) => headers.get("api-version"))).toEqual(["1", "1", "1", "1"]);
  });
});
