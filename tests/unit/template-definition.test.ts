import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDefinition } from "@/lib/templates/definition";

const stored = (components: unknown[], more: { category?: string; parameterFormat?: string } = {}) => ({
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  parameterFormat: "POSITIONAL",
  components,
  ...more,
});

describe("reading a stored template", () => {
  test("positional slots carry the examples of their position", () => {
    const { header, body } = readDefinition(
      stored([
        { type: "HEADER", format: "TEXT", text: "Hi {{1}}", example: { header_text: ["Ada"] } },
        { type: "BODY", text: "{{2}} for {{1}}", example: { body_text: [["Ada", "Order 7"]] } },
      ]),
    );
    expect(header).toMatchObject({ kind: "text", slots: [{ key: "1", example: "Ada" }] });
    expect(body?.slots).toEqual([
      { key: "1", example: "Ada" },
      { key: "2", example: "Order 7" },
    ]);
  });

  test("named slots carry the examples of their name", () => {
    const examples = [
      { param_name: "first_name", example: "Ada" },
      { param_name: "order", example: "7" },
    ];
    const body = { type: "body", text: "{{order}} for {{first_name}}", example: { body_text_named_params: examples } };
    const definition = readDefinition(stored([body], { parameterFormat: "named" }));
    expect(definition.isNamed).toBe(true);
    expect(definition.body?.slots).toEqual([
      { key: "order", example: "7" },
      { key: "first_name", example: "Ada" },
    ]);
  });

  test("buttons keep their place, and an odd one takes nothing", () => {
    const given = [
      null,
      { type: "quick_reply", text: "Yes" },
      { type: "URL", url: "https://shop.example/o/{{1}}", example: ["https://shop.example/o/8812"] },
      { type: "URL", url: "https://shop.example" },
      { type: "COPY_CODE", example: "SALE10" },
      { type: "FLOW" },
      { type: "HOLOGRAM" },
    ];
    const { buttons } = readDefinition(stored([{ type: "BUTTONS", buttons: given }]));
    expect(buttons.map(({ index }) => index)).toEqual([...given.keys()]);
    const kinds = ["fixed", "quickReply", "url", "fixed", "copyCode", "flow", "fixed"];
    expect(buttons.map(({ kind }) => kind)).toEqual(kinds);
    expect(buttons[2]).toMatchObject({ slot: { key: "1", example: "8812" }, isOneTimeCode: false });
  });

  test.each([
    ["as created", { type: "OTP", otp_type: "COPY_CODE" }],
    ["as listed", { type: "URL", url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}" }],
  ])("a one-time code button %s is a URL button fed by key 1, like the body", (_, button) => {
    const components = [
      { type: "BODY", add_security_recommendation: true },
      { type: "BUTTONS", buttons: [button] },
    ];
    const { body, buttons } = readDefinition(stored(components, { category: "AUTHENTICATION" }));
    expect(body?.slots.map(({ key }) => key)).toEqual(["1"]);
    expect(buttons).toMatchObject([{ kind: "url", slot: { key: "1" }, isOneTimeCode: true }]);
  });

  test("cards are read like templates of their own; an offer counts only when it expires", () => {
    const header = (format: string) => ({ type: "HEADER", format });
    const cards = [
      { components: [header("IMAGE"), { type: "BODY", text: "{{1}}" }] },
      { components: [header("PRODUCT")] },
    ];
    const offer = { text: "Sale", has_expiration: true };
    const definition = readDefinition(
      stored([
        { type: "LIMITED_TIME_OFFER", limited_time_offer: offer },
        { type: "CAROUSEL", cards },
      ]),
    );
    expect(definition.hasExpiringOffer).toBe(true);
    expect(definition.cards.map(({ header }) => header)).toEqual([
      { kind: "media", format: "image", example: null },
      { kind: "other", format: "PRODUCT" },
    ]);
  });

  test("no stored data makes it throw", () => {
    const word = fc.constantFrom("HEADER", "BODY", "BUTTONS", "CAROUSEL", "LIMITED_TIME_OFFER", "URL", "TEXT");
    const odd = fc.oneof(fc.jsonValue(), word);
    const component = fc.record(
      {
        type: odd,
        format: odd,
        text: odd,
        example: fc.oneof(
          fc.jsonValue(),
          fc.record({ body_text: odd, header_handle: odd, body_text_named_params: odd }),
        ),
        buttons: fc.oneof(odd, fc.array(fc.record({ type: odd, url: odd, example: odd }))),
        cards: fc.oneof(odd, fc.array(fc.record({ components: odd }))),
        limited_time_offer: odd,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(component, fc.jsonValue())), (components) => {
        expect(() => readDefinition(stored(components))).not.toThrow();
      }),
    );
  });
});
