import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isRecord } from "@/lib/core/is-record";
import { ERROR_CATALOGUE } from "@/lib/docs/error-catalogue";
import { openApiDocument } from "@/lib/docs/openapi";
import { testServers } from "../../support/environment";
import { PHONE, sentBodies } from "../../support/sends";
import { bodyOf, carouselRecord, ORDER, templateRecord } from "../../support/template-records";
import {
  type Answer,
  graphError,
  platformRequests,
  postWebhook,
  provisionWorkspace,
  request,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../../support/workspace";

/** Sentences of the docs that state a behaviour, each beside the product itself. */

const page = async (path: string): Promise<string> =>
  (await request("GET", `${testServers().baseUrl}/docs/${path}.md`)).text.replace(/\s+/g, " ");

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const plain = (name: string, language = "en_US") => templateRecord(name, [bodyOf("Hello")], { language });

describe("/docs/polling", () => {
  test("FAILED becomes SENT when a message that was not sent is retried under its key; no webhook moves a status back", async () => {
    expect(await page("polling")).toContain(
      "`FAILED` because it was not sent is tried again under its idempotency key",
    );
    const workspace = await provisionWorkspace();
    const key = { "Idempotency-Key": "order-1" };
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(190)]);
    const refused = await workspace.send(TEXT, key);
    expect([refused.status, refused.body.details.outcome]).toEqual([502, "not_sent"]);
    const id = refused.body.details.messageId ?? "";
    expect((await workspace.status(id)).body.data.status).toBe("FAILED");
    const retried = await workspace.send(TEXT, key);
    expect([retried.status, retried.body.data.id, retried.body.data.status]).toEqual([201, id, "SENT"]);

    const wamid = retried.body.data.chatMessageId ?? "";
    const timestamp = `${Math.floor(Date.now() / 1_000)}`;
    for (const status of ["read", "failed", "sent", "delivered"]) {
      await postWebhook(statusWebhook(workspace, [{ id: wamid, status, timestamp, biz_opaque_callback_data: id }]));
      expect((await workspace.status(id)).body.data.status).toBe("READ");
    }
  });
});

describe("/docs/errors/NOT_FOUND and /docs/templates", () => {
  const sentence = "`en` finds `en_US` where that is the only approved English one";

  test("a bare language finds the only region; several are a 400, and components need the exact code", async () => {
    expect(ERROR_CATALOGUE.NOT_FOUND.causes.join(" ")).toContain(sentence);
    expect(await page("templates")).toContain(sentence);
    const one = await provisionWorkspace({ templates: [plain("hello"), plain("hello", "de")] });
    const hello = { type: "template", phone: PHONE, templateName: "hello", templateLanguage: "en" };
    expect((await one.send({ ...hello, templateVariables: {} })).status).toBe(201);
    expect(JSON.parse((await sentBodies(one.whatsappPhoneNumberId))[0] ?? "{}").template.language.code).toBe("en_US");
    expect((await one.send({ ...hello, templateComponents: [] })).body.error).toBe("NOT_FOUND");
    const two = await provisionWorkspace({ templates: [plain("hello"), plain("hello", "en_GB")] });
    expect((await two.send({ ...hello, templateVariables: {} })).body.error).toBe("VALIDATION_ERROR");
  });

  test("a name of bodyValues fills the placeholder that bears it; other names fill those left over, as written", async () => {
    expect(await page("templates")).toContain("other names fill those left over, in the order in which you wrote them");
    const workspace = await provisionWorkspace({
      templates: [
        { ...carouselRecord(2, "{{item}} is {{price}} today", "named"), parameter_format: "NAMED" },
        carouselRecord(2, "{{1}} is {{2}} today", "numbered"),
      ],
    });
    const send = (templateName: string, bodyValues: object) =>
      workspace.send({
        type: "template",
        phone: PHONE,
        templateName,
        templateVariables: { "1": "Ana" },
        carousel: {
          cards: [0, 1].map((index) => ({
            index,
            bodyValues,
            header: { format: "image", id: "77" },
            buttonValues: [{ index: 1, sub_type: "url", parameters: { type: "text", text: "a" } }],
          })),
        },
      });
    // The main body of the record is numbered, so a NAMED template has it as a name, too.
    expect((await send("named", { price: "9", item: "Tea" })).status).toBe(201);
    expect((await send("named", { stranger: "Tea", price: "9" })).status).toBe(201);
    expect((await send("numbered", { what: "Tea", cost: "9" })).status).toBe(201);
    const bodies = (await sentBodies(workspace.whatsappPhoneNumberId)).map((body) => JSON.parse(body).template);
    const filled = bodies.map(({ components }) => components.at(-1).cards[0].components[1].parameters);
    const named = [
      { type: "text", parameter_name: "item", text: "Tea" },
      { type: "text", parameter_name: "price", text: "9" },
    ];
    expect(filled).toEqual([named, named, named.map(({ type, text }) => ({ type, text }))]);
  });

  test("the components that are shown give a card's picture by id, and the structured form uploads a link", async () => {
    const text = await page("templates");
    expect(text).toContain("Identify a card’s picture by the `id` of media uploaded to WhatsApp");
    const [, components = ""] = text.split("## Components");
    const [shown = ""] = components.split("## Carousel");
    expect(shown).toContain('"card_index"');
    expect(shown).not.toContain('"link"');
  });
});

describe("/docs/reference", () => {
  test("the order of keys makes no other request, but for named bodyValues of a card", async () => {
    expect(await page("reference")).toContain("except for named `bodyValues` of a card");
    const workspace = await provisionWorkspace({ templates: [ORDER, carouselRecord(2, "{{1}} is {{2}} today")] });
    const key = (name: string) => ({ "Idempotency-Key": name });
    const order = (templateVariables: object) => ({
      type: "template",
      phone: PHONE,
      templateName: "order_ready",
      templateVariables,
    });
    expect((await workspace.send(order({ b: undefined, "1": "a", "2": "b" }), key("a"))).status).toBe(201);
    const [first, second] = [
      JSON.stringify(order({ "1": "a", "2": "b" })),
      JSON.stringify(order({ "1": "a", "2": "b" })),
    ];
    expect(first).toBe(second);
    const reversed = Object.fromEntries(Object.entries(order({ "1": "a", "2": "b" })).toReversed());
    expect((await workspace.send(reversed, key("a"))).status).toBe(200);
    const cards = (bodyValues: object) => ({
      type: "template",
      phone: PHONE,
      templateName: "summer_offers",
      templateVariables: { "1": "Ana" },
      carousel: {
        cards: [0, 1].map((index) => ({
          index,
          bodyValues,
          header: { format: "image", id: "77" },
          buttonValues: [{ index: 1, sub_type: "url", parameters: { type: "text", text: "a" } }],
        })),
      },
    });
    expect((await workspace.send(cards({ what: "Tea", cost: "9" }), key("b"))).status).toBe(201);
    expect((await workspace.send(cards({ cost: "9", what: "Tea" }), key("b"))).body.error).toBe("IDEMPOTENCY_CONFLICT");
  });
});

describe("/openapi.json", () => {
  const document = openApiDocument("https://messages.example.com");
  const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
  const at = (...path: string[]) => path.reduce<unknown>((value, step) => record(value)[step], document);
  const schema = (name: string) => z.fromJSONSchema(record(at("components", "schemas", name)));

  /** What the document says of an answer, held against the answer. */
  const expectDescribed = (operation: [path: string, method: string], answer: Answer) => {
    const described = record(at("paths", ...operation, "responses", `${answer.status}`));
    expect(Object.keys(described), `${operation.join(" ")} ${answer.status}`).not.toEqual([]);
    const absent = Object.keys(record(described.headers)).filter((name) => answer.headers.get(name) === null);
    // Of the headers that the document names, these say on their own when they are there.
    const isBeforeKey = answer.status === 401 || answer.status === 413;
    const sometimes = ["Warning", "Retry-After", ...(isBeforeKey ? ["X-Mode"] : [])];
    expect(
      absent.filter((name) => !sometimes.includes(name)),
      answer.text,
    ).toEqual([]);
    if (answer.status < 400) return;
    expect(schema("Error").safeParse(answer.body).error).toBeUndefined();
    const examples = record(record(record(described.content)["application/json"]).examples);
    expect(Object.keys(examples)).toContain(answer.body.error);
  };

  const SEND: [string, string] = ["/messages/send", "post"];
  const sends: [title: string, work: (workspace: TestWorkspace) => Promise<Answer>, status: number][] = [
    ["a send", (it) => it.send(TEXT), 201],
    ["a faulty body", (it) => it.send({}), 400],
    ["a body that is no JSON", (it) => it.call("POST", "/api/v1/public/messages/send", { rawBody: "{" }), 400],
    ["no key", (it) => it.call("POST", "/api/v1/public/messages/send", { body: TEXT, key: null }), 401],
    [
      "no such template",
      (it) => it.send({ type: "template", phone: PHONE, templateName: "no", templateVariables: {} }),
      404,
    ],
    ["no such line", (it) => it.send({ ...TEXT, phoneNumberId: "pn_no" }), 400],
    ["too large a body", (it) => it.send({ ...TEXT, content: "x".repeat(300_000) }), 413],
    [
      "a refusal of WhatsApp's",
      async (it) => {
        await scriptPlatform(it.whatsappPhoneNumberId, "messages", [graphError(131009)]);
        return it.send(TEXT);
      },
      400,
    ],
    [
      "a line whose token has died",
      async (it) => {
        await scriptPlatform(it.whatsappPhoneNumberId, "messages", [graphError(190)]);
        return it.send(TEXT);
      },
      502,
    ],
    [
      "a replay",
      async (it) => {
        await it.send(TEXT, { "Idempotency-Key": "a" });
        return it.send(TEXT, { "Idempotency-Key": "a" });
      },
      200,
    ],
    [
      "a key with another body",
      async (it) => {
        await it.send(TEXT, { "Idempotency-Key": "a" });
        return it.send({ ...TEXT, content: "Bye" }, { "Idempotency-Key": "a" });
      },
      409,
    ],
  ];

  test.each(sends)("describes the answer to %s, with its headers and its code", async (_title, work, status) => {
    const answer = await work(await provisionWorkspace());
    expect(answer.status, answer.text).toBe(status);
    expectDescribed(SEND, answer);
  });

  test("describes the answers to a look-up and to a list", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1, templates: [ORDER] });
    const sent = await workspace.send(TEXT);
    const limited = await workspace.send(TEXT);
    expect(limited.status).toBe(402);
    expectDescribed(SEND, limited);
    expectDescribed(["/messages/{messageId}", "get"], await workspace.status(sent.body.data.id));
    expectDescribed(["/messages/{messageId}", "get"], await workspace.status("msg_no"));
    expectDescribed(["/templates", "get"], await workspace.call("GET", "/api/v1/public/templates"));
    expectDescribed(["/templates", "get"], await workspace.call("GET", "/api/v1/public/templates?limit=0"));
    expectDescribed(["/templates", "get"], await workspace.call("GET", "/api/v1/public/templates?phoneNumberId=pn_no"));
  });

  test("promises no answer that a send never gives", () => {
    expect(Object.keys(record(at("paths", ...SEND, "responses")))).not.toContain("403");
  });

  test("a 502 in it reached no one twice: the same key sends once", async () => {
    const workspace = await provisionWorkspace();
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [{ hangUp: "before" }]);
    const headers = { "Idempotency-Key": "once" };
    const unknown = await workspace.send(TEXT, headers);
    expect([unknown.status, unknown.body.details.outcome]).toEqual([502, "unknown"]);
    expect((await workspace.send(TEXT, headers)).status).toBe(200);
    expect(await platformRequests(workspace.whatsappPhoneNumberId, "messages")).toHaveLength(1);
  });
});
