import { describe } from "vitest";
import { card, MAIN, send } from "../../support/carousel-sends";
import { refusesSends } from "../../support/refused-sends";
import { carouselRecord } from "../../support/template-records";

describe("400", () => {
  const cards = (...given: object[]) => send({ ...MAIN, carousel: { cards: given } });

  refusesSends(
    [
      ["cards that is no list", send({ ...MAIN, carousel: { cards: {} } }), { "carousel.cards": "must be an array" }],
      [
        "a card that does not exist, and one given twice",
        cards(card(0), card(0), card(5)),
        { "carousel.cards": "Add card 1", "carousel.cards[1].index": "twice", "carousel.cards[2].index": "no card 5" },
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
    ],
    { templates: [carouselRecord(2)] },
  );
});
