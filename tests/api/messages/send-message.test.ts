import { describe, expect, test } from "vitest";
import {
  countMessages,
  expectInvalid,
  expectNothingBound,
  expectSent,
  PHONE,
  sentBodies,
  wire,
} from "../../support/sends";
import { platformRequests, provisionWorkspace } from "../../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Your order is ready." };

describe("201", () => {
  test("a text reaches WhatsApp to the byte, once, with the line's own token", async () => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send({ ...TEXT, content: 'Grüße 👋\n"two"\\lines' });
    expectSent(answer);
    const [sent, ...more] = await platformRequests(workspace.whatsappPhoneNumberId);
    expect(more).toEqual([]);
    expect(sent?.method).toBe("POST");
    expect(sent?.path).toBe(`/v25.0/${workspace.whatsappPhoneNumberId}/messages`);
    expect(sent?.headers).toMatchObject({
      authorization: expect.stringMatching(/^Bearer EAA/),
      "content-type": "application/json",
    });
    expect(sent?.body).toBe(
      `{"messaging_product":"whatsapp","recipient_type":"individual","to":"+447700900123","type":"text","text":{"preview_url":false,"body":"Grüße 👋\\n\\"two\\"\\\\lines"},"biz_opaque_callback_data":"${answer.body.data.id}"}`,
    );
  });

  test("4,096 characters pass, counted as code points, and go out as one message", async () => {
    const workspace = await provisionWorkspace();
    const content = "👋".repeat(4_096);
    const answer = await workspace.send({ ...TEXT, content });
    expectSent(answer);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      wire(answer, { type: "text", text: { preview_url: false, body: content } }),
    ]);
  });

  test("white space around a text is the caller's own and stays", async () => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send({ ...TEXT, content: "  a \n" });
    expectSent(answer);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      wire(answer, { type: "text", text: { preview_url: false, body: "  a \n" } }),
    ]);
  });

  test("null stands for an absent field, of any type", async () => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send({
      ...TEXT,
      contactId: null,
      phoneNumberId: null,
      templateName: null,
      templateLanguage: null,
      templateVariables: null,
      templateComponents: null,
      bodyParameters: null,
      carousel: null,
      idempotencyKey: null,
      revalidateFlowSession: null,
    });
    expectSent(answer);
  });

  test("the same text twice without a key is two messages", async () => {
    const workspace = await provisionWorkspace();
    const answers = [await workspace.send(TEXT), await workspace.send(TEXT)];
    answers.forEach(expectSent);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(2);
    expect(await countMessages(workspace)).toBe(2);
  });
});

describe("400", () => {
  const refused: [title: string, body: unknown, faults: Record<string, string | RegExp>][] = [
    ["an empty object", {}, { type: "is required", phone: "is required" }],
    ["a list", [], { "": "must be a JSON object" }],
    ["a string", "hello", { "": "must be a JSON object" }],
    ["null", null, { "": "must be a JSON object" }],
    ["an unknown type", { ...TEXT, type: "image" }, { type: '"text", "template" or "interactive"' }],
    ["a type in capitals", { ...TEXT, type: "TEXT" }, { type: '"text", "template" or "interactive"' }],
    ["a text without content", { type: "text", phone: PHONE }, { content: "is required" }],
    ["an empty text", { ...TEXT, content: "" }, { content: /blank|empty/ }],
    ["a blank text", { ...TEXT, content: " \n\t\u00a0" }, { content: /blank|empty/ }],
    ["a text of 4,097 characters", { ...TEXT, content: "a".repeat(4_097) }, { content: /4,?097.*4,?096/ }],
    ["a number as text", { ...TEXT, content: 5 }, { content: "must be a string" }],
    ["an object as text", { ...TEXT, content: { body: "Hi" } }, { content: "must be the text itself" }],
    ["half a surrogate pair", { ...TEXT, content: "a\ud83d" }, { content: "surrogate" }],
    ["a NUL", { ...TEXT, content: "a\0b" }, { content: "NUL" }],
    ["an empty contactId", { type: "text", contactId: "", content: "a" }, { contactId: "is empty" }],
    ["a number as phoneNumberId", { ...TEXT, phoneNumberId: 106 }, { phoneNumberId: "must be a string" }],
    ["a string as flag", { ...TEXT, revalidateFlowSession: "true" }, { revalidateFlowSession: "must be a boolean" }],
    ["a misspelt field", { ...TEXT, phoneNumberID: "pn_1" }, { phoneNumberID: "Did you mean `phoneNumberId`?" }],
    ["WhatsApp's own field", { ...TEXT, messaging_product: "whatsapp" }, { messaging_product: "Remove it" }],
    ["prototype names", { ...TEXT, constructor: "a", toString: "b" }, { constructor: "field", toString: "field" }],
    [
      "fields of another type",
      { ...TEXT, templateName: "a", carousel: { cards: [] } },
      { templateName: 'type "text"', carousel: 'type "text"' },
    ],
    [
      "every fault at once",
      { type: "text", phone: "0123", content: "", phoneNumberId: 1, surprise: true },
      { phone: "country code", content: /blank|empty/, phoneNumberId: "string", surprise: "not a field" },
    ],
  ];

  test.for(refused)("%s is refused, naming each fault, and nothing leaves", async ([, body, faults]) => {
    const workspace = await provisionWorkspace();
    expectInvalid(await workspace.send(body), faults);
    await expectNothingBound(workspace);
  });

  test("a refused request leaves its idempotency key free", async () => {
    const workspace = await provisionWorkspace();
    const headers = { "Idempotency-Key": "order-1" };
    expectInvalid(await workspace.send({ ...TEXT, content: "" }, headers), { content: /blank|empty/ });
    await expectNothingBound(workspace);
    expectSent(await workspace.send(TEXT, headers));
  });
});
