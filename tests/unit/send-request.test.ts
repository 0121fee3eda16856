import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { parseSendRequest } from "@/lib/public-api/send-request";

const issuesOf = (body: unknown, headers = new Headers()) => {
  try {
    parseSendRequest(body, headers);
  } catch (error) {
    if (error instanceof AppError && error.code === "VALIDATION_ERROR") return error.details.issues ?? [];
    throw error;
  }
  return [];
};
const pathsOf = (body: unknown) => issuesOf(body).map(({ path }) => path);
const parse = (body: unknown) => parseSendRequest(body, new Headers());
const text = { type: "text", phone: "447700900123", content: "Hi" };

describe("parseSendRequest", () => {
  test("throws nothing but VALIDATION_ERROR with an issue of bounded size, whatever the body", () => {
    const field = fc.constantFrom(
      ...["type", "phone", "contactId", "content", "templateName", "templateLanguage", "templateVariables"],
      ...["templateComponents", "bodyParameters", "carousel", "idempotencyKey", "phoneNumberId", "extra"],
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
    const template = { type: "template", phone: "447700900123", templateName: "x" };
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

  test("templateVariables beside templateComponents are ignored, and that is told", () => {
    const both = { templateVariables: { 1: "a" }, templateComponents: [], bodyParameters: {} };
    expect(parse({ type: "template", phone: "447700900123", templateName: "x", ...both }).ignoredFields).toEqual([
      "templateVariables",
      "bodyParameters",
    ]);
  });

  test("keeps the order of a card's named values", () => {
    const bodyValues = { zebra: "1", apple: "2" };
    const { request } = parse({
      ...{ type: "template", phone: "447700900123", templateName: "x" },
      carousel: { cards: [{ index: 0, bodyValues }] },
    });
    expect(request.content).toMatchObject({
      filling: {
        carousel: {
          cards: [
            {
              bodyValues: [
                ["zebra", "1"],
                ["apple", "2"],
              ],
            },
          ],
        },
      },
    });
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
