import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "@/lib/core/json";
import { fingerprintOf } from "@/lib/messages/send/send-message";
import type { SendContent, SendRequest } from "@/lib/messages/send-request";

const request = (content: SendContent, more: Partial<SendRequest> = {}): SendRequest => ({
  phone: "447700900123",
  revalidateFlowSession: false,
  content,
  ...more,
});
const print = (one: SendRequest) => Buffer.from(fingerprintOf(one)).toString("hex");
const text = (words: string) => request({ type: "text", text: words });
const values = (templateVariables: Record<string, string>) =>
  request({ type: "template", name: "order", filling: { kind: "values", templateVariables } });
const ordered = (more: { expectCategory?: "UTILITY" | "MARKETING" }) =>
  request({ type: "template", name: "order", ...more, filling: { kind: "values", templateVariables: {} } });

describe("the same request", () => {
  test("has a SHA-256 of its own, which is part of the contract with stored rows", () => {
    expect(print(text("Hello"))).toBe("8f0c0e9e4134c19df1816f6e29c486768ca95a1187a541ec56ecc4fcc309d459");
  });

  test("depends on nothing but its values: not by the order of plain keys, nor by absent ones", () => {
    expect(print(values({ b: "2", a: "1" }))).toBe(print(values({ a: "1", b: "2" })));
    const given = (component: object) =>
      print(request({ type: "template", name: "t", filling: { kind: "components", components: [component] } }));
    expect(given({ type: "body", parameters: [] })).toBe(given({ parameters: [], type: "body" }));
    const { phone: _, ...withoutPhone } = text("Hello");
    expect(print({ ...withoutPhone, contactId: "ct_1" })).toBe(
      print(Object.assign({ phone: undefined }, withoutPhone, { contactId: "ct_1" }) as never),
    );
  });

  test("is the same under every order of keys, at every depth", () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([key, inner]) => [key, reversed(inner)]),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe("another request", () => {
  test.each<[string, SendRequest, SendRequest]>([
    ["in its text", text("Hello"), text("hello")],
    ["in the Unicode form of its text", text("\u00e9"), text("e\u0301")],
    ["in its type", text("{}"), request({ type: "interactive", source: "{}", interactive: {} })],
    ["in its recipient", text("a"), { ...text("a"), phone: "447700900124" }],
    ["in the kind of recipient", text("a"), { ...text("a"), contactId: "447700900123" }],
    ["in its line", text("a"), { ...text("a"), phoneNumberId: "pn_1" }],
    ["in its flag", text("a"), { ...text("a"), revalidateFlowSession: true }],
    ["in a value", values({ a: "1" }), values({ a: "2" })],
    ["in a key", values({ a: "1" }), values({ b: "1" })],
    ["in the category that it expects", ordered({}), ordered({ expectCategory: "UTILITY" })],
    ["in another category", ordered({ expectCategory: "MARKETING" }), ordered({ expectCategory: "UTILITY" })],
    ["in keys and values that run together", values({ a: '1","b":"2' }), values({ a: "1", b: "2" })],
  ])("differs %s", (_, one, other) => {
    expect(print(one)).not.toBe(print(other));
  });

  test("differs in the order of a card's values, and of its cards", () => {
    const cards = (...bodies: [string, string][][]) =>
      print(
        request({
          type: "template",
          name: "t",
          filling: {
            kind: "values",
            carousel: { cards: bodies.map((bodyValues, index) => ({ index, bodyValues, buttonValues: [] })) },
          },
        }),
      );
    expect(
      cards([
        ["a", "1"],
        ["b", "2"],
      ]),
    ).not.toBe(
      cards([
        ["b", "2"],
        ["a", "1"],
      ]),
    );
    expect(cards([["a", "1"]], [["b", "2"]])).not.toBe(cards([["b", "2"]], [["a", "1"]]));
  });

  test("differs in the spelling of an interactive payload, which is the caller's own string", () => {
    const interactive = (source: string) => request({ type: "interactive", source, interactive: JSON.parse(source) });
    expect(print(interactive('{"a":1,"b":2}'))).not.toBe(print(interactive('{"b":2,"a":1}')));
  });
});
