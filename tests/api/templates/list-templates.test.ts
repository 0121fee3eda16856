import { describe, expect } from "vitest";
import { sql } from "../../support/rows";
import { expectError, expectInvalid } from "../../support/sends";
import { bodyOf, ORDER, templateRecord } from "../../support/template-records";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const list = (workspace: TestWorkspace, query = ""): Promise<Answer> =>
  workspace.call("GET", `/api/v1/public/templates${query}`);
const namesOf = (answer: Answer): string[] => {
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.templates.map(({ name, language }) => `${name}/${language}`);
};
const plain = (name: string, more: Record<string, unknown> = {}) => templateRecord(name, [bodyOf("Hi")], more);

describe("200", () => {
  test("a record has exactly its fields, WhatsApp's components and a variable for each slot", async () => {
    const workspace = await provisionWorkspace({
      templates: [{ ...ORDER, quality_score: { score: "GREEN" }, parameter_format: "POSITIONAL" }],
    });
    const answer = await list(workspace);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: {
        templates: [
          {
            id: workspace.templates["order_ready/en_US"],
            name: "order_ready",
            language: "en_US",
            category: "UTILITY",
            status: "APPROVED",
            parameterFormat: "POSITIONAL",
            components: ORDER.components,
            variables: [
              { key: "1", where: ["body", "button 1 url"], example: null, maxLength: 160, required: true },
              { key: "2", where: ["body"], example: null, maxLength: 160, required: true },
            ],
            qualityScore: "GREEN",
            phoneNumberIds: [workspace.phoneNumberId],
            updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          },
        ],
      },
    });
  });

  test("components keep the order of their keys", async () => {
    const example = { body_text: [["b", "a"]] };
    const component = { type: "BODY", zebra: 1, text: "Hi", example, alpha: { "10": 1, "9": 2 } };
    const workspace = await provisionWorkspace({ templates: [templateRecord("order", [component])] });
    const [record] = (await list(workspace)).body.data.templates;
    expect(JSON.stringify(record?.components)).toBe(JSON.stringify([component]));
  });

  test("only approved ones of the key's own workspace and mode are listed", async () => {
    const states = ["PENDING", "REJECTED", "PAUSED", "DISABLED", "DELETED", "IN_APPEAL", "LIMIT_EXCEEDED", "A_NEW_ONE"];
    const foreign = await provisionWorkspace({ templates: [plain("foreign")] });
    const workspace = await provisionWorkspace({
      lines: [{ ref: "main" }, { ref: "trial", mode: "test" }],
      templates: [plain("approved"), ...states.map((status) => plain(`is_${status.toLowerCase()}`, { status }))],
    });
    await sql`
        update templates set mode = 'test', status = 'APPROVED'
        where workspace_id = ${workspace.workspaceId} and name = 'is_paused'`;
    expect(namesOf(await list(workspace))).toEqual(["approved/en_US"]);
    expect(namesOf(await list(foreign))).toEqual(["foreign/en_US"]);
    const key = workspace.keys.other ?? null;
    expect(namesOf(await workspace.call("GET", "/api/v1/public/templates", { key }))).toEqual(["is_paused/en_US"]);
  });

  test("phoneNumberIds are the lines of the template's account, of this workspace and mode, paused ones too", async () => {
    const foreign = await provisionWorkspace({ templates: [plain("a")] });
    const workspace = await provisionWorkspace({
      lines: [
        { ref: "main" },
        { ref: "second", isActive: false },
        { ref: "elsewhere", whatsappBusinessAccountId: `7${Date.now()}` },
        { ref: "trial", mode: "test" },
      ],
      templates: [plain("a")],
    });
    // The same account connected to another workspace, too.
    await sql`
        update phone_numbers set whatsapp_business_account_id = ${workspace.whatsappBusinessAccountId}
        where workspace_id = ${foreign.workspaceId}`;
    const [record] = (await list(workspace)).body.data.templates;
    const { main, second } = workspace.lines;
    expect(record?.phoneNumberIds.toSorted()).toEqual([main?.id, second?.id].toSorted());
  });
});

describe("filters", () => {
  const filtered = () =>
    provisionWorkspace({
      lines: [{ ref: "main" }, { ref: "elsewhere", whatsappBusinessAccountId: `8${Date.now()}` }],
      templates: [
        plain("offer", { category: "MARKETING" }),
        plain("order"),
        plain("order", { language: "de" }),
        plain("order_late"),
      ],
    });

  test("narrow the list, alone and together", async () => {
    const workspace = await filtered();
    for (const [query, names] of [
      ["?name=order", ["order/de", "order/en_US"]],
      ["?name=ord", []],
      ["?language=de", ["order/de"]],
      ["?category=MARKETING", ["offer/en_US"]],
      ["?category=marketing", ["offer/en_US"]],
      ["?name=order&language=en_US", ["order/en_US"]],
      ["?name=order&category=MARKETING", []],
      [`?phoneNumberId=${workspace.lines.elsewhere?.id}`, []],
      [`?phoneNumberId=${workspace.phoneNumberId}&language=de`, ["order/de"]],
      ["?name=&language=", ["offer/en_US", "order/de", "order/en_US", "order_late/en_US"]],
      ["?name=%27%20or%201%3D1--", []],
    ] as const) {
      expect(namesOf(await list(workspace, query)), query).toEqual(names);
    }
  });

  test("a line that is not the workspace's is refused, with a hint where the id is WhatsApp's", async () => {
    const workspace = await filtered();
    const foreign = await provisionWorkspace();
    for (const phoneNumberId of ["pn_none", foreign.phoneNumberId, workspace.whatsappPhoneNumberId]) {
      const answer = await list(workspace, `?phoneNumberId=${phoneNumberId}`);
      expectError(answer, {
        status: 400,
        error: "PHONE_NUMBER_NOT_FOUND",
        message: expect.stringContaining(/^\d/.test(phoneNumberId) ? "numeric id" : phoneNumberId),
        details: { field: "phoneNumberId", retryable: false },
      });
    }
  });
});

describe("paging", () => {
  test.for([1, 3])("pages of %i are the whole list, in its order, without gaps or doubles", async (limit) => {
    const languages = ["de", "en_US", "zh_CN"];
    const workspace = await provisionWorkspace({
      lines: [{ ref: "main" }, { ref: "elsewhere", whatsappBusinessAccountId: `9${Date.now()}${limit}` }],
      templates: ["Zeta", "alpha", "alpha_2", "alpha2"].flatMap((name) =>
        languages.map((language) => plain(name.toLowerCase(), { language })),
      ),
    });
    // The same names again in a second account.
    await sql`
        insert into templates (workspace_id, id, mode, whatsapp_business_account_id, whatsapp_template_id, name, language,
          category, status, components)
        select workspace_id, id || 'b', mode, ${workspace.lines.elsewhere?.whatsappBusinessAccountId ?? ""},
          whatsapp_template_id || '9', name, language, category, status, components
        from templates where workspace_id = ${workspace.workspaceId}`;
    const all = (await list(workspace)).body.data.templates.map(({ id }) => id);
    expect(new Set(all).size).toBe(24);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { data } = (await list(workspace, `?limit=${limit}${next}`)).body;
      expect(data.templates.length).toBeGreaterThan(0);
      expect(data.templates.length).toBeLessThanOrEqual(limit);
      paged.push(...data.templates.map(({ id }) => id));
      cursor = data.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
  });

  test("a page that is exactly full says that it is the last", async () => {
    const workspace = await provisionWorkspace({ templates: [plain("a"), plain("b")] });
    expect((await list(workspace, "?limit=2")).body.data).toMatchObject({ nextCursor: null });
    const first = (await list(workspace, "?limit=1")).body.data;
    const rest = await list(workspace, `?cursor=${first.nextCursor}`);
    expect(namesOf(rest)).toEqual(["b/en_US"]);
    expect(rest.body.data).not.toHaveProperty("nextCursor");
  });

  test("a template that is new or gone between two pages moves no other", async () => {
    const workspace = await provisionWorkspace({ templates: ["b", "c", "d"].map((name) => plain(name)) });
    const first = (await list(workspace, "?limit=2")).body.data;
    await sql`
        update templates set name = 'a' where workspace_id = ${workspace.workspaceId} and name = 'c'`;
    expect(namesOf(await list(workspace, `?limit=2&cursor=${first.nextCursor}`))).toEqual(["d/en_US"]);
  });
});

describe("400", () => {
  test("each fault of the query is named", async ({ workspace }) => {
    const madeUp = Buffer.from('["a\\u0000","b","c"]').toString("base64url");
    for (const [query, faults] of [
      ["limit=101", { limit: "from 1 to 100" }],
      ["limit=", { limit: "from 1 to 100" }],
      ["cursor=", { cursor: "not a valid cursor" }],
      [`cursor=${madeUp}`, { cursor: "not a valid cursor" }],
      [`name=${"x".repeat(513)}`, { name: "more than 512 characters" }],
      ["bogus=1", { bogus: "is not a query parameter of this endpoint. Remove it" }],
      ["catgory=UTILITY&name=order", { catgory: "Did you mean `category`" }],
      ["limit=0&cursor=x&language=%00", { limit: "from 1", cursor: "not a valid", language: "NUL" }],
    ] as const) {
      expectInvalid(await list(workspace, `?${query}`), faults);
    }
  });
});
