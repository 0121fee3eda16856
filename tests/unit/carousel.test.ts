import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { issuesThrownBy } from "@/lib/http/issues";
import type { CarouselCard } from "@/lib/templates/carousel";
import { readDefinition } from "@/lib/templates/definition";
import { fillTemplate, type TemplateValues } from "@/lib/templates/fill";
import type { TemplateComponent } from "@/lib/whatsapp/message-payload";

type CardParts = { slots?: string[]; buttons?: unknown[]; format?: string };

const define = (cards: CardParts[], parameterFormat = "POSITIONAL") =>
  readDefinition({
    name: "sale",
    language: "en",
    category: "MARKETING",
    parameterFormat,
    components: [
      { type: "BODY", text: "Our picks" },
      {
        type: "CAROUSEL",
        cards: cards.map(({ slots = [], buttons = [], format }) => ({
          components: [
            ...(format ? [{ type: "HEADER", format }] : []),
            { type: "BODY", text: `Now ${slots.map((key) => `{{${key}}}`).join(" and ")}.` },
            { type: "BUTTONS", buttons },
          ],
        })),
      },
    ],
  });

const card = (index: number, parts: Partial<CarouselCard> = {}): CarouselCard => ({
  index,
  bodyValues: [],
  buttonValues: [],
  ...parts,
});

const issuesOf = (definition: ReturnType<typeof define>, values: TemplateValues) =>
  issuesThrownBy(() => void fillTemplate(definition, values));
const pathsOf = (...given: Parameters<typeof issuesOf>) => issuesOf(...given).map(({ path }) => path);

const cardsOf = (components: TemplateComponent[]) =>
  components.flatMap((component) => (component.type === "carousel" ? component.cards : []));

const value = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const link = "https://cdn.example/a.png";

describe("the two forms of a carousel", () => {
  const cardValues = fc.array(fc.array(value, { maxLength: 4 }), { minLength: 2, maxLength: 5 });

  test("structured cards and c{i}_ keys give the same cards", () => {
    fc.assert(
      fc.property(cardValues, fc.boolean(), (values, isReversed) => {
        const definition = define(
          values.map((slots) => ({ slots: slots.map((_, slot) => `${slot + 1}`), format: "IMAGE" })),
        );
        const flat = values.flatMap((slots, index): [string, string][] => [
          [`c${index}_header`, `77${index}`],
          ...slots.map((text, slot): [string, string] => [`c${index}_${slot + 1}`, text]),
        ]);
        const cards = values.map((slots, index) =>
          card(index, {
            bodyValues: slots.map((text, slot) => [`${slot + 1}`, text]),
            header: { format: "image", id: `77${index}` },
          }),
        );
        const carousel = { cards: isReversed ? cards.reverse() : cards };
        expect(fillTemplate(definition, { carousel })).toEqual(
          fillTemplate(definition, { templateVariables: Object.fromEntries(flat) }),
        );
      }),
    );
  });

  test("names fill the slots in the order they were written", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(names, (keys) => {
        const slots = keys.map((_, slot) => `${slot + 1}`);
        const bodyValues = keys.map((key): [string, string] => [key, `value of ${key}`]);
        const [filled] = cardsOf(fillTemplate(define([{ slots }]), { carousel: { cards: [card(0, { bodyValues })] } }));
        expect(filled?.components).toEqual([{ type: "body", parameters: bodyValues.map(([, text]) => ({ text })) }]);
      }),
    );
  });

  test("a template of named slots takes its own names in any order", () => {
    const definition = define([{ slots: ["item", "price"] }], "NAMED");
    const bodyValues: [string, string][] = [
      ["price", "9"],
      ["item", "Tea"],
    ];
    const [filled] = cardsOf(fillTemplate(definition, { carousel: { cards: [card(0, { bodyValues })] } }));
    expect(filled?.components).toEqual([
      {
        type: "body",
        parameters: [
          { name: "item", text: "Tea" },
          { name: "price", text: "9" },
        ],
      },
    ]);
  });

  test("c{i}_ keys fill what the structured form leaves open; the same slot in both is refused", () => {
    const url = { type: "URL", url: "https://shop.example/{{1}}" };
    const definition = define([{ slots: ["1", "2"], buttons: [url], format: "IMAGE" }]);
    const carousel = { cards: [card(0, { bodyValues: [["2", "b"]] })] };
    const templateVariables = { c0_1: "a", c0_header_link: link };
    expect(cardsOf(fillTemplate(definition, { carousel, templateVariables }))[0]?.components).toEqual([
      { type: "header", parameter: { kind: "link", format: "image", link, field: "templateVariables.c0_header_link" } },
      { type: "body", parameters: [{ text: "a" }, { text: "b" }] },
      { type: "button", index: 0, parameter: { kind: "url", suffix: "a" } },
    ]);
    expect(pathsOf(definition, { carousel, templateVariables: { ...templateVariables, c0_2: "x" } })).toEqual([
      "templateVariables.c0_2",
    ]);
    const withHeader = {
      cards: [card(0, { bodyValues: [["2", "b"]], header: { format: "image" as const, id: "77" } })],
    };
    expect(pathsOf(definition, { carousel: withHeader, templateVariables })).toEqual([
      "templateVariables.c0_header_link",
    ]);
  });
});

describe("what is missing from a structured card is named", () => {
  test("a header, by the field that takes it", () => {
    const carousel = { cards: [card(0)] };
    expect(issuesOf(define([{ format: "IMAGE" }]), { carousel })).toEqual([
      { path: "carousel.cards[0].header", message: expect.stringMatching(/"format": "image".*c0_header_link/) },
    ]);
  });

  test.each<[string, [string, string][]]>([
    ["a number", [["1", "a"]]],
    ["a name", [["first", "a"]]],
    ["nothing", []],
  ])("one slot of two, where the other has %s", (_name, bodyValues) => {
    const carousel = { cards: [card(0, { bodyValues })] };
    const issues = issuesOf(define([{ slots: ["1", "2"] }]), { carousel });
    expect(issues.at(-1)).toEqual({
      path: "carousel.cards[0].bodyValues.2",
      message: expect.stringContaining("{{2}}"),
    });
    expect(issues).toHaveLength(bodyValues.length === 0 ? 2 : 1);
  });

  test("a slot of its own name in a template of named slots", () => {
    const carousel = { cards: [card(0, { bodyValues: [["item", "Tea"]] })] };
    expect(issuesOf(define([{ slots: ["item", "price"] }], "NAMED"), { carousel })).toEqual([
      { path: "carousel.cards[0].bodyValues.price", message: expect.stringContaining("{{price}}") },
    ]);
  });
});

describe("body values of a card", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 2, maxLength: 5 });

  test("go by name where the names match; what is left fills what is open, in the order written", () => {
    fc.assert(
      fc.property(names, fc.nat(4), fc.boolean(), (slots, at, isNamed) => {
        const own = slots[at % slots.length] ?? "";
        const others = slots.filter((slot) => slot !== own);
        const strangers = others.map((_, place): [string, string] => [`X${place}`, `in place ${place}`]);
        const bodyValues: [string, string][] = [...strangers, [own, "by name"]];
        const definition = define([{ slots }], isNamed ? "NAMED" : "POSITIONAL");
        const [filled] = cardsOf(fillTemplate(definition, { carousel: { cards: [card(0, { bodyValues })] } }));
        const expected = slots.map((slot) => (slot === own ? "by name" : `in place ${others.indexOf(slot)}`));
        const [component] = filled?.components ?? [];
        const parameters = component?.type === "body" ? component.parameters : [];
        expect(parameters.map(({ text }) => text)).toEqual(expected);
        // WhatsApp takes the parameters of named slots by their names, whatever the template's format was stored as.
        expect(parameters.map(({ name }) => name)).toEqual(slots);
      }),
    );
  });
});

describe("buttons of a card", () => {
  const definition = define([
    {
      buttons: [{ type: "QUICK_REPLY" }, { type: "URL", url: "https://shop.example/{{1}}" }, { type: "PHONE_NUMBER" }],
    },
  ]);
  const withButtons = (...buttonValues: CarouselCard["buttonValues"]) => ({
    carousel: { cards: [card(0, { buttonValues })] },
  });

  test("a URL button takes its suffix, a quick reply its payload", () => {
    const values = withButtons(
      { index: 1, subType: "url", text: "a1" },
      { index: 0, subType: "QUICK_REPLY", text: "more\nplease" },
    );
    expect(cardsOf(fillTemplate(definition, values))[0]?.components).toEqual([
      { type: "button", index: 0, parameter: { kind: "quickReply", payload: "more\nplease" } },
      { type: "button", index: 1, parameter: { kind: "url", suffix: "a1" } },
    ]);
  });

  test("a URL button without a value is missing; a value for another kind of button is refused", () => {
    expect(pathsOf(definition, withButtons())).toEqual(["carousel.cards[0].buttonValues"]);
    const values = withButtons(
      { index: 1, subType: "quick_reply", text: "a1" },
      { index: 1, subType: "url", text: "a1" },
      { index: 2, subType: "url", text: "a1" },
      { index: 3, subType: "url", text: "a1" },
    );
    expect(pathsOf(definition, values)).toEqual([
      "carousel.cards[0].buttonValues[0].sub_type",
      "carousel.cards[0].buttonValues[1].index",
      "carousel.cards[0].buttonValues[2]",
      "carousel.cards[0].buttonValues[3].index",
    ]);
  });

  test("a full URL is refused under the path the caller wrote", () => {
    expect(pathsOf(definition, withButtons({ index: 1, subType: "url", text: "https://shop.example/a1" }))).toEqual([
      "carousel.cards[0].buttonValues[0].parameters.text",
    ]);
  });
});

describe("faults of the structured form", () => {
  test("the cards are exactly the template's, each once", () => {
    const definition = define([{}, {}, {}]);
    expect(pathsOf(definition, { carousel: { cards: [card(1), card(1), card(3)] } })).toEqual([
      "carousel.cards",
      "carousel.cards[1].index",
      "carousel.cards[2].index",
    ]);
    expect(pathsOf(define([]), { carousel: { cards: [card(0)] } })).toEqual(["carousel"]);
  });

  test("numbers and names do not mix, and what fits no slot is named", () => {
    const definition = define([{ slots: ["1", "2"] }]);
    const withBody = (...bodyValues: [string, string][]) => ({ carousel: { cards: [card(0, { bodyValues })] } });
    expect(pathsOf(definition, withBody(["1", "a"], ["name", "b"]))).toEqual(["carousel.cards[0].bodyValues"]);
    expect(pathsOf(definition, withBody(["1", "a"], ["2", "b"], ["3", "c"]))).toEqual([
      "carousel.cards[0].bodyValues.3",
    ]);
    expect(pathsOf(definition, withBody(["name", "a"]))).toEqual(["carousel.cards[0].bodyValues.2"]);
    expect(pathsOf(definition, withBody(["2", "b"]))).toEqual(["carousel.cards[0].bodyValues.1"]);
  });

  test("a header has the template's format and exactly one of link and id", () => {
    const definition = define([{ format: "VIDEO" }]);
    const withHeader = (header: CarouselCard["header"]) => ({ carousel: { cards: [card(0, { header })] } });
    expect(pathsOf(definition, withHeader({ format: "video", link }))).toEqual([]);
    expect(pathsOf(definition, withHeader({ format: "image", link }))).toEqual(["carousel.cards[0].header.format"]);
    expect(pathsOf(definition, withHeader({ format: "video", link, id: "7" }))).toEqual([
      "carousel.cards[0].header.id",
    ]);
    expect(pathsOf(definition, withHeader({ format: "video" }))).toEqual(["carousel.cards[0].header.link"]);
    expect(pathsOf(definition, withHeader({ format: "video", id: "4::x" }))).toEqual(["carousel.cards[0].header.id"]);
    expect(pathsOf(define([{}]), withHeader({ format: "video", link }))).toEqual(["carousel.cards[0].header"]);
  });
});
