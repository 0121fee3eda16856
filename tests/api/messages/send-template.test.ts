import { describe, expect, test } from "vitest";
import { expectSent, PHONE, sentBodies, templateWire } from "../../support/sends";
import { bodyOf, bodyPart, buttonsOf, ORDER, templateRecord, urlButton, urlPart } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const named = (name: string, value: string) => ({ type: "text", parameter_name: name, text: value });
type Filled = [title: string, template: Record<string, unknown>, fields: object, components: unknown[] | undefined];

const FILLED: Filled[] = [
  [
    "key 1 is shared by the body and the URL button, which counts from 0 among all buttons",
    ORDER,
    { templateVariables: { "2": "A-42", "1": "Ana" } },
    [bodyPart("Ana", "A-42"), urlPart(1, "Ana")],
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
    "no variables at all, said with {}",
    templateRecord("hello", [bodyOf("Hello")]),
    { templateVariables: {} },
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
    ["a bare code for its one region", [plain("en_US"), plain("de")], "en", "en_US"],
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
