import { randomInt } from "node:crypto";
import { describe, expect } from "vitest";
import { refusesSends } from "../../support/refused-sends";
import { sql } from "../../support/rows";
import {
  callsOf,
  countMessages,
  expectError,
  expectNothingBound,
  expectSent,
  KEY,
  PHONE,
  TEXT,
} from "../../support/sends";
import { bodyOf, templateRecord } from "../../support/template-records";
import { testIn } from "../../support/test";
import { accountWebhook } from "../../support/webhooks";
import { deliver, type TestWorkspace } from "../../support/workspace";

const test = testIn({ templates: [templateRecord("ready", [bodyOf("Your order is ready.")])] });
const READY = { type: "template", phone: PHONE, templateName: "ready", templateVariables: {} };
const EXPECTS = { ...READY, expectCategory: "UTILITY" };

/** As WhatsApp announces it. */
const recategorize = async (workspace: TestWorkspace): Promise<void> => {
  const seconds = Math.floor(Date.now() / 1_000) + randomInt(10);
  const value = {
    message_template_name: "ready",
    message_template_language: "en_US",
    previous_category: "UTILITY",
    new_category: "MARKETING",
  };
  await deliver(accountWebhook(workspace, "template_category_update", value, seconds));
};

describe("201", () => {
  test("a template in the expected category is sent, and WhatsApp is not sent the expectation", async ({
    workspace,
  }) => {
    expectSent(await workspace.send(EXPECTS));
    const [call] = await callsOf(workspace);
    expect(call?.body).not.toContain("expectCategory");
  });

  test("a recategorized template is sent to those who accept the new category, or name none", async ({ workspace }) => {
    await recategorize(workspace);
    expectSent(await workspace.send({ ...READY, expectCategory: "MARKETING" }));
    expectSent(await workspace.send({ ...READY, expectCategory: null }));
    expectSent(await workspace.send(READY));
  });
});

describe("200: a repeat", () => {
  test("of a message that was sent before the change returns it, and sends nothing", async ({ workspace }) => {
    const first = await workspace.send(EXPECTS, KEY);
    expectSent(first);
    await recategorize(workspace);
    const again = await workspace.send(EXPECTS, KEY);
    expect(again.status, again.text).toBe(200);
    expect(again.body.data).toEqual({ ...first.body.data, idempotentReplay: true });
    expect(await callsOf(workspace)).toHaveLength(1);
  });
});

describe("400", () => {
  test("a recategorized template is refused before WhatsApp is called, and says from what, to what and when", async ({
    workspace,
  }) => {
    await recategorize(workspace);
    const [template] = await sql<{ at: string }[]>`
        select recategorized_at as at from templates where workspace_id = ${workspace.workspaceId}`;
    const refused = await workspace.send(EXPECTS, KEY);
    const message = expect.stringMatching(
      /^`expectCategory` is UTILITY, but template "ready" \(en_US\) is MARKETING now, which may cost more\. WhatsApp changed it from UTILITY at 20.* Nothing was sent\./,
    );
    expectError(refused, {
      status: 400,
      error: "VALIDATION_ERROR",
      message,
      details: {
        field: "expectCategory",
        issues: [{ path: "expectCategory", message }],
        category: "MARKETING",
        previousCategory: "UTILITY",
        recategorizedAt: new Date(template?.at ?? "").toISOString(),
        retryable: false,
      },
    });
    await expectNothingBound(workspace);
    // The key is still free for a request that accepts the new category.
    expectSent(await workspace.send({ ...READY, expectCategory: "MARKETING" }, KEY));
  });

  test("a category that the template never had is refused, without a change to name", async ({ workspace }) => {
    const refused = await workspace.send({ ...READY, expectCategory: "AUTHENTICATION" });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body.message).not.toContain("WhatsApp changed it");
    expect(refused.body.details).toMatchObject({
      field: "expectCategory",
      category: "UTILITY",
      previousCategory: null,
      recategorizedAt: null,
    });
    await expectNothingBound(workspace);
  });

  test("a refusal says what the other category means for the price", async ({ workspace }) => {
    for (const [expected, now, words] of [
      ["MARKETING", "UTILITY", "usually costs less"],
      ["MARKETING", "AUTHENTICATION", "usually costs less"],
      ["UTILITY", "AUTHENTICATION", "may have another price"],
      ["AUTHENTICATION", "MARKETING", "may cost more"],
    ] as const) {
      await sql`update templates set category = ${now} where workspace_id = ${workspace.workspaceId}`;
      const refused = await workspace.send({ ...READY, expectCategory: expected });
      expect(refused.body.message).toContain(`is ${now} now, which ${words}.`);
    }
    await expectNothingBound(workspace);
  });

  test("components that the caller wrote are refused as well", async ({ workspace }) => {
    await recategorize(workspace);
    const { templateVariables: _, ...given } = EXPECTS;
    const refused = await workspace.send({ ...given, templateLanguage: "en_US", templateComponents: [] });
    expect(refused.body.details.field, refused.text).toBe("expectCategory");
    await expectNothingBound(workspace);
  });

  const unknown = /must be "UTILITY", "MARKETING" or/;

  refusesSends([
    ["an unknown category", { ...EXPECTS, expectCategory: "SERVICE" }, { expectCategory: unknown }],
    ["another spelling", { ...EXPECTS, expectCategory: "utility" }, { expectCategory: unknown }],
    ["a text with one", { ...TEXT, expectCategory: "UTILITY" }, { expectCategory: /cannot be used with type "text"/ }],
  ]);
});

describe("409", () => {
  test("a repeat that expects another category, or none, is another request", async ({ workspace }) => {
    expectSent(await workspace.send(EXPECTS, KEY));
    await recategorize(workspace);
    for (const body of [READY, { ...READY, expectCategory: "MARKETING" }]) {
      const refused = await workspace.send(body, KEY);
      expect([refused.status, refused.body.error]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
    }
    expect(await countMessages(workspace)).toBe(1);
  });
});
