import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { issuesThrownBy } from "@/lib/http/issues";
import { callWith } from "../support/calls";

const issuesOf = (body: unknown) => issuesThrownBy(() => void parse(body));
const pathsOf = (body: unknown) => issuesOf(body).map(({ path }) => path);
const parse = (body: unknown) => parseSendRequest(body, callWith());
const text = { type: "text", phone: "447700900123", content: "Hi" };
const template = { type: "template", phone: "447700900123", templateName: "x" };
const card = (more: object) => ({ ...template, carousel: { cards: [{ index: 0, ...more }] } });

describe("parseSendRequest", () => {
  test("throws nothing but VALIDATION_ERROR with an issue of bounded size, whatever the body", () => {
    const field = fc.constantFrom(
      "type",
      "phone",
      "contactId",
      "content",
      "templateName",
      "templateLanguage",
      "expectCategory",
      "templateVariables",
      "templateComponents",
      "bodyParameters",
      "carousel",
      "idempotencyKey",
      "phoneNumberId",
      "extra",
    );
    const type = fc.constantFrom("text", "template", "interactive", undefined);
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue({ maxDepth: 4 })), type, (fields, type) => {
        for (const { path, message } of issuesOf(type ? { ...fields, type } : fields)) {
          expect(path.length).toBeLessThanOrEqual(200);
          expect(message.length).toBeLessThanOrEqual(400);
        }
      }),
      { numRuns: 1_000 },
    );
    fc.assert(fc.property(fc.anything(), (body) => void issuesOf(body)));
  });

  test("reads a text, strips the phone and leaves the text as it is", () => {
    expect(parse({ ...text, phone: "+44 (7700) 900-123", content: " Hi\n" })).toEqual({
      request: { phone: "447700900123", revalidateFlowSession: false, content: { type: "text", text: " Hi\n" } },
      idempotencyKey: undefined,
      ignoredFields: [],
    });
  });

  test("null means absent in every field, so an all-null body lacks a type and a recipient", () => {
    const names = ["type", "phone", "contactId", "content", "templateName", "carousel", "idempotencyKey"];
    expect(pathsOf(Object.fromEntries(names.map((name) => [name, null])))).toEqual(["type", "phone"]);
    expect(pathsOf({ ...text, contactId: null, templateVariables: null })).toEqual([]);
  });

  test("lists all faults, each once", () => {
    const body = { type: "text", phone: "0", contactId: 1, content: "", carousel: { cards: [] }, conten: "x" };
    expect(pathsOf(body).sort()).toEqual(["carousel", "conten", "contactId", "content", "phone"].sort());
  });

  test("a template needs a name and one way of filling it; an empty one counts", () => {
    expect(pathsOf(template)).toEqual(["templateVariables"]);
    expect(pathsOf({ ...template, templateName: null, templateVariables: {} })).toEqual(["templateName"]);
    for (const filling of [
      { templateVariables: {} },
      { bodyParameters: {} },
      { templateComponents: [] },
      { carousel: { cards: [] } },
    ]) {
      expect(pathsOf({ ...template, ...filling })).toEqual([]);
    }
  });

  test("templateVariables beside templateComponents are ignored, and that is reported", () => {
    const both = { templateVariables: { 1: "a" }, templateComponents: [], bodyParameters: {} };
    expect(parse({ ...template, ...both }).ignoredFields).toEqual(["templateVariables", "bodyParameters"]);
  });

  test("keeps the order of a card's named values", () => {
    const bodyValues = { zebra: "1", apple: "2" };
    const { content } = parse(card({ bodyValues })).request;
    const cards = [{ bodyValues: Object.entries(bodyValues) }];
    expect(content).toMatchObject({ filling: { carousel: { cards } } });
  });

  const values = (...parameters: unknown[]) => ({
    buttonValues: parameters.map((one) => ({ index: 0, sub_type: "url", parameters: one })),
  });
  const header = (more: object) => ({ header: { format: "image", id: "1", ...more } });
  const ofButton = { type: "text", text: "a" };
  const misspelt = { buttonValues: [{ index: 0, sub_type: "url", subType: "url", parameters: ofButton }] };
  const PARAMETERS = "buttonValues[0].parameters";
  const AS_MEANT = '{"type":"text","text":"…"}';
  test.each<[string, object, path: string, words: string]>([
    ["WhatsApp's card_index", { card_index: 0 }, "card_index", "Did you mean `index`?"],
    ["snake case", { body_values: {} }, "body_values", "Did you mean `bodyValues`?"],
    ["an unknown field", { colour: "red" }, "colour", "Remove it"],
    ["camel case in a button", misspelt, "buttonValues[0].subType", "Did you mean `sub_type`?"],
    ["a field of parameters", values({ ...ofButton, txt: "b" }), `${PARAMETERS}.txt`, "Did you mean `text`?"],
    ["a number in parameters", values({ type: "text", text: 7 }), `${PARAMETERS}.text`, "must be a string"],
    ["a number in an array of one", values([{ type: "text", text: 7 }]), `${PARAMETERS}[0].text`, "must be a string"],
    ["parameters of no type", values({ text: "a" }), PARAMETERS, AS_MEANT],
    ["parameters as a text", values("a"), PARAMETERS, AS_MEANT],
    ["two parameters", values([{}, {}]), PARAMETERS, AS_MEANT],
    ["a header's field", header({ url: "https://a.example/b" }), "header.url", "Remove it"],
    ["a header's misspelt field", header({ lnk: "https://a.example/b" }), "header.lnk", "Did you mean `link`?"],
  ])("%s in a structured card is named where it stands", (_name, more, path, words) => {
    expect(issuesOf(card(more))).toEqual([
      { path: `carousel.cards[0].${path}`, message: expect.stringContaining(words) },
    ]);
  });

  test("a field beside the cards is named, too", () => {
    const body = { ...card({}), carousel: { cards: [], card: [] } };
    expect(issuesOf(body)).toEqual([
      { path: "carousel.card", message: expect.stringContaining("Did you mean `cards`?") },
    ]);
  });

  test("an interactive content must be a string", () => {
    expect(issuesOf({ ...text, type: "interactive", content: { type: "button" } })[0]?.message).toContain(
      "JSON.stringify",
    );
  });

  test("the 100 first faults of many", () => {
    expect(issuesOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1])))).toHaveLength(100);
  });
});
