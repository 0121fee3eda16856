import { describe, expect, test } from "vitest";
import { expectSent, PHONE, sentBodies, templateWire } from "../../support/sends";
import {
  bodyOf,
  bodyPart,
  buttonsOf,
  ORDER,
  templateRecord,
  text,
  urlButton,
  urlPart,
} from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const button = (sub_type: string, index: number, parameter: object) => ({
  type: "button",
  sub_type,
  index: `${index}`,
  parameters: [parameter],
});
const named = (name: string, value: string) => ({ type: "text", parameter_name: name, text: value });
const LONG_BODY = Array.from({ length: 11 }, (_, index) => `{{${index + 1}}}`).join(" and ");
const elevenValues = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`${index + 1}`, `v${index + 1}`]));

type Filled = [title: string, template: Record<string, unknown>, fields: object, components: unknown[] | undefined];

const FILLED: Filled[] = [
  [
    "key 1 is shared by the body and the URL button, which counts from 0 among all buttons",
    ORDER,
    { templateVariables: { "2": "A-42", "1": "Ana" } },
    [bodyPart("Ana", "A-42"), urlPart(1, "Ana")],
  ],
  [
    "eleven slots go by number, not by spelling",
    templateRecord("eleven", [bodyOf(LONG_BODY)]),
    { templateVariables: elevenValues },
    [bodyPart(...Object.values(elevenValues))],
  ],
  [
    "slots that stand in another order go by number, a repeated one once",
    templateRecord("crossed", [bodyOf("{{2}} before {{1}}, then {{2}}")]),
    { templateVariables: { "1": "one", "2": "two" } },
    [bodyPart("one", "two")],
  ],
  [
    "160 characters of any plane pass",
    ORDER,
    { templateVariables: { "1": "👋".repeat(160), "2": " x    y " } },
    [bodyPart("👋".repeat(160), " x    y "), urlPart(1, "👋".repeat(160))],
  ],
  [
    "bodyParameters win over templateVariables, in the body only",
    ORDER,
    { templateVariables: { "1": "suffix", "2": "two" }, bodyParameters: { "1": "Ana" } },
    [bodyPart("Ana", "two"), urlPart(1, "suffix")],
  ],
  [
    "bodyParameters alone fill a body",
    templateRecord("plain", [bodyOf("Hi {{1}}")]),
    { bodyParameters: { "1": "Ana" } },
    [bodyPart("Ana")],
  ],
  [
    "a value that looks like a placeholder is a value",
    templateRecord("plain", [bodyOf("Hi {{1}} {{2}}")]),
    { templateVariables: { "1": "{{2}}", "2": "$&" } },
    [bodyPart("{{2}}", "$&")],
  ],
  [
    "the text of a header takes key 1",
    templateRecord("headed", [{ type: "HEADER", format: "TEXT", text: "For {{1}}" }, bodyOf("Hi {{1}}")]),
    { templateVariables: { "1": "Ana" } },
    [{ type: "header", parameters: [text("Ana")] }, bodyPart("Ana")],
  ],
  [
    "named parameters take their own names",
    templateRecord(
      "named",
      [bodyOf("Hi {{first_name}}, {{order}} is ready"), buttonsOf(urlButton("https://a.example/{{1}}"))],
      {
        parameter_format: "NAMED",
      },
    ),
    { templateVariables: { order: "A-42", first_name: "Ana", "1": "t/42" } },
    [{ type: "body", parameters: [named("first_name", "Ana"), named("order", "A-42")] }, urlPart(0, "t/42")],
  ],
  [
    "a copy code",
    templateRecord("coupon", [bodyOf("Save {{1}}"), buttonsOf({ type: "COPY_CODE", text: "Copy", example: "SAVE10" })]),
    { templateVariables: { "1": "10 %", copy_code: "SUMMER-25-ABCDE" } },
    [bodyPart("10 %"), button("copy_code", 0, { type: "coupon_code", coupon_code: "SUMMER-25-ABCDE" })],
  ],
  [
    "a catalog button with a product",
    templateRecord("catalog", [bodyOf("Look"), buttonsOf({ type: "CATALOG", text: "View" })]),
    { templateVariables: { catalog_product_retailer_id: "sku-1" } },
    [button("catalog", 0, { type: "action", action: { thumbnail_product_retailer_id: "sku-1" } })],
  ],
  [
    "a catalog button without one",
    templateRecord("catalog", [bodyOf("Look"), buttonsOf({ type: "CATALOG", text: "View" })]),
    { templateVariables: {} },
    undefined,
  ],
  [
    "a multi-product button",
    templateRecord("products", [bodyOf("Look"), buttonsOf({ type: "MPM", text: "View" })]),
    { templateVariables: { catalog_product_retailer_id: "sku-1" } },
    [
      button("mpm", 0, {
        type: "action",
        action: {
          thumbnail_product_retailer_id: "sku-1",
          sections: [{ title: "Items", product_items: [{ product_retailer_id: "sku-1" }] }],
        },
      }),
    ],
  ],
  [
    "static buttons take nothing",
    templateRecord("static", [
      bodyOf("Hello"),
      { type: "FOOTER", text: "Bye" },
      buttonsOf(
        { type: "QUICK_REPLY", text: "Stop" },
        { type: "URL", text: "Open", url: "https://shop.example/all" },
        { type: "PHONE_NUMBER", text: "Call", phone_number: "+442079460123" },
      ),
    ]),
    { templateVariables: {} },
    undefined,
  ],
  [
    "a one-time code goes to the body and to its button",
    templateRecord(
      "otp",
      [bodyOf("{{1}} is your code."), buttonsOf({ type: "OTP", otp_type: "COPY_CODE", text: "Copy" })],
      {
        category: "AUTHENTICATION",
      },
    ),
    { templateVariables: { "1": "482913" } },
    [bodyPart("482913"), urlPart(0, "482913")],
  ],
  [
    "a one-time code's button as WhatsApp lists it",
    templateRecord(
      "otp",
      [
        bodyOf("*{{1}}* is your code."),
        buttonsOf({
          type: "URL",
          text: "Copy",
          url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
        }),
      ],
      { category: "AUTHENTICATION" },
    ),
    { templateVariables: { "1": "482913" } },
    [bodyPart("482913"), urlPart(0, "482913")],
  ],
  [
    "a flow button carries WhatsApp's own default token",
    templateRecord("booking", [bodyOf("Book now"), buttonsOf({ type: "FLOW", text: "Book", flow_id: "42" })]),
    { templateVariables: {} },
    [button("flow", 0, { type: "action", action: { flow_token: "unused" } })],
  ],
  [
    "a suffix is sent as given, percent signs and question marks included",
    templateRecord("link", [bodyOf("Hi"), buttonsOf(urlButton("https://shop.example/{{1}}"))]),
    { templateVariables: { "1": "a%20b?c=d&e=ü#f" } },
    [urlPart(0, "a%20b?c=d&e=ü#f")],
  ],
  [
    "no variables at all, said with {}",
    templateRecord("hello", [bodyOf("Hello")]),
    { templateVariables: {} },
    undefined,
  ],
  [
    "no variables, said with bodyParameters {}",
    templateRecord("hello", [bodyOf("Hello")]),
    { bodyParameters: {} },
    undefined,
  ],
  [
    "no cards, said with carousel.cards []",
    templateRecord("hello", [bodyOf("Hello")]),
    { carousel: { cards: [] } },
    undefined,
  ],
];

describe("201", () => {
  test.for(FILLED)("%s", async ([, template, fields, components]) => {
    const workspace = await provisionWorkspace({ templates: [template] });
    const answer = await workspace.send({ type: "template", phone: PHONE, templateName: template.name, ...fields });
    expectSent(answer);
    expect(answer.headers.get("warning")).toBeNull();
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      templateWire(answer, String(template.name), components),
    ]);
  });

  const plain = (language: string, status = "APPROVED") =>
    templateRecord("hello", [bodyOf("Hello")], { language, status });
  const languages: [title: string, stored: Record<string, unknown>[], given: string | null, sent: string][] = [
    ["exact among several", [plain("en"), plain("en_US"), plain("en_GB")], "en_GB", "en_GB"],
    ["the bare code itself", [plain("en"), plain("en_US")], "en", "en"],
    ["a bare code for its one region", [plain("en_US"), plain("de")], "en", "en_US"],
    ["a region for the bare code", [plain("en"), plain("de")], "en_US", "en"],
    ["another spelling", [plain("pt_BR"), plain("pt_PT")], "pt-br", "pt_BR"],
    ["a bare code for its one approved region", [plain("en_US"), plain("en_GB", "REJECTED")], "en", "en_US"],
    ["none given, one approved", [plain("de"), plain("en", "PENDING")], null, "de"],
  ];

  test.for(languages)("language: %s", async ([, templates, templateLanguage, sent]) => {
    const workspace = await provisionWorkspace({ templates });
    const answer = await workspace.send({
      type: "template",
      phone: PHONE,
      templateName: "hello",
      templateLanguage,
      templateVariables: {},
    });
    expectSent(answer);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([templateWire(answer, "hello", undefined, sent)]);
  });
});
