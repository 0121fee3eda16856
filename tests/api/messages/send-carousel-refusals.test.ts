import { describe, test } from "vitest";
import { card, imageId, MAIN, send, urlValue } from "../../support/carousel-sends";
import { expectInvalid, expectNothingBound } from "../../support/sends";
import { carouselRecord } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const long = (characters: number) => "a".repeat(characters);

/** The text of a card where the usual one will not do. */
const TEXTS: Record<string, string> = { "one named value for two slots": "{{1}} off until {{2}}" };

describe("400", () => {
  const cards = (...given: object[]) => ({ ...MAIN, carousel: { cards: given } });
  const variables = { "1": "Ana", c0_1: "a", c1_1: "b", c0_header: "1", c1_header: "2" };
  const refused: [title: string, fields: object, faults: Record<string, string | RegExp>][] = [
    ["cards that is no list", { ...MAIN, carousel: { cards: {} } }, { "carousel.cards": "must be an array" }],
    ["a carousel without cards", { ...MAIN, carousel: {} }, { "carousel.cards": "is required" }],
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
      { "carousel.cards[0].bodyValues.second": "fits none", "carousel.cards[1].bodyValues.1": "is required" },
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
      { "carousel.cards[0].buttonValues": "is required" },
    ],
    [
      "an empty payload of a quick reply",
      cards(
        card(0, {
          buttonValues: [
            urlValue(1, "p"),
            { index: 0, sub_type: "quick_reply", parameters: { type: "payload", payload: " " } },
          ],
        }),
        card(1),
      ),
      { "carousel.cards[0].buttonValues[1].parameters.text": "empty" },
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
      { "carousel.cards[0].header": /"format": "image".*templateVariables\.c0_header_link/ },
    ],
    [
      "WhatsApp's names in a structured card",
      cards(
        {
          card_index: 0,
          body_values: { "1": "a" },
          header: { format: "image", id: "1", lnk: "x" },
          buttonValues: [{ index: 1, subtype: "url", parameters: { type: "text", text: "a", txt: "b" } }],
        },
        card(1),
      ),
      {
        "carousel.cards[0].index": "is required",
        "carousel.cards[0].card_index": "Did you mean `index`?",
        "carousel.cards[0].body_values": "Did you mean `bodyValues`?",
        "carousel.cards[0].header.lnk": "Did you mean `link`?",
        "carousel.cards[0].buttonValues[0].sub_type": "is required",
        "carousel.cards[0].buttonValues[0].subtype": "Did you mean `sub_type`?",
        "carousel.cards[0].buttonValues[0].parameters.txt": "Did you mean `text`?",
      },
    ],
    [
      "one named value for two slots",
      cards(card(0, { bodyValues: { discount: "10 %" } }), card(1, { bodyValues: { discount: "a", until: "b" } })),
      { "carousel.cards[0].bodyValues.2": "{{2}}" },
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
        "templateVariables.c0_header_link": "is required",
        "templateVariables.c0_1": "is required",
        "templateVariables.c1_header_link": "is required",
        "templateVariables.c1_1": "is required",
      },
    ],
    [
      "a key of a card that does not exist",
      { templateVariables: { ...variables, c2_1: "c", c01_1: "d" } },
      { "templateVariables.c2_1": "2 cards, 0 to 1", "templateVariables.c01_1": "Its variables are" },
    ],
    [
      "a slot that a card does not have",
      { templateVariables: { ...variables, c1_2: "c" } },
      { "templateVariables.c1_2": "The variables of card 1 are" },
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
    const workspace = await provisionWorkspace({
      templates: [carouselRecord(title.startsWith("headers") ? 4 : 2, TEXTS[title])],
    });
    expectInvalid(await workspace.send(send(fields)), faults);
    await expectNothingBound(workspace);
  });
});
