import { describe, expect, test } from "vitest";
import { expectOnlyReplays, stateOf } from "../../support/platform-answers";
import {
  countMessages,
  expectError,
  expectInvalid,
  expectSent,
  KEY,
  PHONE,
  sentBodies,
  templateWire,
  usedUnits,
} from "../../support/sends";
import { bodyOf, bodyPart, templateRecord } from "../../support/template-records";
import {
  graphError,
  platformRequests,
  provisionWorkspace,
  scriptMessages,
  scriptPlatform,
} from "../../support/workspace";

const HELLO = templateRecord("hello", [bodyOf("Hi {{1}}")]);
const TO_HELLO = { type: "template", phone: PHONE, templateName: "hello" };
const send = (templateVariables: Record<string, string>) => ({ ...TO_HELLO, templateVariables });
const ANA = send({ "1": "Ana" });
const refusal = (code: number) => ({ ...graphError(code, "Refused"), status: code === 132001 ? 404 : 400 });
const refusedBy = (code: number) => ({
  messageId: expect.stringMatching(/^msg_/),
  outcome: "not_sent",
  retryable: false,
  platform: { code, subcode: null, title: "Refused", details: null, fbtraceId: "Atrace" },
});

const world = async (code: number, listed: Parameters<typeof scriptPlatform>[2]) => {
  const workspace = await provisionWorkspace({ templates: [HELLO] });
  await scriptMessages(workspace, [refusal(code)]);
  await scriptPlatform(workspace.whatsappBusinessAccountId, "message_templates", listed);
  return workspace;
};

describe("400", () => {
  test.for([132000, 132012])("%i: the template is read again and the real difference is named", async (code) => {
    const now = { ...HELLO, components: [bodyOf("Hi {{1}}, order {{2}} is ready")] };
    const workspace = await world(code, [{ json: { data: [now] } }]);
    const answer = await workspace.send(ANA, KEY);
    expectError(answer, {
      status: 400,
      error: "CHAT_GRAPH_ERROR",
      message: expect.stringMatching(/changed on WhatsApp.*`templateVariables\.2` is required.*order \{\{2\}\}/),
      details: {
        field: "templateVariables.2",
        issues: [{ path: "templateVariables.2", message: expect.stringContaining("is required") }],
        ...refusedBy(code),
      },
    });
    const [list, ...more] = await platformRequests(workspace.whatsappBusinessAccountId, "message_templates");
    expect(more).toEqual([]);
    expect(list?.path).toContain("name=hello");
    expect(await usedUnits(workspace)).toBe(0);
    await expectOnlyReplays(workspace, answer, { status: "FAILED", reason: `${code}: Refused`, body: ANA });

    expectInvalid(await workspace.send(ANA), { "templateVariables.2": "is required" });
    const mended = await workspace.send(send({ "1": "Ana", "2": "A-42" }));
    expectSent(mended);
    expect((await sentBodies(workspace)).at(-1)).toBe(templateWire(mended, "hello", [bodyPart("Ana", "A-42")]));
  });

  test.for<[string, Parameters<typeof scriptPlatform>[2]]>([
    ["the copy is right", [{ json: { data: [HELLO] } }]],
    ["the list cannot be read", [{ status: 500, text: "<html>" }]],
    ["the list hangs", [{ delayMs: 3_000 }]],
  ])("132000 where %s: WhatsApp's own words", async ([, listed]) => {
    const workspace = await world(132000, listed);
    const answer = await workspace.send(ANA, KEY);
    expectError(answer, {
      status: 400,
      error: "CHAT_GRAPH_ERROR",
      message: expect.stringContaining("WhatsApp refused this message: 132000: Refused."),
      details: refusedBy(132000),
    });
    expectSent(await workspace.send(ANA));
  });

  test("132000 for the caller's own components: WhatsApp's words, and nothing is guessed", async () => {
    const workspace = await world(132000, [{ json: { data: [HELLO] } }]);
    const answer = await workspace.send({ ...ANA, templateVariables: null, templateComponents: [] });
    expect([answer.status, answer.body.error]).toEqual([400, "CHAT_GRAPH_ERROR"]);
    expect(answer.body.details.issues).toBeUndefined();
  });

  test.for([
    [132001, "PAUSED"],
    [132016, "DISABLED"],
  ] as const)("%i is TEMPLATE_NOT_APPROVED, and from then on WhatsApp is not asked", async ([code, status]) => {
    const workspace = await world(code, [{ json: { data: [{ ...HELLO, status }] } }]);
    const answer = await workspace.send(ANA, KEY);
    expectError(answer, {
      status: 400,
      error: "TEMPLATE_NOT_APPROVED",
      message: expect.stringMatching(/"hello" \(en_US\).*Refused/),
      details: {
        field: "templateName",
        ...refusedBy(code),
      },
    });
    expect(await stateOf(workspace, answer.body.details.messageId)).toEqual([200, "FAILED", `${code}: Refused`, null]);
    expect(await usedUnits(workspace)).toBe(0);
    await expectOnlyReplays(workspace, answer, { status: "FAILED", reason: `${code}: Refused`, body: ANA });

    const again = await workspace.send(ANA);
    expectError(again, {
      status: 400,
      error: "TEMPLATE_NOT_APPROVED",
      message: expect.stringContaining(`en_US is ${status}`),
      details: { field: "templateName", retryable: false },
    });
    expect(await sentBodies(workspace)).toHaveLength(1);
    expect(await countMessages(workspace)).toBe(1);
  });

  test("a template that WhatsApp no longer lists cannot be sent again", async () => {
    const workspace = await world(132001, [{ json: { data: [] } }]);
    expect((await workspace.send(ANA)).body.error).toBe("TEMPLATE_NOT_APPROVED");
    const again = await workspace.send(ANA);
    expect([again.status, again.body.error]).toEqual([400, "TEMPLATE_NOT_APPROVED"]);
    expect(again.body.message).toContain("en_US is DELETED");
    expect(await sentBodies(workspace)).toHaveLength(1);
    const list = await workspace.call("GET", "/api/v1/public/templates");
    expect(list.body.data.templates).toEqual([]);
  });

  test("a list that cannot be read takes nothing away", async () => {
    const workspace = await world(132001, [{ json: { data: [{ id: "5", name: "hello" }] } }]);
    expect((await workspace.send(ANA)).body.error).toBe("TEMPLATE_NOT_APPROVED");
    expectSent(await workspace.send(ANA));
  });
});
