import { describe, expect } from "vitest";
import { refusesSends } from "../../support/refused-sends";
import { countMessages, expectSent, PHONE, sentBodies, wire } from "../../support/sends";
import { test } from "../../support/test";
import { platformRequests, provisionWorkspace } from "../../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Your order is ready." };

describe("201", () => {
  test("a text reaches WhatsApp to the byte, once, with the line's own token", async ({ workspace }) => {
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

  test("4,096 characters pass, counted as code points, and go out as one message with the white space around them", async () => {
    const workspace = await provisionWorkspace();
    const content = ` ${"👋".repeat(4_094)}\n`;
    const answer = await workspace.send({ ...TEXT, content });
    expectSent(answer);
    expect(await sentBodies(workspace)).toEqual([
      wire(answer, { type: "text", text: { preview_url: false, body: content } }),
    ]);
  });

  test("null stands for an absent field, of any type", async ({ workspace }) => {
    const absent = [
      ...["contactId", "phoneNumberId", "templateName", "templateLanguage", "templateVariables", "templateComponents"],
      ...["bodyParameters", "carousel", "idempotencyKey", "revalidateFlowSession"],
    ];
    expectSent(await workspace.send({ ...TEXT, ...Object.fromEntries(absent.map((name) => [name, null])) }));
  });

  test("the same text twice without a key is two messages", async ({ workspace }) => {
    const answers = [await workspace.send(TEXT), await workspace.send(TEXT)];
    answers.forEach(expectSent);
    expect(await sentBodies(workspace)).toHaveLength(2);
    expect(await countMessages(workspace)).toBe(2);
  });
});

describe("400", () => {
  refusesSends([
    ["a list", [], { "": "must be a JSON object" }],
    ["an unknown type", { ...TEXT, type: "TEXT" }, { type: '"text", "template" or "interactive"' }],
    ["a blank text", { ...TEXT, content: " \n\t\u00a0" }, { content: /blank|empty/ }],
    ["a text of 4,097 characters", { ...TEXT, content: "👋".repeat(4_097) }, { content: /4,?097.*4,?096/ }],
    ["an object as text", { ...TEXT, content: { body: "Hi" } }, { content: "must be the text itself" }],
    ["half a surrogate pair", { ...TEXT, content: "a\ud83d" }, { content: "surrogate" }],
    ["a NUL", { ...TEXT, content: "a\0b" }, { content: "NUL" }],
    ["WhatsApp's own field", { ...TEXT, messaging_product: "whatsapp" }, { messaging_product: "Remove it" }],
    ["prototype names", { ...TEXT, constructor: "a", toString: "b" }, { constructor: "field", toString: "field" }],
    [
      "every fault at once",
      {
        type: "text",
        phone: "0123",
        contactId: "",
        content: "",
        phoneNumberID: "pn_1",
        phoneNumberId: 1,
        revalidateFlowSession: "true",
        carousel: { cards: [] },
        idempotencyKey: "k".repeat(256),
        surprise: true,
      },
      {
        phone: "country code",
        contactId: "is empty",
        content: /blank|empty/,
        phoneNumberID: "Did you mean `phoneNumberId`?",
        phoneNumberId: "must be a string",
        revalidateFlowSession: "must be a boolean",
        carousel: 'type "text"',
        idempotencyKey: "has 256 characters, limit 255",
        surprise: "not a field",
      },
    ],
  ]);
});
