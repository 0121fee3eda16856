import { describe, expect, test } from "vitest";
import { card, MAIN, send } from "../../support/carousel-sends";
import { expectSent, sentBodies, templateWire } from "../../support/sends";
import { bodyPart, carouselRecord, imagePart, urlPart } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const sentCard = (card_index: number, more: object[] = []) => ({
  card_index,
  components: [imagePart(`77${card_index}`), bodyPart(`${card_index}0 %`), urlPart(1, `p/${card_index}`), ...more],
});
const sent = (...cards: object[]) => [bodyPart("Ana"), { type: "carousel", cards }];

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
      "a quick reply's payload, and parameters as WhatsApp's own list",
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
  ];

  test.for(filled)("%s", async ([, template, fields, components]) => {
    const workspace = await provisionWorkspace({ templates: [template] });
    const answer = await workspace.send(send(fields));
    expectSent(answer);
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, "summer_offers", components)]);
  });
});
