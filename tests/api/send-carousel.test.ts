import { describe, expect, test } from "vitest";
import { expectInvalid, expectNothingBound, expectSent, PHONE, sentBodies, templateWire } from "../support/sends";
import {
  bodyOf,
  bodyPart,
  buttonsOf,
  carouselRecord,
  imagePart,
  templateRecord,
  urlPart,
} from "../support/template-records";
import { provisionWorkspace } from "../support/workspace";

const send = (more: object) => ({ type: "template", phone: PHONE, templateName: "summer_offers", ...more });
const long = (characters: number) => "a".repeat(characters);
const urlValue = (index: number, text: string) => ({ index, sub_type: "url", parameters: { type: "text", text } });
const imageId = (id: string) => ({ format: "image", id });
const card = (index: number, more: object = {}) => ({
  index,
  bodyValues: { "1": `${index}0 %` },
  buttonValues: [urlValue(1, `p/${index}`)],
  header: imageId(`77${index}`),
  ...more,
});
const sentCard = (card_index: number, more: object[] = []) => ({
  card_index,
  components: [imagePart(`77${card_index}`), bodyPart(`${card_index}0 %`), urlPart(1, `p/${card_index}`), ...more],
});
const sent = (...cards: object[]) => [bodyPart("Ana"), { type: "carousel", cards }];
const MAIN = { templateVariables: { "1": "Ana" } };

describe("201", () => {
  const filled: [title: string, template: Record<string, unknown>, fields: object, components: unknown[]][] = [
    [
      "c{i}_{slot} fills a card's body and its URL button, c{i}_header its picture",
      carouselRecord(),
      { templateVariables: { "1": "Ana", c0_1: "10", c1_1: "20", c0_header: "7790001", c1_header: "7790002" } },
      sent(
        { card_index: 0, components: [imagePart("7790001"), bodyPart("10"), urlPart(1, "10")] },
        { card_index: 1, components: [imagePart("7790002"), bodyPart("20"), urlPart(1, "20")] },
      ),
    ],
    [
      "cards[], in whatever order",
      carouselRecord(),
      { ...MAIN, carousel: { cards: [card(1), card(0)] } },
      sent(sentCard(0), sentCard(1)),
    ],
    [
      "cards[] with bodyParameters for the main body",
      carouselRecord(),
      { bodyParameters: { "1": "Ana" }, carousel: { cards: [card(0), card(1)] } },
      sent(sentCard(0), sentCard(1)),
    ],
    [
      "a quick reply's payload, and parameters as the platform's own list",
      carouselRecord(),
      {
        ...MAIN,
        carousel: {
          cards: [
            card(0, {
              buttonValues: [
                { index: 1, sub_type: "URL", parameters: [{ type: "text", text: "p/0" }] },
                { index: 0, sub_type: "quick_reply", parameters: { type: "payload", payload: "later-0" } },
              ],
            }),
            card(1),
          ],
        },
      },
      sent(
        {
          card_index: 0,
          components: [
            imagePart("770"),
            bodyPart("00 %"),
            {
              type: "button",
              sub_type: "quick_reply",
              index: "0",
              parameters: [{ type: "payload", payload: "later-0" }],
            },
            urlPart(1, "p/0"),
          ],
        },
        sentCard(1),
      ),
    ],
    [
      "what cards[] leaves open is taken from c{i}_{slot}",
      carouselRecord(),
      {
        templateVariables: { "1": "Ana", c0_1: "shared", c0_header: "7790001" },
        carousel: { cards: [{ index: 0 }, card(1)] },
      },
      sent(
        { card_index: 0, components: [imagePart("7790001"), bodyPart("shared"), urlPart(1, "shared")] },
        sentCard(1),
      ),
    ],
    [
      "named values fill the slots in the order written, whatever their alphabet",
      carouselRecord(2, "{{1}}, {{2}} and {{3}}"),
      {
        ...MAIN,
        carousel: {
          cards: [
            card(0, { bodyValues: { zeta: "first", alpha: "second", "1st": "third" } }),
            card(1, { bodyValues: { alpha: "first", zeta: "second", "10a": "third" } }),
          ],
        },
      },
      sent(
        { card_index: 0, components: [imagePart("770"), bodyPart("first", "second", "third"), urlPart(1, "p/0")] },
        { card_index: 1, components: [imagePart("771"), bodyPart("first", "second", "third"), urlPart(1, "p/1")] },
      ),
    ],
    [
      "numbered values go by number",
      carouselRecord(2, "{{1}} and {{2}}"),
      {
        ...MAIN,
        carousel: { cards: [0, 1].map((index) => card(index, { bodyValues: { "2": "second", "1": "first" } })) },
      },
      sent(
        { card_index: 0, components: [imagePart("770"), bodyPart("first", "second"), urlPart(1, "p/0")] },
        { card_index: 1, components: [imagePart("771"), bodyPart("first", "second"), urlPart(1, "p/1")] },
      ),
    ],
    [
      "ten cards",
      carouselRecord(10),
      { ...MAIN, carousel: { cards: Array.from({ length: 10 }, (_, index) => card(index)) } },
      sent(...Array.from({ length: 10 }, (_, index) => sentCard(index))),
    ],
    [
      "cards that take nothing but their picture, without a main body to fill",
      templateRecord("summer_offers", [
        bodyOf("Look:"),
        {
          type: "CAROUSEL",
          cards: [0, 1].map(() => ({
            components: [
              { type: "HEADER", format: "VIDEO" },
              bodyOf("New"),
              buttonsOf({ type: "QUICK_REPLY", text: "Buy" }),
            ],
          })),
        },
      ]),
      { carousel: { cards: [0, 1].map((index) => ({ index, header: { format: "VIDEO", id: `88${index}` } })) } },
      [
        {
          type: "carousel",
          cards: [0, 1].map((card_index) => ({
            card_index,
            components: [{ type: "header", parameters: [{ type: "video", video: { id: `88${card_index}` } }] }],
          })),
        },
      ],
    ],
  ];

  test.for(filled)("%s", async ([, template, fields, components]) => {
    const workspace = await provisionWorkspace({ templates: [template] });
    const answer = await workspace.send(send(fields));
    expectSent(answer);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      templateWire(answer, "summer_offers", components),
    ]);
  });
});

describe("400", () => {
  const cards = (...given: object[]) => ({ ...MAIN, carousel: { cards: given } });
  const variables = { "1": "Ana", c0_1: "a", c1_1: "b", c0_header: "1", c1_header: "2" };
  const refused: [title: string, fields: object, faults: Record<string, string | RegExp>][] = [
    ["cards that is no list", { ...MAIN, carousel: { cards: {} } }, { "carousel.cards": "must be an array" }],
    ["a carousel without cards", { ...MAIN, carousel: {} }, { "carousel.cards": "missing" }],
    [
      "a field that cards do not have",
      cards(card(0, { body: "x" }), card(1)),
      { "carousel.cards[0].body": "not a field" },
    ],
    ["a card without an index", cards({}, card(1)), { "carousel.cards[0].index": /missing|number/ }],
    [
      "eleven cards",
      cards(...Array.from({ length: 11 }, (_, at) => card(Math.min(at, 9)))),
      { "carousel.cards": "more than 10" },
    ],
    ["a card too few", cards(card(0)), { "carousel.cards": "Add card 1" }],
    [
      "a card that does not exist, and one given twice",
      cards(card(0), card(0), card(5)),
      { "carousel.cards": "Add card 1", "carousel.cards[1].index": "twice", "carousel.cards[2].index": "no card 5" },
    ],
    [
      "numbers and names mixed, whose order JSON would lose",
      cards(card(0, { bodyValues: { name: "a", "10": "b" } }), card(1)),
      { "carousel.cards[0].bodyValues": "do not mix", "carousel.cards[0].bodyValues.10": "fits none" },
    ],
    [
      "a value too many and one too few",
      cards(card(0, { bodyValues: { first: "a", second: "b" } }), card(1, { bodyValues: {} })),
      { "carousel.cards[0].bodyValues.second": "fits none", "carousel.cards[1].bodyValues.1": "missing" },
    ],
    [
      "buttons that do not exist, take nothing or are of another kind",
      cards(
        card(0, { buttonValues: [urlValue(1, "a"), urlValue(2, "b"), urlValue(1, "c")] }),
        card(1, { buttonValues: [urlValue(0, "a"), urlValue(1, "b")] }),
      ),
      {
        "carousel.cards[0].buttonValues[1].index": "no button 2",
        "carousel.cards[0].buttonValues[2].index": "twice",
        "carousel.cards[1].buttonValues[0].sub_type": '"quick_reply"',
      },
    ],
    [
      "a button value left out",
      cards(card(0, { buttonValues: [] }), card(1)),
      { "carousel.cards[0].buttonValues": "missing" },
    ],
    [
      "parameters that are no text",
      cards(card(0, { buttonValues: [{ index: 1, sub_type: "url", parameters: { text: "a" } }] }), card(1)),
      { "carousel.cards[0].buttonValues[0].parameters": '{"type":"text","text":"…"}' },
    ],
    [
      "headers with both, none, a handle and another format",
      cards(
        card(0, { header: { format: "image", id: "1", link: "https://cdn.example/a.png" } }),
        card(1, { header: { format: "image" } }),
        card(2, { header: imageId("4::aW1h") }),
        card(3, { header: { format: "gif", id: "1" } }),
      ),
      {
        "carousel.cards[0].header": "exactly one",
        "carousel.cards[1].header": "one of `link`",
        "carousel.cards[2].header.id": "digits",
        "carousel.cards[3].header.format": '"image", "video" or "document"',
      },
    ],
    [
      "a format that the template's card does not have",
      cards(card(0, { header: { format: "video", id: "1" } }), card(1)),
      { "carousel.cards[0].header.format": '"image"' },
    ],
    [
      "a header left out",
      cards(card(0, { header: null }), card(1)),
      { "templateVariables.c0_header_link": "c0_header" },
    ],
    [
      "a slot that both forms fill",
      { templateVariables: { "1": "Ana", c0_1: "again", c0_header: "5" }, carousel: { cards: [card(0), card(1)] } },
      { "templateVariables.c0_1": "Keep one", "templateVariables.c0_header": "Keep one" },
    ],
    [
      "all values over 160 characters",
      cards(card(0, { buttonValues: [urlValue(1, long(161))] }), card(1, { buttonValues: [urlValue(1, long(170))] })),
      {
        "carousel.cards[0].buttonValues[0].parameters.text": "161 characters, the limit is 160",
        "carousel.cards[1].buttonValues[0].parameters.text": "170 characters",
      },
    ],
    [
      "a card's body over 160 characters with its values",
      cards(card(0, { bodyValues: { "1": long(160) } }), card(1)),
      { "carousel.cards[0].bodyValues.1": "164 characters with its values filled in" },
    ],
    [
      "a line break in a card",
      cards(card(0, { bodyValues: { "1": "a\nb" } }), card(1)),
      { "carousel.cards[0].bodyValues.1": "line break" },
    ],
    [
      "a full URL as a card's suffix",
      cards(card(0, { buttonValues: [urlValue(1, "https://shop.example/p")] }), card(1)),
      { "carousel.cards[0].buttonValues[0].parameters.text": 'only the suffix, "p"' },
    ],
    [
      "missing keys of both cards, all at once",
      { templateVariables: { "1": "Ana" } },
      {
        "templateVariables.c0_header_link": "missing",
        "templateVariables.c0_1": "missing",
        "templateVariables.c1_header_link": "missing",
        "templateVariables.c1_1": "missing",
      },
    ],
    [
      "a key of a card that does not exist",
      { templateVariables: { ...variables, c2_1: "c", c01_1: "d" } },
      { "templateVariables.c2_1": "2 cards, 0 to 1", "templateVariables.c01_1": "takes" },
    ],
    [
      "a slot that a card does not have",
      { templateVariables: { ...variables, c1_2: "c" } },
      { "templateVariables.c1_2": "Card 1 takes" },
    ],
    [
      "a header id that is not digits",
      { templateVariables: { ...variables, c0_header: "4::aW1h" } },
      { "templateVariables.c0_header": "digits only" },
    ],
    [
      "a header id in other digits",
      { templateVariables: { ...variables, c0_header: "１２３" } },
      { "templateVariables.c0_header": "digits only" },
    ],
    [
      "both a header's link and its id",
      { templateVariables: { ...variables, c0_header_link: "https://cdn.example/a.png" } },
      { "templateVariables.c0_header": "both given" },
    ],
  ];

  test.for(refused)("%s", async ([title, fields, faults]) => {
    const workspace = await provisionWorkspace({ templates: [carouselRecord(title.startsWith("headers") ? 4 : 2)] });
    expectInvalid(await workspace.send(send(fields)), faults);
    await expectNothingBound(workspace);
  });
});
