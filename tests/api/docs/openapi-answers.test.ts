import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { openApiDocument } from "@/lib/docs/openapi";
import { PHONE, TEXT } from "../../support/sends";
import { ORDER } from "../../support/template-records";
import {
  type Answer,
  graphError,
  provisionWorkspace,
  scriptMessages,
  type TestWorkspace,
} from "../../support/workspace";

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
    if (answer.status < 400) {
      const { templates, ...message } = answer.body.data;
      const [name, shown] = templates ? (["Template", templates] as const) : (["Message", [message]] as const);
      for (const one of shown) expect(schema(name).safeParse(one).error).toBeUndefined();
      return;
    }
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
        await scriptMessages(it, [graphError(131009)]);
        return it.send(TEXT);
      },
      400,
    ],
    [
      "a line whose token has died",
      async (it) => {
        await scriptMessages(it, [graphError(190)]);
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
    expect(Object.keys(record(at("paths", ...SEND, "responses")))).not.toContain("405");
  });
});
