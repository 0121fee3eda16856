import { describe, expect, test } from "vitest";
import { expectError, expectInvalid, expectNothingBound, expectSent, PHONE } from "../../support/sends";
import { bodyOf, buttonsOf, ORDER, templateRecord } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const send = (templateName: string, more: object) => ({ type: "template", phone: PHONE, templateName, ...more });
const plain = (language: string, status = "APPROVED") =>
  templateRecord("hello", [bodyOf("Hello")], { language, status });
const COUPON = templateRecord("coupon", [bodyOf("Save"), buttonsOf({ type: "COPY_CODE", text: "Copy", example: "S" })]);
const OTP = templateRecord("otp", [bodyOf("{{1}} is your code."), buttonsOf({ type: "OTP", otp_type: "COPY_CODE" })], {
  category: "AUTHENTICATION",
});
const NAMED = templateRecord("named", [bodyOf("Hi {{first_name}}")], { parameter_format: "NAMED" });
const long = (characters: number) => "a".repeat(characters);

describe("400", () => {
  const refused: [
    title: string,
    template: Record<string, unknown>,
    fields: object,
    faults: Record<string, string | RegExp>,
  ][] = [
    ["none of the four fillings", ORDER, {}, { templateVariables: "is required" }],
    [
      "null for all four fillings",
      ORDER,
      { templateVariables: null, carousel: null },
      { templateVariables: "is required" },
    ],
    [
      "missing and surplus variables together, with the template's own words",
      ORDER,
      { templateVariables: { "3": "x", name: "Ana", c0_1: "y" } },
      {
        "templateVariables.1": /is required.*Hi \{\{1\}\}.*https:\/\/shop\.example/,
        "templateVariables.2": /is required.*order \{\{2\}\}/,
        "templateVariables.3": "Its variables are 1, 2",
        "templateVariables.name": "Its variables are 1, 2",
        "templateVariables.c0_1": "no cards",
      },
    ],
    [
      "a URL button that bodyParameters cannot reach",
      ORDER,
      { bodyParameters: { "1": "Ana", "2": "A-42" } },
      { "templateVariables.1": "reaches the main body only" },
    ],
    [
      "a surplus body parameter",
      ORDER,
      { templateVariables: { "1": "a", "2": "b" }, bodyParameters: { "3": "c" } },
      { "bodyParameters.3": "no {{3}}" },
    ],
    [
      "every value over 160 characters, with its length",
      ORDER,
      { templateVariables: { "1": long(161), "2": long(200) } },
      { "templateVariables.1": "161 characters, the limit is 160", "templateVariables.2": "200 characters" },
    ],
    ["a line break", ORDER, { templateVariables: { "1": "a\nb", "2": "b" } }, { "templateVariables.1": "line break" }],
    ["a tab", ORDER, { templateVariables: { "1": "a\tb", "2": "b" } }, { "templateVariables.1": "tab" }],
    [
      "five spaces",
      ORDER,
      { templateVariables: { "1": "a", "2": "b     c" } },
      { "templateVariables.2": "four spaces" },
    ],
    [
      "an empty value",
      ORDER,
      { templateVariables: { "1": "", "2": " " } },
      { "templateVariables.1": "empty", "templateVariables.2": "empty" },
    ],
    [
      "a number as value",
      ORDER,
      { templateVariables: { "1": 5, "2": "b" } },
      { "templateVariables.1": "must be a string" },
    ],
    ["a list of values", ORDER, { templateVariables: ["a", "b"] }, { templateVariables: "must be an object" }],
    [
      "a full URL as suffix",
      ORDER,
      { templateVariables: { "1": "https://shop.example/o/42", "2": "b" } },
      { "templateVariables.1": /only the suffix, "42"/ },
    ],
    [
      "a full URL without its scheme",
      ORDER,
      { templateVariables: { "1": "shop.example/o/42", "2": "b" } },
      { "templateVariables.1": /only the suffix, "42"/ },
    ],
    [
      "a copy code of 16",
      COUPON,
      { templateVariables: { copy_code: long(16) } },
      { "templateVariables.copy_code": "limit is 15" },
    ],
    ["a copy code left out", COUPON, { templateVariables: {} }, { "templateVariables.copy_code": "is required" }],
    ["a one-time code of 16", OTP, { templateVariables: { "1": long(16) } }, { "templateVariables.1": "limit is 15" }],
    [
      "a number for a named parameter",
      NAMED,
      { templateVariables: { "1": "Ana" } },
      { "templateVariables.first_name": "is required", "templateVariables.1": "Its variables are first_name" },
    ],
    [
      "a carousel for a plain template",
      COUPON,
      { templateVariables: { copy_code: "A" }, carousel: { cards: [{ index: 0 }] } },
      { carousel: "no cards" },
    ],
    [
      "a header that strings cannot fill",
      templateRecord("where", [{ type: "HEADER", format: "LOCATION" }, bodyOf("Here")]),
      { templateVariables: {} },
      { templateComponents: "LOCATION" },
    ],
    [
      "an offer that expires",
      templateRecord("offer", [
        bodyOf("Now"),
        { type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: true } },
      ]),
      { templateVariables: {} },
      { templateComponents: "limited-time offer" },
    ],
    [
      "a body over 1,024 with its values",
      templateRecord("epic", [bodyOf(`${long(1_000)} {{1}}`)]),
      { templateVariables: { "1": long(100) } },
      { "templateVariables.1": "1101 characters" },
    ],
  ];

  test.for(refused)("%s", async ([, template, fields, faults]) => {
    const workspace = await provisionWorkspace({ templates: [template] });
    expectInvalid(await workspace.send(send(String(template.name), fields)), faults);
    await expectNothingBound(workspace);
  });

  test("no name, and a name over 512 characters", async () => {
    const workspace = await provisionWorkspace();
    expectInvalid(await workspace.send({ type: "template", phone: PHONE, templateVariables: {} }), {
      templateName: "is required",
    });
    expectInvalid(await workspace.send(send(long(513), { templateVariables: {} })), { templateName: "512" });
    await expectNothingBound(workspace);
  });

  test.for([
    ["none given", null, [plain("en_US"), plain("de")]],
    ["a base of two regions", "en", [plain("en_US"), plain("en_GB"), plain("de")]],
  ] as const)("a language that may mean several lists them: %s", async ([, templateLanguage, templates]) => {
    const workspace = await provisionWorkspace({ templates: [...templates] });
    const answer = await workspace.send(send("hello", { templateLanguage, templateVariables: {} }));
    expectInvalid(answer, { templateLanguage: templateLanguage ? /en_US, en_GB|en_GB, en_US/ : /en_US.*de|de.*en_US/ });
    await expectNothingBound(workspace);
  });

  test.for(["PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "PENDING_DELETION"])(
    "a template that is %s is TEMPLATE_NOT_APPROVED, whatever fills it",
    async (status) => {
      const workspace = await provisionWorkspace({ templates: [plain("en_US", status)] });
      for (const filling of [
        { templateVariables: {} },
        { templateComponents: [] },
        { templateVariables: {}, templateLanguage: "en" },
      ]) {
        if ("templateComponents" in filling) Object.assign(filling, { templateLanguage: "en_US" });
        expectError(await workspace.send(send("hello", filling)), {
          status: 400,
          error: "TEMPLATE_NOT_APPROVED",
          message: expect.stringContaining(`en_US is ${status}`),
          details: { field: "templateName", retryable: false },
        });
      }
      await expectNothingBound(workspace);
    },
  );

  test("a language that is asked for and not approved is not replaced by another", async () => {
    const workspace = await provisionWorkspace({ templates: [plain("en_US", "PAUSED"), plain("en"), plain("de")] });
    const answer = await workspace.send(send("hello", { templateLanguage: "en_US", templateVariables: {} }));
    expect([answer.status, answer.body.error]).toEqual([400, "TEMPLATE_NOT_APPROVED"]);
    await expectNothingBound(workspace);
  });
});

describe("404", () => {
  test("a misspelt name asks for the one that was meant", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    expectError(await workspace.send(send("order_raedy", { templateVariables: {} })), {
      status: 404,
      error: "NOT_FOUND",
      message: expect.stringMatching(
        /^No template "order_raedy" for this line\. Did you mean "order_ready"\? New at WhatsApp\? .*Sync now/,
      ),
      details: { field: "templateName", retryable: false },
    });
    await expectNothingBound(workspace);
  });

  test("a name in capitals is another name", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const answer = await workspace.send(send("ORDER_READY", { templateVariables: { "1": "a", "2": "b" } }));
    expect([answer.status, answer.body.details.field]).toEqual([404, "templateName"]);
    expect(answer.body.message).toContain('"order_ready"');
    await expectNothingBound(workspace);
  });

  test("a language that the template does not have lists those it is approved in", async () => {
    const workspace = await provisionWorkspace({ templates: [plain("en_US"), plain("de"), plain("es", "REJECTED")] });
    expectError(await workspace.send(send("hello", { templateLanguage: "fr", templateVariables: {} })), {
      status: 404,
      error: "NOT_FOUND",
      message: expect.stringMatching(/no language "fr"; it is approved in (en_US, de|de, en_US)\./),
      details: {
        field: "templateLanguage",
        retryable: false,
        approvedLanguages: expect.toSatisfy((codes: string[]) => codes.sort().join() === "de,en_US"),
      },
    });
    await expectNothingBound(workspace);
  });

  test("a template is found through a line of its own business account only", async () => {
    const workspace = await provisionWorkspace({
      lines: [{ ref: "home" }, { ref: "away", whatsappBusinessAccountId: "102299990001" }],
      templates: [plain("en_US")],
    });
    const hello = send("hello", { templateVariables: {} });
    expectError(await workspace.send({ ...hello, phoneNumberId: workspace.lines.away?.id }), {
      status: 404,
      error: "NOT_FOUND",
      message: expect.stringContaining('No template "hello" for this line.'),
      details: { field: "templateName", retryable: false },
    });
    await expectNothingBound(workspace);
    expectSent(await workspace.send({ ...hello, phoneNumberId: workspace.lines.home?.id }));
  });

  test("another workspace's template does not exist, not even as a near name", async () => {
    const [workspace, other] = await Promise.all([provisionWorkspace(), provisionWorkspace({ templates: [ORDER] })]);
    const answer = await workspace.send(send("order_ready", { templateVariables: { "1": "a", "2": "b" } }));
    expect([answer.status, answer.body.error]).toEqual([404, "NOT_FOUND"]);
    expect(answer.body.message).not.toContain("Did you mean");
    await expectNothingBound(workspace);
    await expectNothingBound(other);
  });
});
