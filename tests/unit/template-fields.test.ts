import { describe, expect, test } from "vitest";
import { adviceOn } from "@/lib/templates/advice";
import { readDefinition } from "@/lib/templates/definition";
import { buttonsWithoutValue, groupFields, inputKinds } from "@/lib/templates/value-fields";

const define = (components: unknown[]) =>
  readDefinition({ name: "t", language: "en", category: "MARKETING", parameterFormat: "POSITIONAL", components });

const definition = define([
  { type: "BODY", text: "Hi {{1}}" },
  {
    type: "BUTTONS",
    buttons: [
      { type: "QUICK_REPLY", text: "Stop" },
      { type: "URL", text: "Track", url: "https://shop.example/o/{{1}}" },
      { type: "URL", text: "Pay", url: "https://shop.example/pay/{{2}}" },
    ],
  },
  {
    type: "CAROUSEL",
    cards: [
      {
        components: [
          { type: "HEADER", format: "IMAGE" },
          { type: "BODY", text: "{{1}} off" },
        ],
      },
    ],
  },
]);

describe("fields", () => {
  test("are grouped with the message or their card, and say where their value goes", () => {
    const groups = groupFields(definition).map(({ cardIndex, fields }) => ({
      cardIndex,
      fields: fields.map(({ key, places, urlBase }) => [key, places.join(), urlBase]),
    }));
    expect(groups).toEqual([
      {
        cardIndex: null,
        fields: [
          ["1", "body,button 1 url (Track)", null],
          ["2", "button 2 url (Pay)", "https://shop.example/pay/"],
        ],
      },
      {
        cardIndex: 0,
        fields: [
          ["c0_header_link", "card 0 header", null],
          ["c0_header", "card 0 header", null],
          ["c0_1", "card 0 body", null],
        ],
      },
    ]);
  });

  test("buttons that take nothing are named", () => {
    expect(buttonsWithoutValue(definition)).toEqual(["Stop"]);
  });

  test("a list shows in a few words what a send brings", () => {
    expect(inputKinds(definition)).toEqual(["1 text", "link", "1 card (image, 1 text)"]);
    expect(inputKinds(define([{ type: "BODY", text: "Hello" }]))).toEqual([]);
  });
});

describe("advice", () => {
  const on = (status: string, rejectedReason: string | null = null, hasLine = true) =>
    adviceOn({ status, rejectedReason }, { hasLine });

  test("is silent where a template can be sent, and says what keeps it from it otherwise", () => {
    expect(on("APPROVED")).toBeUndefined();
    expect(on("APPROVED", null, false)?.title).toContain("No active line");
    expect(on("PENDING")?.tone).toBe("info");
    expect(on("REJECTED", "INVALID_FORMAT")).toMatchObject({
      title: "Rejected: invalid format.",
      fix: expect.stringMatching(/variables.*submit it again/),
    });
  });

  test("a reason or a status that is new to us is reported as it is", () => {
    expect(on("REJECTED", "NEW_REASON")?.title).toBe("Rejected: new reason.");
    expect(on("LIMIT_EXCEEDED")?.title).toBe("Limit exceeded.");
  });
});
