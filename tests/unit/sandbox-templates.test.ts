import { describe, expect, test } from "vitest";
import { FIXTURE_BUSINESS_ACCOUNT_ID, FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { createSandbox } from "@/lib/sandbox/sandbox";
import type { SandboxTemplate } from "@/lib/sandbox/template-layout";
import { body, call, options, sendTemplate, template, text } from "../support/sandbox-sends";

describe("GET message_templates: 200", () => {
  const path = `${FIXTURE_BUSINESS_ACCOUNT_ID}/message_templates`;

  test("the cursors lead through every template once; the last page has cursors and no next", async () => {
    const sandbox = createSandbox({ ...options, templates: async () => [...FIXTURE_TEMPLATES] });
    const names: string[] = [];
    let next: string | undefined = `${path}?limit=5`;
    let pages = 0;
    while (next) {
      const { body: page } = await call(sandbox, "GET", next);
      names.push(...page.data.map((record: SandboxTemplate) => `${record.name}/${record.language}`));
      expect(page.paging.cursors).toEqual({ before: expect.any(String), after: expect.any(String) });
      next = page.paging.next?.split("/v25.0/")[1];
      pages++;
    }
    expect(pages).toBe(4);
    expect(names).toEqual(FIXTURE_TEMPLATES.map(({ name, language }) => `${name}/${language}`));
  });

  test("a page holds 25 where no limit is asked", async () => {
    const many = Array.from({ length: 30 }, (_, n) => template(`t${n}`, [], { id: String(1000 + n) }));
    const sandbox = createSandbox({ ...options, templates: async () => many });
    expect((await call(sandbox, "GET", path)).body.data).toHaveLength(25);
  });

  test("only the asked fields are shown, and always the id", async () => {
    const { body: page } = await call(createSandbox(options), "GET", `${path}?fields=name,quality_score&limit=1`);
    expect(page.data).toEqual([
      { id: "100000000001001", name: "order_ready", quality_score: { score: "GREEN", date: 1_760_000_000 } },
    ]);
  });

  test.each([
    ["name=order_ready", 2],
    ["language=de", 1],
    ["status=PENDING", 1],
    ['status=["PENDING","REJECTED"]', 2],
    ["category=MARKETING&status=APPROVED", 6],
    ["name=nope", 0],
  ])("the filter %s leaves %i", async (query, count) => {
    expect((await call(createSandbox(options), "GET", `${path}?${query}`)).body.data).toHaveLength(count);
  });

  test("another account has none of them", async () => {
    expect((await call(createSandbox(options), "GET", "555/message_templates")).body).toEqual({ data: [] });
  });

  test.each(["limit=0", "limit=x", "after=nope"])("%s is refused", async (query) => {
    expect(await call(createSandbox(options), "GET", `${path}?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 100 } },
    });
  });
});

describe("POST message_templates", () => {
  const path = `${FIXTURE_BUSINESS_ACCOUNT_ID}/message_templates`;
  const bodyPart = { type: "body", text: "Hello {{1}}, all is well.", example: { body_text: [["Ana"]] } };
  const draft = { name: "fresh_one", language: "en_US", category: "UTILITY", components: [bodyPart] };
  const withBody = (value: string) => ({ ...draft, components: [{ ...bodyPart, text: value }] });
  const withPart = (part: object) => ({ ...draft, components: [bodyPart, part] });
  const withButtons = (...buttons: object[]) => withPart({ type: "BUTTONS", buttons });
  const textHeader = { type: "HEADER", format: "TEXT", example: {} };
  const reply = (value: string) => ({ type: "QUICK_REPLY", text: value });
  const link = (value: string) => ({ type: "URL", text: "Go", url: value, example: ["https://a.example/1"] });
  const cards = (...list: object[][]) =>
    withPart({ type: "CAROUSEL", cards: list.map((components) => ({ components })) });
  const cardHeader = { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::aW"] } };

  test("1,000 that the host does not have are kept, the newest ones", async () => {
    const sandbox = createSandbox({ ...options, templates: async () => [] });
    for (let made = 0; made < 1_002; made++) await call(sandbox, "POST", path, { ...draft, name: `made_${made}` });
    const found = async (name: string) => (await call(sandbox, "GET", `${path}?name=${name}`)).body.data.length;
    expect([await found("made_0"), await found("made_1"), await found("made_2"), await found("made_1001")]).toEqual([
      0, 0, 1, 1,
    ]);
  });

  test("a utility template is approved at once, listed as WhatsApp writes it, and can be sent", async () => {
    const sandbox = createSandbox(options);
    const created = await call(sandbox, "POST", path, draft);
    expect(created).toEqual({
      status: 200,
      body: { id: expect.stringMatching(/^\d+$/), status: "APPROVED", category: "UTILITY" },
    });
    const listed = await call(sandbox, "GET", `${path}?name=fresh_one`);
    expect(listed.body.data[0]).toMatchObject({ parameter_format: "POSITIONAL", components: [{ type: "BODY" }] });
    const sent = await call(sandbox, "POST", "106500001/messages", sendTemplate("fresh_one", [body(text("Ana"))]));
    expect(sent.status).toBe(200);
  });

  test("a marketing template waits for review and cannot be sent", async () => {
    const sandbox = createSandbox(options);
    const created = await call(sandbox, "POST", path, { ...draft, category: "MARKETING" });
    expect(created.body.status).toBe("PENDING");
    const sent = await call(sandbox, "POST", "106500001/messages", sendTemplate("fresh_one", [body(text("Ana"))]));
    expect(sent.body.error.code).toBe(132001);
  });

  const refused: [string, number | undefined, object][] = [
    ["a name and language that exist", 2388024, { ...draft, name: "order_ready" }],
    ["a name in capitals", undefined, { ...draft, name: "Fresh" }],
    ["an unknown category", undefined, { ...draft, category: "NEWS" }],
    ["no body", 2388072, { ...draft, components: [] }],
    ["a body of 1025 characters", 2388040, withBody("x".repeat(1025))],
    ["a variable at the start", 2388299, withBody("{{1}} is what you get today.")],
    ["a variable at the end", 2388299, withBody("This is what you get: {{1}}")],
    ["a gap in the numbers", 2388072, withBody("Hello {{1}}, this is {{3}} for you.")],
    ["variables side by side", 2388072, withBody("Hello there {{1}} {{2}}, well well.")],
    ["too few words per variable", 2388293, withBody("a {{1}} b{{2}}c")],
    ["a body without an example", 2388072, { ...draft, components: [{ ...bodyPart, example: undefined }] }],
    ["two variables in the header", 2388047, withPart({ ...textHeader, text: "{{1}} and {{2}}" })],
    ["a media header without an example", 2388047, withPart({ type: "HEADER", format: "IMAGE" })],
    ["a variable in the footer", 2388073, withPart({ type: "FOOTER", text: "Hi {{1}}" })],
    ["a URL that is not https", undefined, withButtons(link("http://a.example"))],
    ["a URL variable that is not at the end", undefined, withButtons(link("https://a.example/{{1}}/x"))],
    ["quick replies apart", undefined, withButtons(reply("A"), link("https://a.example"), reply("B"))],
    ["cards of different kinds", undefined, cards([cardHeader], [cardHeader, { ...bodyPart }])],
  ];

  test.each(refused)("%s is refused (subcode %s)", async (_, subcode, request) => {
    const answer = await call(createSandbox(options), "POST", path, request);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe(100);
    expect(answer.body.error.error_subcode).toBe(subcode);
  });
});
