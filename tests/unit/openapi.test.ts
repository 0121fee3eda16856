import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { isRecord } from "@/lib/core/json";
import { callsOf } from "@/lib/docs/calls";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { openApiDocument } from "@/lib/docs/openapi";
import { EVENTS } from "@/lib/outgoing/events/events";
import { callWith } from "../support/calls";

const document = openApiDocument("https://messages.example.com");

/** Every object of the document, with the path that leads to it. */
const walk = (value: unknown, path = "#"): [string, Record<string, unknown>][] => {
  if (Array.isArray(value)) return value.flatMap((item, i) => walk(item, `${path}/${i}`));
  if (!isRecord(value)) return [];
  return [[path, value], ...Object.entries(value).flatMap(([name, item]) => walk(item, `${path}/${name}`))];
};

const places = new Map(walk(document));

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "document");
const fits = (name: string, value: unknown): boolean => {
  const validate = ajv.getSchema(`document#/components/schemas/${name}`);
  if (!validate) throw new Error(`no component ${name}`);
  return validate(value) === true;
};

describe("the OpenAPI document", () => {
  test("is plain JSON whose every reference leads somewhere", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    const references = [...places.values()].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((reference) => !places.has(reference))).toEqual([]);
  });

  test("describes every operation, parameter and response", () => {
    const described = [...places].filter(([path]) => /^#\/(paths|webhooks)\/.+\/(get|post)$/.test(path));
    expect(described.length).toBe(ENDPOINTS.length + Object.keys(EVENTS).length);
    const parts = [...places].filter(([path]) => /\/(parameters\/\d+|responses\/\w+)$/.test(path));
    expect([...described, ...parts].filter(([, part]) => !part.description).map(([path]) => path)).toEqual([]);
  });

  test("has an example of every error code, each with the page that explains it", () => {
    const examples = [...places].filter(([path]) => /\/examples\/[A-Z_]+\/value$/.test(path));
    const codes = new Set(examples.map(([, { error }]) => error));
    expect([...codes].toSorted()).toEqual(ERROR_CODES.toSorted());
    for (const [path, value] of examples) expect(fits("Error", value), path).toBe(true);
  });

  test("has examples of success that its own schemas take", () => {
    for (const { responses } of ENDPOINTS) {
      for (const { data, example } of Object.values(responses)) expect(data.safeParse(example).error).toBeUndefined();
    }
  });
});

const TEXT = { type: "text", phone: "447700900003", content: "Hi" };
const TEMPLATE = { type: "template", phone: "447700900003", templateName: "a" };
const BUTTONS = {
  type: "interactive",
  phone: "447700900003",
  content: '{"type":"button","body":"Hi","buttons":[{"id":"a","title":"A"}]}',
};
const FILLED = { ...TEMPLATE, templateVariables: { "1": "Ada" } };
const CARDS = { ...TEMPLATE, carousel: { cards: [{ index: 0 }] } };
const SCHEMA_OF: Record<string, string> = {
  text: "SendText",
  template: "SendTemplate",
  interactive: "SendInteractive",
};

const isTaken = (body: unknown) => {
  try {
    return Boolean(parseSendRequest(body, callWith()));
  } catch {
    return false;
  }
};
const isDescribed = (body: { type: string }) => fits(SCHEMA_OF[body.type] ?? "", body);

const ofFields = (base: object, values: Record<string, unknown[]>): { type: string }[] =>
  Object.entries(values).flatMap(([name, list]) => list.map((value) => ({ type: "", ...base, [name]: value })));
const components = (...list: unknown[]) => list.map((one) => ({ ...TEMPLATE, templateComponents: one }));
const card = (...list: object[]) => list.map((one) => ({ ...TEMPLATE, carousel: { cards: [{ index: 0, ...one }] } }));

const LONG = { type: "text", text: "x".repeat(161) };
const ofBody = (parameters: unknown) => [{ type: "body", parameters }];
const inCarousel = (...list: unknown[]) =>
  list.map((some) => [{ type: "carousel", cards: [{ card_index: 0, components: some }] }]);

const IDS = ["", "x".repeat(255), "x".repeat(256), 7, true, {}, [], null];
const SENDS: { type: string }[] = [
  ...ENDPOINTS.flatMap((endpoint) => Object.values(callsOf(endpoint))).flatMap(({ body }) =>
    isRecord(body) ? [{ type: "", ...body }] : [],
  ),
  ...[TEXT, BUTTONS, FILLED].flatMap((base) => [
    ...ofFields(base, {
      phone: [
        ...["", "abc", "+44 7700 900-003", "(44) 7700.900003", "0044770090003", "07700900003", "123456", "1234567"],
        ...["1".repeat(15), "1".repeat(16), "++447700900003", "447700900003x", "+", 447700900003, {}, [], null],
      ],
      contactId: IDS,
      phoneNumberId: IDS,
      idempotencyKey: ["", " ", "a", "x".repeat(255), "x".repeat(256), 7, {}, null],
      revalidateFlowSession: [true, false, "true", 1, {}, null],
      unknown: [1, null],
    }),
    { ...base, phone: undefined },
    { ...base, phone: null, contactId: "c" },
  ]),
  ...ofFields(TEXT, {
    content: ["", " \n", "x".repeat(4_096), "😀".repeat(4_096), "x".repeat(4_097), 7, {}, ["Hi"], null],
    templateName: ["a"],
    templateVariables: [{}],
    carousel: [{ cards: [] }],
  }),
  ...ofFields(BUTTONS, { content: ["", "Hi", "[]", "7", "{", { type: "button" }, 7, null], templateName: ["a"] }),
  ...ofFields(FILLED, {
    content: ["Hi"],
    templateName: ["", "x".repeat(512), "x".repeat(513), 7, {}, null],
    templateLanguage: ["", "en", "x".repeat(20), "x".repeat(21), 7, null],
    expectCategory: ["UTILITY", "MARKETING", "AUTHENTICATION", "utility", "SERVICE", "", 7, {}, null],
    templateVariables: [{}, { 1: 7 }, { 1: null }, [], "Ada", { 1: ["Ada"] }, null],
    bodyParameters: [{}, { 1: 7 }, [], "Ada", { 1: { text: "Ada" } }, null],
    templateComponents: [7, {}, "body", null],
    carousel: [7, [], {}, { cards: {} }, { cards: [7] }, { cards: [{}] }, { cards: [{ index: 0 }], more: 1 }, null],
  }),
  TEMPLATE,
  { ...TEMPLATE, templateVariables: null },
  { ...CARDS, carousel: { cards: Array.from({ length: 10 }, (_, index) => ({ index })) } },
  { ...CARDS, carousel: { cards: Array.from({ length: 11 }, (_, index) => ({ index: index % 10 })) } },
  ...card(
    { index: 9 },
    { index: 10 },
    { index: -1 },
    { index: 1.5 },
    { index: "0" },
    { more: 1 },
    { bodyValues: { 1: "x" } },
    { bodyValues: { 1: 1 } },
    { bodyValues: ["x"] },
    { bodyValues: null },
    { header: { format: "image", link: "https://a.b/c" } },
    { header: { format: "image", id: "123" } },
    { header: { format: "image", id: "123", link: null } },
    { header: { format: "image", id: "x" } },
    { header: { format: "image" } },
    { header: { format: "image", link: "https://a.b/c", id: "1" } },
    { header: { format: "audio", link: "https://a.b/c" } },
    { header: { link: "https://a.b/c" } },
    { header: { format: "image", link: "https://a.b/c", more: 1 } },
    { buttonValues: [{ index: 0, sub_type: "url", parameters: { type: "text", text: "a" } }] },
    { buttonValues: [{ index: 0, sub_type: "quick_reply", parameters: { type: "payload", payload: "a" } }] },
    { buttonValues: [{ index: 10, sub_type: "url", parameters: { type: "text", text: "a" } }] },
    { buttonValues: [{ index: 0, sub_type: "", parameters: { type: "text", text: "a" } }] },
    { buttonValues: [{ index: 0, sub_type: "url", parameters: { type: "text", text: 7 } }] },
    { buttonValues: [{ index: 0, sub_type: "url", parameters: { type: "text" } }] },
    { buttonValues: [{ index: 0, sub_type: "url", parameters: { type: "image", text: "a" } }] },
    { buttonValues: [{ index: 0, sub_type: "url" }] },
    { buttonValues: [{ index: 0, parameters: { type: "text", text: "a" } }] },
    { buttonValues: {} },
  ),
  ...components(
    [],
    [{ type: "body", parameters: [{ type: "text", text: "Ada" }], isNew: true }],
    ...[{ ...LONG, text: "x".repeat(160) }, LONG, { ...LONG, type: "currency" }, { type: "text" }].map((one) =>
      ofBody([one]),
    ),
    [{ type: "BUTTON", sub_type: "url", index: 0, parameters: [{ type: "text", text: "a" }] }],
    [{ type: "button", sub_type: "url", index: "9" }],
    [{ type: "button", sub_type: "url", index: "10" }],
    [{ type: "button", sub_type: "url", index: 10 }],
    [{ type: "button", sub_type: "url", index: -1 }],
    [{ type: "button", sub_type: "url" }],
    [{ type: "button", sub_type: "", index: 0 }],
    [{ type: "button", index: 0 }],
    ...inCarousel([{ type: "body" }]),
    [{ type: "carousel" }],
    [{ type: "Carousel", cards: {} }],
    [{ type: "hologram" }],
    ["body"],
    [null],
    [{ parameters: [] }],
    [{ type: "" }],
    [{ type: 7 }],
    ...[{}, null, ["Ada"], [{ type: "text", text: 7 }], [{ text: "Ada" }], [{ type: "" }]].map(ofBody),
    [{ type: "carousel", cards: [] }],
    [{ type: "carousel", cards: Array.from({ length: 11 }, (_, card_index) => ({ card_index, components: [] })) }],
    [{ type: "carousel", cards: [{ components: [] }] }],
    [{ type: "carousel", cards: [{ card_index: 10, components: [] }] }],
    [{ type: "carousel", cards: [{ card_index: 0 }] }],
    ...inCarousel([{}], [{ type: "button" }], ofBody([{}]), ofBody({}), ofBody([LONG])),
  ),
].map((body) => JSON.parse(JSON.stringify(body)));

describe("a send", () => {
  const TWINS = Array(2).fill({ card_index: 0, components: [] });
  test("fits the document exactly if the API takes it", () => {
    expect(SENDS.filter((body) => !isTaken(body)).length).toBeGreaterThan(117);
    expect(SENDS.filter((body) => isDescribed(body) !== isTaken(body))).toEqual([]);
  });

  test.each([
    ["a national (0) within an international number", { ...TEXT, phone: "+44 (0) 7700 900003" }],
    ["an idempotency key that cannot be printed", { ...TEXT, idempotencyKey: "a\u0007b" }],
    ["what is wrong within the text of an interactive payload", { ...BUTTONS, content: '{"type":"button"}' }],
    [
      "a card index that an earlier card has",
      { ...TEMPLATE, templateComponents: [{ type: "carousel", cards: TWINS }] },
    ],
  ])("is refused for what no schema says in a readable way: %s", (_, body) => {
    expect([isTaken(body), isDescribed(body)]).toEqual([false, true]);
  });

  test("that the API takes fits the document, whatever it is", () => {
    const value = fc.oneof(fc.string(), fc.constantFrom("447700900003", "a", 0, 1, true), fc.jsonValue());
    const names = ["phone", "contactId", "content", "templateName", "templateVariables", "bodyParameters", "carousel"];
    const change = fc.dictionary(fc.constantFrom(...names, "idempotencyKey", "templateLanguage"), value);
    fc.assert(
      fc.property(fc.constantFrom(TEXT, BUTTONS, FILLED, CARDS), change, (base, more) => {
        // A null of another type's field is taken as absent, and not described.
        const given = Object.entries(more).filter(([, value]) => value !== null);
        const body = { ...base, ...Object.fromEntries(given) };
        return !isTaken(body) || isDescribed(body);
      }),
      { numRuns: 1_000 },
    );
  });
});
