import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactedAnswer, redactedBody } from "@/lib/api/log/request-record";
import { newId } from "@/lib/core/new-id";

const PHONE = "447700900126";
const shown = (body: unknown) => JSON.parse(redactedBody(body));

/** Long enough that it cannot be a part of what stands in its place. */
const value = fc
  .string({ minLength: 5, maxLength: 60, unit: "grapheme" })
  .filter((text) => !"<99 characters>".includes(text));
const phone = fc.stringMatching(/^[1-9]\d{9,14}$/);
const FIELDS = ["phone", "content", "text", "1", "c0_1", "copy_code", "header_link", "payload", "nonsense", "name"];
const body = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    value,
    phone,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => Math.abs(number) >= 10_000),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie("any"), { maxKeys: 5 }),
  ),
})).any;

const leaves = (json: unknown): string[] =>
  typeof json === "object" && json !== null ? Object.values(json).flatMap(leaves) : [String(json)];

describe("redactedBody", () => {
  test("holds no value of the body, whatever is sent where", () => {
    fc.assert(
      fc.property(body, (given) => {
        const text = redactedBody(given);
        for (const leaf of leaves(given)) {
          expect(text).not.toContain(leaf);
          expect(text).not.toContain(JSON.stringify(leaf).slice(1, -1));
        }
      }),
    );
  });

  test("holds no number of a person, as a value or as a key, however it is written", () => {
    const spaced = fc.tuple(phone, fc.constantFrom("", " ", "-", ".", "(0)")).map(([digits, gap]) => ({
      digits,
      written: `+${digits.slice(0, 2)}${gap}${digits.slice(2, 6)}${gap === "(0)" ? "" : gap}${digits.slice(6)}`,
    }));
    fc.assert(
      fc.property(
        spaced,
        fc.constantFrom("phone", "content", "templateName", "contactId"),
        ({ digits, written }, field) => {
          for (const given of [{ [field]: written }, { [field]: [{ [written]: written }] }, { [digits]: digits }]) {
            const text = redactedBody(given);
            expect(text).not.toContain(written);
            expect(text.replace(/\D/g, "")).not.toContain(digits);
          }
        },
      ),
    );
  });

  test("keeps the shape, what names a template or a line, and the end of the phone", () => {
    const phoneNumberId = newId("pn");
    const given = {
      type: "template",
      phone: `+${PHONE}`,
      phoneNumberId,
      templateName: "order_ready",
      templateLanguage: "en_US",
      expectCategory: "UTILITY",
      templateVariables: { "1": "Ada", c0_header_link: "https://shop.example/a.jpg" },
      carousel: { cards: [{ index: 0, header: { format: "image", link: "https://shop.example/b.jpg" } }] },
      revalidateFlowSession: true,
      content: null,
    };
    expect(shown(given)).toEqual({
      type: "template",
      phone: "44770•••0126",
      phoneNumberId,
      templateName: "order_ready",
      templateLanguage: "en_US",
      expectCategory: "UTILITY",
      templateVariables: { "1": "<3 characters>", c0_header_link: "<26 characters>" },
      carousel: { cards: [{ index: 0, header: { format: "image", link: "<26 characters>" } }] },
      revalidateFlowSession: true,
      content: null,
    });
  });

  test("keeps a known word only as a whole value, and a key only where it is an ordinary one", () => {
    expect(
      shown({ type: "text please", templateName: "Ada Lovelace", index: 447700900126, "Ada Lovelace": 1 }),
    ).toEqual({
      type: "<11 characters>",
      templateName: "<12 characters>",
      index: "<number>",
      "<key 4>": "<number>",
    });
  });

  test("has an end, whatever the body's length", () => {
    const long = { templateVariables: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`key_${i}`, "x"])) };
    expect(shown(long).templateVariables["…"]).toBe("4950 more");
    expect(redactedBody(Array.from({ length: 50 }, () => long)).length).toBeLessThan(8_100);
  });
});

describe("redactedAnswer", () => {
  test("keeps our words and masks every number of a person in them", () => {
    const requestId = newId("req");
    const given = {
      message: `\`phone\`: "+44 (0)7700 900126x" holds the national (0). Leave it out: ${PHONE}.`,
      details: {
        requestId,
        docsUrl: "http://192.168.100.20:3000/docs",
        resetsAt: "2026-02-01T00:00:00Z",
        subcode: 2494055,
      },
    };
    expect(JSON.parse(redactedAnswer(given))).toEqual({
      message: '`phone`: "44077•••0126x" holds the national (0). Leave it out: 44770•••0126.',
      details: given.details,
    });
  });
});
