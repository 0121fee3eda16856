import { describe, expect, test } from "vitest";
import { fresh, linked, PICTURE } from "../../support/linked-pictures";
import { sql } from "../../support/rows";
import { expectSent, mediaFetches, PHONE, sentBodies, templateWire } from "../../support/sends";
import { bodyOf, bodyPart, buttonsOf, ORDER, templateRecord, urlButton, urlPart } from "../../support/template-records";
import { graphError, provisionWorkspace, scriptMessages, type TestWorkspace } from "../../support/workspace";

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
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, String(template.name), components)]);
  });

  const plain = (language: string, status = "APPROVED") =>
    templateRecord("hello", [bodyOf("Hello")], { language, status });
  test.for<[string, object[], string | null, string]>([
    ["a bare code for its one region", [plain("en_US"), plain("de")], "en", "en_US"],
    ["none given, one approved", [plain("de"), plain("en", "PENDING")], null, "de"],
  ])("language: %s", async ([, templates, templateLanguage, sent]) => {
    const workspace = await provisionWorkspace({ templates: templates.map((one) => ({ ...one })) });
    const hello = { type: "template", phone: PHONE, templateName: "hello", templateVariables: {} };
    const answer = await workspace.send({ ...hello, templateLanguage });
    expectSent(answer);
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, "hello", undefined, sent)]);
  });
});

describe("a template that was sent before, and changed since", () => {
  const VALUES = { "1": "Ana", "2": "A-42" };
  const order = (text: string, more = {}) => templateRecord("order", [bodyOf(text)], more);
  const send = (workspace: TestWorkspace, more: object) =>
    workspace.send({ type: "template", phone: PHONE, templateName: "order", ...more });
  const change = async ({ workspaceId }: TestWorkspace, to: { status?: string; category?: string; text?: string }) => {
    const components = to.text === undefined ? null : JSON.stringify([bodyOf(to.text)]);
    await sql`
        update templates set status = coalesce(${to.status ?? null}, status), category = coalesce(${to.category ?? null}, category),
          components = coalesce(${components}::text::json, components)
        where workspace_id = ${workspaceId} and language = 'en_US'`;
  };
  const german = (status: string) => order("Hallo {{1}}, {{2}}", { language: "de", status });

  test.for([
    ["status", { status: "PAUSED" }, {}, "TEMPLATE_NOT_APPROVED"],
    ["variables", { text: "Hi {{1}}, {{2}} and {{3}}" }, {}, "VALIDATION_ERROR"],
    ["category, which the call names", { category: "MARKETING" }, { expectCategory: "UTILITY" }, "VALIDATION_ERROR"],
  ] as const)("is refused as it is now: its %s", async ([, changed, more, error]) => {
    const workspace = await provisionWorkspace({ templates: [order("Hi {{1}}: {{2}}")] });
    for (const templateLanguage of ["en_US", undefined]) {
      await change(workspace, { text: "Hi {{1}}: {{2}}", status: "APPROVED", category: "UTILITY" });
      const given = { templateLanguage, templateVariables: VALUES, ...more };
      expectSent(await send(workspace, given));
      await change(workspace, changed);
      const refused = await send(workspace, given);
      expect([refused.status, refused.body.error], refused.text).toEqual([400, error]);
    }
  });

  test("is sent as it is now, with the values that it takes now", async () => {
    const workspace = await provisionWorkspace({ templates: [order("Hi {{1}}: {{2}}")] });
    expectSent(await send(workspace, { templateVariables: VALUES }));
    await change(workspace, { text: "Hi {{1}}" });
    const now = await send(workspace, { templateVariables: { "1": "Ana" } });
    expectSent(now);
    expect((await sentBodies(workspace)).at(-1)).toBe(templateWire(now, "order", [bodyPart("Ana")]));
  });

  test("needs its language once a second one is approved", async () => {
    const workspace = await provisionWorkspace({ templates: [order("Hi {{1}}: {{2}}"), german("PENDING")] });
    expectSent(await send(workspace, { templateVariables: VALUES }));
    await sql`update templates set status = 'APPROVED' where workspace_id = ${workspace.workspaceId}`;
    const refused = await send(workspace, { templateVariables: VALUES });
    expect([refused.status, refused.body.details.field], refused.text).toEqual([400, "templateLanguage"]);
    expectSent(await send(workspace, { templateVariables: VALUES, templateLanguage: "de" }));
  });

  test("is the other workspace's own, whatever its name", async () => {
    const [one, other] = await Promise.all([
      provisionWorkspace({ templates: [order("Hi {{1}}: {{2}}")] }),
      provisionWorkspace({ templates: [order("Hi {{1}}")] }),
    ]);
    expectSent(await send(one, { templateVariables: VALUES }));
    expect((await send(other, { templateVariables: VALUES })).status).toBe(400);
    expectSent(await send(other, { templateVariables: { "1": "Ana" } }));
  });

  test("is retried as it is now, where only the claim finds the earlier attempt", async () => {
    const workspace = await provisionWorkspace({ templates: [order("Hi {{1}}")] });
    await scriptMessages(workspace, [graphError(131016)]);
    const given = { templateVariables: { "1": "Ana" }, idempotencyKey: "again" };
    const failed = await send(workspace, given);
    expect(failed.body.details.retryable, failed.text).toBe(true);
    await change(workspace, { text: "Hi {{1}}, {{2}}" });
    const refused = await send(workspace, given);
    expect([refused.status, refused.body.details.issues?.[0]?.path], refused.text).toEqual([
      400,
      "templateVariables.2",
    ]);
  });

  test("is no marketing any more: it reaches those who stopped marketing", async () => {
    const workspace = await provisionWorkspace({ templates: [order("Hi {{1}}: {{2}}", { category: "MARKETING" })] });
    expectSent(await send(workspace, { templateVariables: VALUES }));
    await sql`update workspaces set refuse_opted_out = true where id = ${workspace.workspaceId}`;
    await sql`update contacts set marketing_opted_out_at = now(), marketing_opt_out_source = 'word'
      where workspace_id = ${workspace.workspaceId}`;
    await change(workspace, { category: "UTILITY" });
    expectSent(await send(workspace, { templateVariables: VALUES }));
  });

  test("with a medium of another kind takes that kind", async () => {
    const header = (format: string) => [{ type: "HEADER", format }, bodyOf("Look")];
    const workspace = await provisionWorkspace({ templates: [templateRecord("picture", header("IMAGE"))] });
    expectSent(await workspace.send(linked(fresh())));
    await sql`update templates set components = ${JSON.stringify(header("VIDEO"))}::text::json
      where workspace_id = ${workspace.workspaceId}`;
    expectSent(await workspace.send(linked(fresh("/video.mp4"))));
    const refused = await workspace.send(linked(fresh()));
    expect([refused.status, refused.body.details.issues?.[0]?.message], refused.text).toEqual([
      400,
      expect.stringContaining("an MP4 or 3GP video"),
    ]);
  });

  test("while its medium is fetched is sent all the same, and the link is fetched once", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    expectSent(await workspace.send(linked(fresh())));
    const path = fresh("/slow.png?ms=1000&");
    const sending = workspace.send(linked(path));
    await expect.poll(() => mediaFetches(path)).toBe(1);
    await sql`update templates set updated_at = now() where workspace_id = ${workspace.workspaceId}`;
    expectSent(await sending);
    expect(await mediaFetches(path)).toBe(1);
  });

  test("again and again, without an end, is sent all the same", async () => {
    const workspace = await provisionWorkspace({ templates: [order("Hi {{1}}: {{2}}")] });
    let isOver = false;
    const rewrite = async () => {
      while (!isOver) await sql`update templates set updated_at = now() where workspace_id = ${workspace.workspaceId}`;
    };
    const rewriting = Promise.all([rewrite(), rewrite(), rewrite()]);
    try {
      for (let times = 0; times < 30; times++) expectSent(await send(workspace, { templateVariables: VALUES }));
    } finally {
      isOver = true;
      await rewriting;
    }
  });
});
