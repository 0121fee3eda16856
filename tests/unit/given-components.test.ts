import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSandbox } from "@/lib/sandbox/sandbox";
import { TemplateSend } from "@/lib/sandbox/template-shape";
import { checkGivenComponents } from "@/lib/templates/given-components";
import { INTERACTIVE } from "@/lib/whatsapp/interactive";
import { rightKey } from "@/lib/whatsapp/right-key";
import { call, options, sendTemplate } from "../support/sandbox-sends";

const body = (parameters: unknown) => ({ type: "body", parameters });
const button = (more: object) => ({ type: "button", sub_type: "url", index: "0", ...more });
const text = { type: "text", text: "Ada" };

describe("the caller's own components", () => {
  test.each<[string, unknown[]]>([
    ["an empty list", []],
    ["parts without parameters, types of the future too", [{ type: "header" }, { type: "BODY" }, { type: "hologram" }]],
    ["fields of the future", [{ type: "hologram", light: { beams: 3 }, parameters: [{ type: "beam", beam: 1 }] }]],
    ["an index as number or text", [button({ index: 0 }), button({ index: "9" })]],
    [
      "what is no text",
      [body([{ type: "currency", currency: { fallback_value: "1", code: "EUR", amount_1000: 1000 } }])],
    ],
    ["cards in any order", [{ type: "carousel", cards: [1, 0].map((card_index) => ({ card_index, components: [] })) }]],
    [
      "keys of a type of the future, however they are spelled",
      [{ type: "hologram", cardIndex: 1, beam: { subType: 1 } }],
    ],
    [
      "the caller's own data",
      [
        button({
          sub_type: "flow",
          parameters: [
            { type: "action", action: { flow_token: "t", flow_action_data: { cardIndex: 1, flowId: "2" } } },
          ],
        }),
      ],
    ],
    ["text that is a key's name", [body([{ type: "text", text: "parameterName" }])]],
  ])("%s pass", (_name, components) => {
    expect(checkGivenComponents(components)).toEqual([]);
  });

  const cards = (...list: unknown[]) => [{ type: "carousel", cards: list }];
  const inCard = (component: unknown) => cards({ card_index: 0, components: [component] });
  test.each<[string, unknown[], path: string, words: RegExp]>([
    ["no object", ["body"], "templateComponents[0]", /object/],
    ["no type", [{ parameters: [] }], "templateComponents[0].type", /string `type`/],
    ["a type that is no text", [{ type: 7 }], "templateComponents[0].type", /string `type`/],
    ["parameters as an object", [body({ "1": "Ada" })], "templateComponents[0].parameters", /array/],
    ["parameters as a text", [body("Ada")], "templateComponents[0].parameters", /array/],
    ["parameters as null", [body(null)], "templateComponents[0].parameters", /array/],
    ["parameters of a new type", [{ type: "hologram", parameters: {} }], "templateComponents[0].parameters", /array/],
    ["a parameter as a text", [body([text, "Ada"])], "templateComponents[0].parameters[1]", /object/],
    ["a parameter without a type", [body([{ text: "Ada" }])], "templateComponents[0].parameters[0].type", /`type`/],
    [
      "a number as text",
      [body([text, { type: "text", text: 7 }])],
      "templateComponents[0].parameters[1].text",
      /string/,
    ],
    ["no text", [body([{ type: "text" }])], "templateComponents[0].parameters[0].text", /string/],
    ["null as text", [body([{ type: "text", text: null }])], "templateComponents[0].parameters[0].text", /string/],
    [
      "161 characters",
      [body([{ type: "text", text: "x".repeat(161) }])],
      "templateComponents[0].parameters[0].text",
      /161 characters/,
    ],
    ["a button without sub_type", [button({ sub_type: undefined })], "templateComponents[0].sub_type", /"url"/],
    ["a button without index", [button({ index: undefined })], "templateComponents[0].index", /first button is 0/],
    ["a button's index of 10", [button({ index: 10 })], "templateComponents[0].index", /0 to 9/],
    ["a button's index in words", [button({ index: "first" })], "templateComponents[0].index", /0 to 9/],
    ["a carousel without cards", [{ type: "carousel" }], "templateComponents[0].cards", /array/],
    ["cards as an object", [{ type: "carousel", cards: {} }], "templateComponents[0].cards", /array/],
    ["no cards in it", cards(), "templateComponents[0].cards", /1 to 10/],
    ["a card that is no object", cards(null), "templateComponents[0].cards[0]", /object/],
    [
      "a card without card_index",
      cards({ components: [] }),
      "templateComponents[0].cards[0].card_index",
      /duplicate-index/,
    ],
    [
      "a card_index as text",
      cards({ card_index: "0", components: [] }),
      "templateComponents[0].cards[0].card_index",
      /duplicate-index/,
    ],
    [
      "a card_index of 10",
      cards({ card_index: 10, components: [] }),
      "templateComponents[0].cards[0].card_index",
      /0 to 9/,
    ],
    [
      "a card_index twice",
      cards({ card_index: 0, components: [] }, { card_index: 0, components: [] }),
      "templateComponents[0].cards[1].card_index",
      /earlier/,
    ],
    ["a card without components", cards({ card_index: 0 }), "templateComponents[0].cards[0].components", /array/],
    [
      "in a card: parameters as an object",
      inCard(body({})),
      "templateComponents[0].cards[0].components[0].parameters",
      /array/,
    ],
    [
      "in a card: a number as text",
      inCard(body([{ type: "text", text: 7 }])),
      "templateComponents[0].cards[0].components[0].parameters[0].text",
      /string/,
    ],
    ["in a card: no type", inCard({}), "templateComponents[0].cards[0].components[0].type", /`type`/],
  ])("%s is one fault under its own path", (_name, components, path, words) => {
    expect(checkGivenComponents(JSON.parse(JSON.stringify(components)))).toEqual([
      { path, message: expect.stringMatching(words) },
    ]);
  });

  const place = "templateComponents[0].parameters[0]";
  test.each<[given: string, component: object, path: string, right: string]>([
    ["parameterName", body([{ ...text, parameterName: "name" }]), `${place}.parameterName`, "parameter_name"],
    ["ParameterName", body([{ ...text, ParameterName: "name" }]), `${place}.ParameterName`, "parameter_name"],
    ["subType", button({ sub_type: undefined, subType: "url" }), "templateComponents[0].subType", "sub_type"],
    ["subType beside sub_type", button({ subType: "url" }), "templateComponents[0].subType", "sub_type"],
    [
      "fallbackValue",
      body([{ type: "currency", currency: { fallbackValue: "1", code: "EUR", amount_1000: 1 } }]),
      `${place}.currency.fallbackValue`,
      "fallback_value",
    ],
    [
      "amount1000",
      body([{ type: "currency", currency: { fallback_value: "1", code: "EUR", amount1000: 1 } }]),
      `${place}.currency.amount1000`,
      "amount_1000",
    ],
    ["dateTime", body([{ type: "date_time", dateTime: {} }]), `${place}.dateTime`, "date_time"],
    [
      "couponCode",
      button({ parameters: [{ type: "coupon_code", couponCode: "A" }] }),
      `${place}.couponCode`,
      "coupon_code",
    ],
    [
      "flowActionData",
      button({ parameters: [{ type: "action", action: { flowActionData: { a: 1 } } }] }),
      `${place}.action.flowActionData`,
      "flow_action_data",
    ],
    [
      "productRetailerId",
      button({
        parameters: [{ type: "action", action: { sections: [{ product_items: [{ productRetailerId: "1" }] }] } }],
      }),
      `${place}.action.sections[0].product_items[0].productRetailerId`,
      "product_retailer_id",
    ],
    [
      "cardIndex",
      { type: "carousel", cards: [{ cardIndex: 0, components: [] }] },
      "templateComponents[0].cards[0].cardIndex",
      "card_index",
    ],
    [
      "a key in a card",
      { type: "CAROUSEL", cards: [{ card_index: 0, components: [body([{ ...text, parameterName: "a" }])] }] },
      "templateComponents[0].cards[0].components[0].parameters[0].parameterName",
      "parameter_name",
    ],
  ])("%s is one fault that names WhatsApp's key", (_given, component, path, right) => {
    expect(checkGivenComponents(JSON.parse(JSON.stringify([component])))).toEqual([
      { path, message: `is not a field of WhatsApp's. Did you mean \`${right}\`?` },
    ]);
  });

  test("every key of several words that the sandbox and interactive messages know is known by its other spellings", () => {
    const schemas = [TemplateSend, ...INTERACTIVE.values()].map((schema) =>
      z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }),
    );
    const keys = new Set(
      JSON.stringify(schemas)
        .match(/"\w+_\w+":\{/g)
        ?.map((key) => key.slice(1, -3)),
    );
    for (const key of keys) {
      const camelCase = key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      expect([rightKey(camelCase), rightKey(key)]).toEqual([key, undefined]);
    }
    expect(keys.size).toBeGreaterThan(15);
  });

  test("all faults come at once", () => {
    const faulty = ["body", body({}), ...cards({ components: [body([{ type: "text" }])] })];
    expect(checkGivenComponents(faulty).map(({ path }) => path)).toEqual([
      "templateComponents[0]",
      "templateComponents[1].parameters",
      "templateComponents[2].cards[0].card_index",
      "templateComponents[2].cards[0].components[0].parameters[0].text",
    ]);
  });

  /** The contract's own fields, each mostly right; what WhatsApp has beside them is forwarded and not ours to classify. */
  test("what passes here has a shape that the sandbox takes", async () => {
    const sandbox = createSandbox({ ...options, templates: async () => [], acceptUnknownTemplates: true });
    const mostly = (good: fc.Arbitrary<unknown>) =>
      fc.oneof(
        { weight: 12, arbitrary: good },
        fc.constantFrom<unknown>(null, 7, "", "0", {}, [], true, ["a"], { "1": "a" }),
      );
    const some = (fields: Record<string, fc.Arbitrary<unknown>>, type: string | undefined) =>
      fc.record(fields, { requiredKeys: [] }).map((given) => (type === undefined ? given : { type, ...given }));
    const parameters = mostly(
      fc.array(mostly(some({ text: mostly(fc.constantFrom("Ada", "8812")) }, "text")), { maxLength: 2 }),
    );
    const plain = fc.oneof(
      some({ parameters }, "body"),
      some({ parameters }, "header"),
      some({ parameters, sub_type: mostly(fc.constant("url")), index: mostly(fc.constantFrom("0", 1, 10)) }, "button"),
    );
    const card = some(
      { card_index: mostly(fc.nat(11)), components: mostly(fc.array(plain, { maxLength: 2 })) },
      undefined,
    );
    const component = fc.oneof(plain, some({ cards: mostly(fc.array(mostly(card), { maxLength: 3 })) }, "carousel"));
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(mostly(component), { maxLength: 3 }), async (components) => {
        const faults = checkGivenComponents(components);
        for (const { path, message } of faults)
          expect([path, message]).toEqual([expect.any(String), expect.any(String)]);
        // The sandbox's words for a sub_type that it does not know are about the value, not its shape.
        const isForeign = /"sub_type":"(?!url")/.test(JSON.stringify(components));
        if (faults.length > 0 || isForeign || /"text":""/.test(JSON.stringify(components))) return;
        passed++;
        const answer = await call(sandbox, "POST", "106500001/messages", sendTemplate("any_name", components));
        expect(answer.status, JSON.stringify([components, answer.body])).toBe(200);
      }),
      { numRuns: 1_000 },
    );
    expect(passed).toBeGreaterThan(100);
  });
});
