import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isRecord } from "@/lib/core/is-record";
import { MESSAGE_EXAMPLE, SEND_TEMPLATE, SEND_TEXT, TEMPLATE_EXAMPLE } from "@/lib/docs/calls";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { openApiDocument } from "@/lib/docs/openapi";
import { openApiSchemas } from "@/lib/docs/openapi-schemas";
import { parseSendRequest } from "@/lib/public-api/read-send-request";

const document = openApiDocument("https://messages.example.com");

/** Every object of the document, with the path that leads to it. */
const walk = (value: unknown, path = "#"): [string, Record<string, unknown>][] => {
  if (Array.isArray(value)) return value.flatMap((item, i) => walk(item, `${path}/${i}`));
  if (!isRecord(value)) return [];
  return [[path, value], ...Object.entries(value).flatMap(([name, item]) => walk(item, `${path}/${name}`))];
};

const places = new Map(walk(document));
const schema = (name: string) => z.fromJSONSchema(openApiSchemas()[name] ?? {});

describe("the OpenAPI document", () => {
  test("is plain JSON whose every reference leads somewhere", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    const references = [...places.values()].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((reference) => !places.has(reference))).toEqual([]);
  });

  test("has an example of every error code, each with the page that explains it", () => {
    const examples = [...places].filter(([path]) => /\/examples\/[A-Z_]+\/value$/.test(path));
    const codes = new Set(examples.map(([, { error }]) => error));
    // The partner API refuses no role: FORBIDDEN is the webhook's and the dashboard's.
    expect([...codes].toSorted()).toEqual(ERROR_CODES.filter((code) => code !== "FORBIDDEN").toSorted());
    for (const [path, value] of examples) expect(schema("Error").safeParse(value).success, path).toBe(true);
  });

  test("has examples of success that its own schemas take", () => {
    expect(schema("Message").safeParse(MESSAGE_EXAMPLE).error).toBeUndefined();
    expect(schema("Template").safeParse(TEMPLATE_EXAMPLE).error).toBeUndefined();
  });

  test.each([
    ["SendText", SEND_TEXT.body],
    ["SendTemplate", SEND_TEMPLATE.body],
    ["SendText", { type: "text", content: "Hi" }],
    ["SendText", { type: "text", phone: "447700900003" }],
    ["SendText", { type: "text", phone: "447700900003", content: 7 }],
    ["SendTemplate", { type: "template", phone: "447700900003", templateName: "a", templateVariables: { 1: 2 } }],
    [
      "SendTemplate",
      {
        type: "template",
        phone: "447700900003",
        templateName: "a",
        carousel: { cards: [{ index: 0, bodyValues: { 1: "x" }, header: { format: "image", link: "https://a.b/c" } }] },
      },
    ],
    [
      "SendTemplate",
      {
        type: "template",
        phone: "447700900003",
        templateName: "a",
        carousel: { cards: [{ index: 10 }] },
      },
    ],
    ...[
      [{ type: "body", parameters: [{ type: "text", text: "Ada" }], isNew: true }],
      [{ type: "button", sub_type: "url", index: 0, parameters: [{ type: "text", text: "a" }] }],
      [{ type: "carousel", cards: [{ card_index: 0, components: [{ type: "body" }] }] }],
      [{ type: "hologram" }],
      ["body"],
      [{ parameters: [] }],
      [{ type: "" }],
      [{ type: "body", parameters: {} }],
      [{ type: "body", parameters: null }],
      [{ type: "body", parameters: ["Ada"] }],
      [{ type: "body", parameters: [{ type: "text", text: 7 }] }],
      [{ type: "body", parameters: [{ text: "Ada" }] }],
      [{ type: "carousel", cards: [] }],
      [{ type: "carousel", cards: [{ components: [] }] }],
      [{ type: "carousel", cards: [{ card_index: 10, components: [] }] }],
      [{ type: "carousel", cards: [{ card_index: 0 }] }],
      [{ type: "carousel", cards: [{ card_index: 0, components: [{}] }] }],
    ].map((templateComponents): [string, object] => [
      "SendTemplate",
      { type: "template", phone: "447700900003", templateName: "a", templateComponents },
    ]),
  ])("takes as %s what the API takes, and refuses what it refuses: %j", (name, body) => {
    const isTaken = () => {
      try {
        return Boolean(parseSendRequest(body, new Headers()));
      } catch {
        return false;
      }
    };
    const given = schema(name).safeParse(body).success;
    const hasRecipient = isRecord(body) && ("phone" in body || "contactId" in body);
    // zod reads no `anyOf` of required fields beside an object; other readers do.
    expect(given && hasRecipient).toBe(isTaken());
  });
});
