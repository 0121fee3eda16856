import { describe, expect, test } from "vitest";
import { body, card, carousel, header, image, send, sendTemplate, text, url } from "../support/sandbox-sends";

describe("named parameters and carousels: refused", () => {
  const refused: [string, number, string, object][] = [
    [
      "named parameters without names",
      100,
      "Parameter name is missing",
      sendTemplate("test_named", [body(text("a"), text("b"))]),
    ],
    [
      "an unknown parameter name",
      100,
      "(nope)",
      sendTemplate("test_named", [body(text("a", "nope"), text("b", "first_name"))]),
    ],
    [
      "one parameter name twice",
      100,
      "twice",
      sendTemplate("test_named", [body(text("a", "first_name"), text("b", "first_name"))]),
    ],
    [
      "no carousel",
      132000,
      "number of cards (0) does not match the expected number of cards (3)",
      sendTemplate("test_carousel", [body(text("Ana"))]),
    ],
    ["two of three cards", 132000, "number of cards (2)", sendTemplate("test_carousel", carousel(card(0), card(1)))],
    [
      "a carousel that the template lacks",
      132000,
      "cards (1)",
      sendTemplate("hello_world", [{ type: "carousel", cards: [card(0)] }]),
    ],
    [
      "one card_index twice",
      131009,
      "unique card_index",
      sendTemplate("test_carousel", carousel(card(0), card(1), card(1))),
    ],
    [
      "a card_index that the template lacks",
      131009,
      "card_index 3",
      sendTemplate("test_carousel", carousel(card(0), card(1), card(3))),
    ],
    [
      "no card_index",
      131008,
      "card_index",
      sendTemplate("test_carousel", carousel({ components: [] }, card(1), card(2))),
    ],
    [
      "a card without its URL's value",
      131008,
      "carousel: card 1: buttons: Button at index 0",
      sendTemplate("test_carousel", carousel(card(0), card(1, [header(image), body(text("a"))]), card(2))),
    ],
    [
      "a card without its image",
      132012,
      "carousel: card 0: header",
      sendTemplate("test_carousel", carousel(card(0, [body(text("a")), url("a")]), card(1), card(2))),
    ],
    [
      "a filled-in card body over 160",
      132005,
      "at most 160",
      sendTemplate(
        "test_carousel",
        carousel(card(0, [header(image), body(text("x".repeat(160))), url("a")]), card(1), card(2)),
      ),
    ],
  ];

  test.each(refused)("%s: code %i", async (_, code, details, request) => {
    const answer = await send(request);
    expect(answer.body.error).toMatchObject({ code, error_data: { details: expect.stringContaining(details) } });
    expect(answer.status).toBe(code === 132001 ? 404 : 400);
  });
});
