import { describe, expect, test } from "vitest";
import { checkGivenComponents } from "@/lib/templates/given-components";

describe("the caller's own components", () => {
  test("whatever has a string type passes, types of the future too; an empty list passes", () => {
    expect(checkGivenComponents([])).toEqual([]);
    expect(
      checkGivenComponents([{ type: "header" }, { type: "BODY", parameters: null }, { type: "hologram" }]),
    ).toEqual([]);
  });

  test("all faults come at once, each under its own path", () => {
    const paths = checkGivenComponents([
      "body",
      { parameters: [] },
      { type: 7 },
      { type: "carousel", cards: [{ card_index: 0 }, { card_index: "1" }, { components: [] }, null] },
      { type: "body", parameters: [{ type: "text", text: "x".repeat(161) }] },
    ]).map(({ path }) => path);
    expect(paths).toEqual([
      "templateComponents[0]",
      "templateComponents[1].type",
      "templateComponents[2].type",
      "templateComponents[3].cards[1].card_index",
      "templateComponents[3].cards[2].card_index",
      "templateComponents[3].cards[3].card_index",
      "templateComponents[4].parameters[0].text",
    ]);
  });

  test("a card without card_index learns what the platform would answer", () => {
    const [issue] = checkGivenComponents([{ type: "carousel", cards: [{ components: [] }] }]);
    expect(issue?.message).toContain("duplicate-index");
  });
});
