import { describe, expect, test } from "vitest";
import { refusesSends } from "../../support/refused-sends";
import { expectError, expectNothingBound, expectSent, PHONE } from "../../support/sends";
import { bodyOf, ORDER, templateRecord } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const send = (templateName: string, more: object) => ({ type: "template", phone: PHONE, templateName, ...more });
const plain = (language: string, status = "APPROVED") =>
  templateRecord("hello", [bodyOf("Hello")], { language, status });

describe("400", () => {
  const order = (fields: object) => send("order_ready", fields);

  refusesSends(
    [
      [
        "none of the four fillings",
        order({ templateVariables: null, carousel: null }),
        { templateVariables: "is required" },
      ],
      [
        "missing and surplus variables together, with the template's own words",
        order({ templateVariables: { "3": "x", name: "Ana", c0_1: "y" } }),
        {
          "templateVariables.1": /is required.*Hi \{\{1\}\}.*https:\/\/shop\.example/,
          "templateVariables.2": /is required.*order \{\{2\}\}/,
          "templateVariables.3": "Its variables are 1, 2",
          "templateVariables.name": "Its variables are 1, 2",
          "templateVariables.c0_1": "no cards",
        },
      ],
      [
        "a header that strings cannot fill",
        send("where", { templateVariables: {} }),
        { templateComponents: "LOCATION" },
      ],
    ],
    {
      templates: [ORDER, templateRecord("where", [{ type: "HEADER", format: "LOCATION" }, bodyOf("Here")])],
    },
  );

  test("a template that is not approved is TEMPLATE_NOT_APPROVED, whatever fills it", async () => {
    const workspace = await provisionWorkspace({ templates: [plain("en_US", "PAUSED")] });
    for (const filling of [
      { templateVariables: {} },
      { templateComponents: [], templateLanguage: "en_US" },
      { templateVariables: {}, templateLanguage: "en" },
    ]) {
      expectError(await workspace.send(send("hello", filling)), {
        status: 400,
        error: "TEMPLATE_NOT_APPROVED",
        message: expect.stringContaining("en_US is PAUSED"),
        details: { field: "templateName", retryable: false },
      });
    }
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
