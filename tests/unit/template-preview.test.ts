import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDefinition } from "@/lib/templates/definition";
import { previewTemplate } from "@/lib/templates/preview";
import { readMarks } from "@/lib/templates/text-marks";

const define = (components: unknown[]) =>
  readDefinition({ name: "t", language: "en", category: "MARKETING", parameterFormat: "POSITIONAL", components });
const written = (text: string) =>
  readMarks([{ text }]).map((run) => (run.marks.length > 0 ? `${run.marks.join("+")}(${run.text})` : run.text));

describe("marks", () => {
  test.each([
    ["Hi *Ada*, it is _here_", ["Hi ", "bold(Ada)", ", it is ", "italic(here)"]],
    ["~gone~ and ```a *b* c``` and `d`", ["strike(gone)", " and ", "mono(a *b* c)", " and ", "mono(d)"]],
    ["*all _of_ it*", ["bold(all )", "bold+italic(of)", "bold( it)"]],
    ["2 * 3 * 4", ["2 * 3 * 4"]],
    ["snake_case_name", ["snake_case_name"]],
    ["*open", ["*open"]],
    ["** and __", ["** and __"]],
    ["*two\nlines*", ["*two\nlines*"]],
    ["```two\nlines```", ["mono(two\nlines)"]],
    ["(*Ada*)", ["(", "bold(Ada)", ")"]],
  ])("%j", (text, runs) => {
    expect(written(text)).toEqual(runs);
  });

  test("no letter is lost or invented, whatever the signs", () => {
    const piece = fc.constantFrom("*", "_", "~", "`", "```", " ", "\n", "a", "Ж", "👍", "1");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        const signs = /[*_~`]/g;
        const shown = readMarks([{ text }])
          .map((run) => run.text)
          .join("");
        expect(shown.replace(signs, "")).toBe(text.replace(signs, ""));
      }),
    );
  });
});

describe("a preview", () => {
  const definition = define([
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Hi *{{1}}*, order {{2}}" },
    { type: "FOOTER", text: "Shop" },
    {
      type: "BUTTONS",
      buttons: [{ type: "URL", text: "Track", url: "https://shop.example/o/{{2}}" }, { type: "COPY_CODE" }],
    },
    { type: "CAROUSEL", cards: [{ components: [{ type: "BODY", text: "{{1}} off" }] }] },
  ]);

  test("fills what is given and keeps a slot, by its key, where nothing is", () => {
    const { header, body, footer, buttons, cards } = previewTemplate(definition, new Map([["1", "Ada"]]));
    expect(header).toEqual({ kind: "media", format: "image", source: null });
    expect(body).toEqual([
      { text: "Hi ", slot: null, marks: [] },
      { text: "Ada", slot: null, marks: ["bold"] },
      { text: ", order ", slot: null, marks: [] },
      { text: "", slot: "2", marks: [] },
    ]);
    expect(footer).toBe("Shop");
    expect(buttons.map(({ label }) => label)).toEqual(["Track", "Copy offer code"]);
    expect(buttons[0]?.target.map(({ text, slot }) => slot ?? text)).toEqual(["https://shop.example/o/", "2"]);
    expect(cards[0]?.body[0]).toEqual({ text: "", slot: "c0_1", marks: [] });
  });

  test("counts the body with its values in it, in code points", () => {
    const { characters } = previewTemplate(definition, new Map([["1", "👍👍"]]));
    expect(characters).toEqual({ used: "Hi *xx*, order ".length, most: 1024 });
  });

  test("values are text: signs in them are not marks", () => {
    const { body } = previewTemplate(
      definition,
      new Map([
        ["1", "<b>A</b>"],
        ["2", "{{1}}"],
      ]),
    );
    expect(body.map(({ text }) => text).join("")).toBe("Hi <b>A</b>, order {{1}}");
  });
});
