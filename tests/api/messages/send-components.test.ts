import { describe, expect, test } from "vitest";
import { refusesSends } from "../../support/refused-sends";
import { expectError, expectNothingBound, expectSent, PHONE, sentBodies, templateWire } from "../../support/sends";
import { bodyPart, ORDER, text } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const send = (templateComponents: unknown, more: object = {}) => ({
  type: "template",
  phone: PHONE,
  templateName: "order_ready",
  templateLanguage: "en_US",
  templateComponents,
  ...more,
});

/** Nothing of it is checked against the stored template, and its keys stand in no order of ours. */
const GIVEN = [
  {
    parameters: [
      { text: "Ana", type: "text" },
      { type: "currency", currency: { fallback_value: "$1", code: "USD", amount_1000: 1000 } },
    ],
    type: "body",
    zeta: { "2": null, b: [[], {}], a: 0.1 },
  },
  { type: "header", parameters: [{ type: "location", location: { latitude: -0.5, longitude: 1e2, name: "Übersee" } }] },
  {
    type: "limited_time_offer",
    parameters: [{ type: "limited_time_offer", limited_time_offer: { expiration_time_ms: 1789000000000 } }],
  },
  { index: 0, sub_type: "URL", type: "button", parameters: [{ type: "text", text: "a%20b" }] },
  {
    type: "carousel",
    cards: [
      { components: [], card_index: 1 },
      { card_index: 0, components: [bodyPart("x\ny")] },
    ],
  },
  { type: "something_new", anything: true },
];

describe("201", () => {
  test("components pass on unchanged, key order and foreign fields included", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const answer = await workspace.send(send(GIVEN));
    expectSent(answer);
    expect(answer.headers.get("warning")).toBeNull();
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, "order_ready", GIVEN)]);
  });

  test("other fillings beside them have no effect, and a Warning header names each", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const answer = await workspace.send(
      send([bodyPart("Ana", "A-42")], {
        templateVariables: { "1": "other", surplus: "x" },
        bodyParameters: { "2": "other" },
        carousel: { cards: [{ index: 0 }] },
      }),
    );
    expectSent(answer);
    expect(answer.headers.get("warning")).toBe(
      '299 - "templateVariables, bodyParameters, carousel ignored: templateComponents is passed on unchanged"',
    );
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, "order_ready", [bodyPart("Ana", "A-42")])]);
  });
});

describe("400", () => {
  refusesSends(
    [
      [
        "an array of what are no components",
        send(["body", null, {}, { type: "button", parameters: [text("a")] }]),
        {
          "templateComponents[0]": "object",
          "templateComponents[1]": "object",
          "templateComponents[2].type": "string `type`",
          "templateComponents[3].sub_type": "needs `sub_type`",
          "templateComponents[3].index": "the first button is 0",
        },
      ],
    ],
    { templates: [ORDER] },
  );
});

describe("404", () => {
  test("only the exact code of an approved language will do", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    for (const templateLanguage of ["en", "en-US", "EN_US", " en_US"]) {
      expectError(await workspace.send(send([bodyPart("a")], { templateLanguage })), {
        status: 404,
        error: "NOT_FOUND",
        message: expect.stringMatching(/approved in en_US\..*exactly/),
        details: { field: "templateLanguage", retryable: false, approvedLanguages: ["en_US"] },
      });
    }
    await expectNothingBound(workspace);
  });
});
