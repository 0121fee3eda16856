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
const FLOW = button({ sub_type: "flow" });
const DATA = { cardIndex: 1, flowId: "2" };

describe("the caller's own components", () => {
  test.each<[string, unknown[]]>([
    ["an empty list", []],
    ["parts without parameters, types of the future too", [{ type: "header" }, { type: "BODY" }, { type: "hologram" }]],
    ["fields of the future", [{ type: "hologram", light: { beams: 3 }, parameters: [{ type: "beam", beam: 1 }] }]],
    ["an index as number or text", [button({ index: 0 }), button({ index: "9" })]],
    ["what is no text", [body([{ type: "currency", currency: { fallback_value: "1", code: "EUR", amount_1000: 1 } }])]],
    ["cards in any order", [{ type: "carousel", cards: [1, 0].map((card_index) => ({ card_index, components: [] })) }]],
    ["keys of a future type, however they are spelled", [{ type: "hologram", cardIndex: 1, beam: { subType: 1 } }]],
    ["the caller's own data", [{ ...FLOW, parameters: [{ type: "action", action: { flow_action_data: DATA } }] }]],
    ["text that is a key's name", [body([{ type: "text", text: "parameterName" }])]],
  ])("%s pass", (_name, components) => {
    expect(checkGivenComponents(components)).toEqual([]);
  });

  const number = { type: "text", text: 7 };
  const cards = (...list: unknown[]) => [{ type: "carousel", cards: list }];
  const inCard = (component: unknown) => cards({ card_index: 0, components: [component] });
  const inCards = (...indexes: unknown[]) => cards(...indexes.map((card_index) => ({ card_index, components: [] })));
  const IN_CARD = ".cards[0].components[0]";
  test.each<[string, unknown[], path: string, words: RegExp]>([
    ["no object", ["body"], "", /object/],
    ["no type", [{ parameters: [] }], ".type", /string `type`/],
    ["a type that is no text", [{ type: 7 }], ".type", /string `type`/],
    ["parameters as an object", [body({ "1": "Ada" })], ".parameters", /array/],
    ["parameters as a text", [body("Ada")], ".parameters", /array/],
    ["parameters as null", [body(null)], ".parameters", /array/],
    ["parameters of a new type", [{ type: "hologram", parameters: {} }], ".parameters", /array/],
    ["a parameter as a text", [body([text, "Ada"])], ".parameters[1]", /object/],
    ["a parameter without a type", [body([{ text: "Ada" }])], ".parameters[0].type", /`type`/],
    ["a number as text", [body([text, number])], ".parameters[1].text", /string/],
    ["no text", [body([{ type: "text" }])], ".parameters[0].text", /string/],
    ["null as text", [body([{ type: "text", text: null }])], ".parameters[0].text", /string/],
    ["161 characters", [body([{ type: "text", text: "x".repeat(161) }])], ".parameters[0].text", /161 characters/],
    ["a button without sub_type", [button({ sub_type: undefined })], ".sub_type", /"url"/],
    ["a button without index", [button({ index: undefined })], ".index", /first button is 0/],
    ["a button's index of 10", [button({ index: 10 })], ".index", /0 to 9/],
    ["a button's index in words", [button({ index: "first" })], ".index", /0 to 9/],
    ["a carousel without cards", [{ type: "carousel" }], ".cards", /array/],
    ["cards as an object", [{ type: "carousel", cards: {} }], ".cards", /array/],
    ["no cards in it", cards(), ".cards", /1 to 10/],
    ["a card that is no object", cards(null), ".cards[0]", /object/],
    ["a card without card_index", cards({ components: [] }), ".cards[0].card_index", /duplicate-index/],
    ["a card_index as text", inCards("0"), ".cards[0].card_index", /duplicate-index/],
    ["a card_index of 10", inCards(10), ".cards[0].card_index", /0 to 9/],
    ["a card_index twice", inCards(0, 0), ".cards[1].card_index", /earlier/],
    ["a card without components", cards({ card_index: 0 }), ".cards[0].components", /array/],
    ["in a card: parameters as an object", inCard(body({})), `${IN_CARD}.parameters`, /array/],
    ["in a card: a number as text", inCard(body([number])), `${IN_CARD}.parameters[0].text`, /string/],
    ["in a card: no type", inCard({}), `${IN_CARD}.type`, /`type`/],
  ])("%s is one fault under its own path", (_name, components, path, words) => {
    expect(checkGivenComponents(JSON.parse(JSON.stringify(components)))).toEqual([
      { path: `templateComponents[0]${path}`, message: expect.stringMatching(words) },
    ]);
  });

  const action = (given: object) => button({ parameters: [{ type: "action", action: given }] });
  const currency = (given: object) => body([{ type: "currency", currency: { code: "EUR", ...given } }]);
  const named = body([{ ...text, parameterName: "name" }]);
  test.each<[component: object | undefined, path: string, right: string]>([
    [named, ".parameters[0].parameterName", "parameter_name"],
    [body([{ ...text, ParameterName: "name" }]), ".parameters[0].ParameterName", "parameter_name"],
    [button({ sub_type: undefined, subType: "url" }), ".subType", "sub_type"],
    [button({ subType: "url" }), ".subType", "sub_type"],
    [currency({ fallbackValue: "1", amount_1000: 1 }), ".parameters[0].currency.fallbackValue", "fallback_value"],
    [currency({ fallback_value: "1", amount1000: 1 }), ".parameters[0].currency.amount1000", "amount_1000"],
    [body([{ type: "date_time", dateTime: {} }]), ".parameters[0].dateTime", "date_time"],
    [button({ parameters: [{ type: "coupon_code", couponCode: "A" }] }), ".parameters[0].couponCode", "coupon_code"],
    [action({ flowActionData: { a: 1 } }), ".parameters[0].action.flowActionData", "flow_action_data"],
    [
      action({ sections: [{ product_items: [{ productRetailerId: "1" }] }] }),
      ".parameters[0].action.sections[0].product_items[0].productRetailerId",
      "product_retailer_id",
    ],
    [{ type: "carousel", cards: [{ cardIndex: 0, components: [] }] }, ".cards[0].cardIndex", "card_index"],
    [{ ...inCard(named)[0], type: "CAROUSEL" }, `${IN_CARD}.parameters[0].parameterName`, "parameter_name"],
  ])("%j is one fault that names WhatsApp's key", (component, path, right) => {
    expect(checkGivenComponents(JSON.parse(JSON.stringify([component])))).toEqual([
      { path: `templateComponents[0]${path}`, message: `is not a field of WhatsApp's. Did you mean \`${right}\`?` },
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
