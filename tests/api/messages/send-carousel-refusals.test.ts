import { describe } from "vitest";
import { card, imageId, MAIN, send, urlValue } from "../../support/carousel-sends";
import { refusesSends } from "../../support/refused-sends";
import { carouselRecord } from "../../support/template-records";

describe("400", () => {
  const cards = (...given: object[]) => send({ ...MAIN, carousel: { cards: given } });
  const variables = { "1": "Ana", c0_1: "a", c1_1: "b", c0_header: "1", c1_header: "2" };

  refusesSends(
    [
      ["cards that is no list", send({ ...MAIN, carousel: { cards: {} } }), { "carousel.cards": "must be an array" }],
      ["a carousel without cards", send({ ...MAIN, carousel: {} }), { "carousel.cards": "is required" }],
      [
        "eleven cards",
        cards(...Array.from({ length: 11 }, (_, at) => card(Math.min(at, 9)))),
        { "carousel.cards": "more than 10" },
      ],
      [
        "a card that does not exist, and one given twice",
        cards(card(0), card(0), card(5)),
        { "carousel.cards": "Add card 1", "carousel.cards[1].index": "twice", "carousel.cards[2].index": "no card 5" },
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
        "headers with both and with none",
        cards(
          card(0, { header: { format: "image", id: "1", link: "https://cdn.example/a.png" } }),
          card(1, { header: { format: "image" } }),
        ),
        { "carousel.cards[0].header": "exactly one", "carousel.cards[1].header": "one of `link`" },
      ],
      [
        "headers with a handle, and of another format",
        cards(card(0, { header: imageId("4::aW1h") }), card(1, { header: { format: "gif", id: "1" } })),
        {
          "carousel.cards[0].header.id": "digits",
          "carousel.cards[1].header.format": '"image", "video" or "document"',
        },
      ],
      [
        "a slot that both forms fill",
        send({
          templateVariables: { "1": "Ana", c0_1: "again", c0_header: "5" },
          carousel: { cards: [card(0), card(1)] },
        }),
        { "templateVariables.c0_1": "Keep one", "templateVariables.c0_header": "Keep one" },
      ],
      [
        "a card's body over 160 characters with its values",
        cards(card(0, { bodyValues: { "1": "a".repeat(160) } }), card(1)),
        { "carousel.cards[0].bodyValues.1": "164 characters with its values filled in" },
      ],
      [
        "missing keys of both cards, all at once",
        send({ templateVariables: { "1": "Ana" } }),
        {
          "templateVariables.c0_header_link": "is required",
          "templateVariables.c0_1": "is required",
          "templateVariables.c1_header_link": "is required",
          "templateVariables.c1_1": "is required",
        },
      ],
      [
        "a key of a card that does not exist, and of a slot that a card does not have",
        send({ templateVariables: { ...variables, c2_1: "c", c01_1: "d", c1_2: "c" } }),
        {
          "templateVariables.c2_1": "2 cards, 0 to 1",
          "templateVariables.c01_1": "Its variables are",
          "templateVariables.c1_2": "The variables of card 1 are",
        },
      ],
    ],
    { templates: [carouselRecord(2)] },
  );
});
