import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromDraftBody, type SendDraft, toDraftBody } from "@/lib/messages/send/send-draft";

const EMPTY: SendDraft = {
  phone: "",
  phoneNumberId: "",
  type: "text",
  text: "",
  interactive: "",
  template: { name: "", language: "" },
  values: {},
};

describe("a draft of a send", () => {
  test("is the same after a look at its JSON", () => {
    const draft = fc.record<SendDraft>({
      phone: fc.string(),
      phoneNumberId: fc.string(),
      type: fc.constantFrom("text", "template", "interactive"),
      text: fc.string(),
      interactive: fc.string(),
      template: fc.record({ name: fc.string(), language: fc.string() }),
      values: fc.dictionary(fc.constantFrom("1", "2", "copy_code"), fc.string({ minLength: 1 })),
    });
    fc.assert(
      fc.property(draft, (given) => {
        const json: unknown = JSON.parse(JSON.stringify(toDraftBody(given)));
        expect(toDraftBody(fromDraftBody(json, given) ?? EMPTY)).toEqual(toDraftBody(given));
      }),
    );
  });

  test.each<[string, unknown]>([
    ["a field that the form has not", { type: "text", phone: "1", content: "Hi", contactId: "ct_1" }],
    ["cards", { type: "template", phone: "1", templateName: "x", templateLanguage: "en", carousel: { cards: [] } }],
    ["a number in place of a text", { type: "text", phone: 447700900123, content: "Hi" }],
    ["another type", { type: "image", phone: "1" }],
    ["a list", []],
    ["nothing", null],
  ])("never hides a part of what was written: %s stays JSON", (_name, body) => {
    expect(fromDraftBody(body, EMPTY)).toBeUndefined();
  });

  test("what another kind holds stays filled in", () => {
    const draft = { ...EMPTY, phone: "1", text: "Hi", interactive: "{}" };
    expect(fromDraftBody({ type: "interactive", phone: "2", content: "[]" }, draft)).toEqual({
      ...draft,
      type: "interactive",
      phone: "2",
      interactive: "[]",
    });
  });
});
