import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkGivenLengths, checkParameterLengths } from "@/lib/templates/lengths";

describe("the 160-character rule", () => {
  test("counts code points: 160 emoji pass, 161 do not", () => {
    expect(checkParameterLengths([{ path: "templateVariables.1", text: "😀".repeat(160) }])).toEqual([]);
    expect(checkParameterLengths([{ path: "templateVariables.1", text: "😀".repeat(161) }])).toEqual([
      {
        path: "templateVariables.1",
        message: `"${"😀".repeat(40)}…" is 161 characters, the limit is 160. Shorten it.`,
      },
    ]);
  });

  test("every offender is named with its length, and no one else", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400)), (lengths) => {
        const issues = checkParameterLengths(lengths.map((length, i) => ({ path: `p${i}`, text: "é".repeat(length) })));
        const expected = lengths.flatMap((length, i) => (length > 160 ? [`p${i} ${length}`] : []));
        expect(issues.map(({ path, message }) => `${path} ${/\d+/.exec(message)?.[0]}`)).toEqual(expected);
      }),
    );
  });

  test("reaches text parameters at any depth of given components, and only texts", () => {
    const long = { type: "text", text: "x".repeat(161) };
    const payload = { type: "payload", payload: "x".repeat(200) };
    const components = [
      { type: "body", parameters: [{ type: "text", text: "fine" }, long] },
      { type: "button", sub_type: "quick_reply", index: "0", parameters: [payload] },
      { type: "carousel", cards: [{ card_index: 0, components: [{ type: "body", parameters: [long] }] }] },
    ];
    expect(checkGivenLengths(components).map(({ path }) => path)).toEqual([
      "templateComponents[0].parameters[1].text",
      "templateComponents[2].cards[0].components[0].parameters[0].text",
    ]);
  });
});
