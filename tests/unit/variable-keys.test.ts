import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDefinition } from "@/lib/templates/definition";
import { cardKey, listVariables, readCardKey } from "@/lib/templates/variable-keys";

const define = (components: unknown[]) =>
  readDefinition({ name: "t", language: "en", category: "MARKETING", parameterFormat: "POSITIONAL", components });

describe("card keys", () => {
  test("what is written is read back, whatever the slot is called", () => {
    fc.assert(
      fc.property(fc.nat(9), fc.string({ minLength: 1 }), (cardIndex, slot) => {
        expect(readCardKey(cardKey(cardIndex, slot))).toEqual({ cardIndex, slot });
      }),
    );
  });

  test.each(["1", "copy_code", "catalog_product_retailer_id", "header", "c_1", "c0", "c0_", "c00_1", "C0_1"])(
    "%s is no card's key",
    (key) => {
      expect(readCardKey(key)).toBeNull();
    },
  );
});

describe("the variables of a template", () => {
  test("a key shared by header, body and URL button is one entry with all its places", () => {
    const definition = define([
      { type: "HEADER", format: "TEXT", text: "For {{1}}" },
      { type: "BODY", text: "{{1}} and {{2}}", example: { body_text: [["Ada", "7"]] } },
      { type: "BUTTONS", buttons: [{ type: "URL", url: "https://shop.example/{{1}}" }] },
    ]);
    expect(listVariables(definition)).toEqual([
      // A header has 60 characters with its value in it.
      { key: "1", where: ["header", "body", "button 0 url"], example: "Ada", maxLength: 56, required: true },
      { key: "2", where: ["body"], example: "7", maxLength: 160, required: true },
    ]);
  });

  test("a media header has two keys of which one is enough; coupon codes are short; products may be left out", () => {
    const definition = define([
      { type: "HEADER", format: "IMAGE", example: { header_handle: ["https://cdn.example/a.png"] } },
      { type: "BUTTONS", buttons: [{ type: "COPY_CODE", example: ["SALE"] }, { type: "CATALOG" }] },
    ]);
    const rows = listVariables(definition).map(({ key, where, example, maxLength, required }) => [
      key,
      ...where,
      example,
      maxLength,
      required,
    ]);
    expect(rows).toEqual([
      ["header_link", "header", "https://cdn.example/a.png", null, false],
      ["header", "header", null, null, false],
      ["copy_code", "button 0 copy code", "SALE", 15, true],
      ["catalog_product_retailer_id", "button 1 product", null, null, false],
    ]);
  });

  test("what is one of two says so, what only components can fill, too; the rest is as short as before", () => {
    const header = (format: string) => ({ type: "HEADER", format });
    const buttons = (...list: object[]) => ({ type: "BUTTONS", buttons: list });
    const of = (...components: object[]) => listVariables(define(components));
    const either = { maxLength: null, required: false, oneOf: ["header_link", "header"] };
    const component = { example: null, maxLength: null, required: true, fillWith: "templateComponents" };
    expect(of(header("DOCUMENT"))).toEqual([
      { key: "header_link", where: ["header"], example: null, ...either },
      { key: "header", where: ["header"], example: null, ...either },
    ]);
    expect(of(header("LOCATION"))).toEqual([{ key: "location", where: ["header"], ...component }]);
    expect(of(header("PRODUCT"), buttons({ type: "SPM" }))).toEqual([
      { key: "product", where: ["header"], ...component },
    ]);
    expect(of({ type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: true } })).toEqual([
      { key: "limited_time_offer", where: ["limited-time offer"], ...component },
    ]);
    expect(of({ type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: false } })).toEqual([]);
    const oneOf = ["catalog_product_retailer_id", "product_sections"];
    expect(of(buttons({ type: "MPM" }))).toEqual([
      { key: oneOf[0], where: ["button 0 product"], example: null, maxLength: null, required: false, oneOf },
      { key: oneOf[1], where: ["button 0 sections"], ...component, oneOf },
    ]);
    expect(of(buttons({ type: "OTP", otp_type: "COPY_CODE" }))).toEqual([
      { key: "1", where: ["button 0 url"], example: null, maxLength: 15, required: true },
    ]);
    const cards = [{ components: [header("IMAGE")] }, { components: [header("PRODUCT")] }];
    expect(
      of({ type: "CAROUSEL", cards }).map(({ key, where, oneOf, fillWith }) => [key, where, oneOf, fillWith]),
    ).toEqual([
      ["c0_header_link", ["card 0 header"], ["c0_header_link", "c0_header"], undefined],
      ["c0_header", ["card 0 header"], ["c0_header_link", "c0_header"], undefined],
      ["c1_product", ["card 1 header"], undefined, "templateComponents"],
    ]);
  });

  test("a named variable that is called like a part for components stays a key of its own", () => {
    const named = define([
      { type: "HEADER", format: "LOCATION" },
      { type: "BODY", text: "We are in {{location}}." },
    ]);
    expect(listVariables(named).map(({ key, fillWith }) => [key, fillWith])).toEqual([
      ["location", "templateComponents"],
      ["location", undefined],
    ]);
  });

  test("a card's keys carry its number, and its places name the card", () => {
    const card = {
      components: [
        { type: "HEADER", format: "VIDEO" },
        { type: "BODY", text: "{{1}}" },
        { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY" }, { type: "URL", url: "https://shop.example/{{1}}" }] },
      ],
    };
    const variables = listVariables(define([{ type: "CAROUSEL", cards: [card, card] }]));
    expect(variables.map(({ key, where }) => [key, ...where])).toEqual([
      ["c0_header_link", "card 0 header"],
      ["c0_header", "card 0 header"],
      ["c0_1", "card 0 body", "card 0 button 1 url"],
      ["c1_header_link", "card 1 header"],
      ["c1_header", "card 1 header"],
      ["c1_1", "card 1 body", "card 1 button 1 url"],
    ]);
  });
});
