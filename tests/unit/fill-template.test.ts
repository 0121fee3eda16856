import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Issue } from "@/lib/core/app-error";
import { issuesThrownBy } from "@/lib/http/issues";
import { readDefinition } from "@/lib/templates/definition";
import { fillTemplate, type TemplateValues } from "@/lib/templates/fill";

const define = (components: unknown[], parameterFormat = "POSITIONAL") =>
  readDefinition({ name: "order_ready", language: "en_US", category: "UTILITY", parameterFormat, components });

const issuesOf = (components: unknown[], values: TemplateValues, parameterFormat?: string): Issue[] => {
  const issues = issuesThrownBy(() => void fillTemplate(define(components, parameterFormat), values));
  for (const { message } of issues) expect(message.length).toBeLessThanOrEqual(280);
  return issues;
};
const pathsOf = (...given: Parameters<typeof issuesOf>) => issuesOf(...given).map(({ path }) => path);

const body = (text: string) => ({ type: "BODY", text });
const header = (format: string, text?: string) => ({ type: "HEADER", format, text });
const buttons = (...list: unknown[]) => ({ type: "BUTTONS", buttons: list });
const urlButton = { type: "URL", url: "https://shop.example/o/{{1}}" };

describe("every value lands in exactly its places", () => {
  const value = fc.stringMatching(/^[a-zA-Z0-9]{1,60}$/);

  test("positional: body in the order of the numbers, header and URL button by their own number", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), fc.nat(), (values, turn) => {
        const numbers = values.map((_, index) => index + 1);
        const shuffled = numbers.map((_, index) => numbers[(index + turn) % numbers.length]);
        const components = [
          header("TEXT", "For {{1}}"),
          body(shuffled.map((number) => `slot {{${number}}}`).join(" ")),
          buttons({ type: "QUICK_REPLY" }, urlButton),
        ];
        const templateVariables = Object.fromEntries(values.map((text, index) => [`${index + 1}`, text]));
        expect(fillTemplate(define(components), { templateVariables })).toEqual([
          { type: "header", parameter: { kind: "text", parameter: { text: values[0] } } },
          { type: "body", parameters: values.map((text) => ({ text })) },
          { type: "button", index: 1, parameter: { kind: "url", suffix: values[0] } },
        ]);
      }),
    );
  });

  test("named: every parameter carries its name, header and body alike", () => {
    const components = [header("TEXT", "For {{first_name}}"), body("{{order}} of {{first_name}}")];
    const templateVariables = { first_name: "Ada", order: "7" };
    expect(fillTemplate(define(components, "NAMED"), { templateVariables })).toEqual([
      { type: "header", parameter: { kind: "text", parameter: { name: "first_name", text: "Ada" } } },
      {
        type: "body",
        parameters: [
          { name: "order", text: "7" },
          { name: "first_name", text: "Ada" },
        ],
      },
    ]);
  });

  test("bodyParameters wins slot by slot in the body; the URL button keeps the value of templateVariables", () => {
    const components = [body("{{1}} and {{2}}"), buttons(urlButton)];
    const values = { templateVariables: { 1: "a", 2: "b" }, bodyParameters: { 1: "c" } };
    expect(fillTemplate(define(components), values)).toEqual([
      { type: "body", parameters: [{ text: "c" }, { text: "b" }] },
      { type: "button", index: 0, parameter: { kind: "url", suffix: "a" } },
    ]);
    expect(pathsOf(components, { bodyParameters: { 1: "c", 2: "d" } })).toEqual(["templateVariables.1"]);
  });

  test("a template without variables needs no components, except for a flow button", () => {
    const fixed = [header("TEXT", "Hello"), body("Done."), buttons({ type: "PHONE_NUMBER" }, { type: "CATALOG" })];
    expect(fillTemplate(define(fixed), { templateVariables: {} })).toEqual([]);
    expect(fillTemplate(define([buttons({ type: "FLOW" })]), {})).toEqual([
      { type: "button", index: 0, parameter: { kind: "flow" } },
    ]);
  });

  test("copy codes and products have keys of their own", () => {
    const components = [buttons({ type: "COPY_CODE" }, { type: "CATALOG" }, { type: "MPM" })];
    const templateVariables = { copy_code: "SALE10", catalog_product_retailer_id: "sku-1" };
    expect(fillTemplate(define(components), { templateVariables })).toEqual([
      { type: "button", index: 0, parameter: { kind: "copyCode", code: "SALE10" } },
      { type: "button", index: 1, parameter: { kind: "catalog", productRetailerId: "sku-1" } },
      { type: "button", index: 2, parameter: { kind: "multiProduct", productRetailerId: "sku-1" } },
    ]);
  });
});

describe("missing and surplus", () => {
  test("both sets are exact, in one answer", () => {
    const keys = fc.uniqueArray(fc.integer({ min: 1, max: 9 }).map(String));
    fc.assert(
      fc.property(keys, keys, (slots, given) => {
        const components = [body(slots.map((key) => `x {{${key}}}`).join(" "))];
        const templateVariables = Object.fromEntries(given.map((key) => [key, "value"]));
        const wrong = [...slots.filter((key) => !given.includes(key)), ...given.filter((key) => !slots.includes(key))];
        expect(pathsOf(components, { templateVariables }).sort()).toEqual(
          wrong.map((key) => `templateVariables.${key}`).sort(),
        );
      }),
    );
  });

  test("a missing value is one fault with all its places and the text around the slot", () => {
    const [issue, ...others] = issuesOf([body("Your order {{1}} is ready."), buttons(urlButton)], {});
    expect(others).toEqual([]);
    expect(issue?.message).toContain(
      'body ("Your order {{1}} is ready.") and button 0 url (https://shop.example/o/{{1}})',
    );
  });

  test("a surplus key learns which keys there are", () => {
    const [issue] = issuesOf([body("{{1}}")], { templateVariables: { 1: "a", name: "b" } });
    expect(issue?.message).toContain('variable "name". Its variables are 1.');
    expect(issuesOf([body("{{1}}")], { templateVariables: { 1: "a", c0_1: "b" } })[0]?.message).toContain("no cards");
  });

  test("a key that only templateComponents fills says so, and names no key that is cut", () => {
    const messageFor = (key: string, components: object[], given: Record<string, string>) =>
      issuesOf(components, { templateVariables: { ...given, [key]: "x" } }).find(({ path }) => path.endsWith(`.${key}`))
        ?.message;
    const [mpm, product] = [[buttons({ type: "MPM" })], { catalog_product_retailer_id: "sku-1" }];
    expect(messageFor("product_sections", mpm, product)).toBe(
      'No string fills "product_sections" (button 0 sections). Send `templateComponents` in place of `templateVariables`, or `catalog_product_retailer_id` here.',
    );
    const cards = [{ components: [header("IMAGE"), ...mpm] }];
    expect(messageFor("c0_product_sections", [{ type: "CAROUSEL", cards }], { c0_header: "1" })).toContain(
      "Send `templateComponents` in place of `templateVariables`, or `c0_catalog_product_retailer_id` here.",
    );
    expect(messageFor("other", mpm, product)).toContain("Its variables are catalog_product_retailer_id.");
  });

  test("bodyParameters reaches neither header nor buttons, and its surplus keys are named too", () => {
    const components = [header("TEXT", "{{1}}"), body("{{2}}")];
    expect(pathsOf(components, { bodyParameters: { 1: "a" } })).toEqual([
      "templateVariables.1",
      "bodyParameters.2",
      "bodyParameters.1",
    ]);
  });

  test("a key named like a property of every object is missing, not inherited", () => {
    expect(pathsOf([body("{{constructor}}")], { templateVariables: {} }, "NAMED")).toEqual([
      "templateVariables.constructor",
    ]);
  });
});

describe("broken values", () => {
  test.each([
    ["a line break", "a\nb"],
    ["a tab", "a\tb"],
    ["five spaces", "a     b"],
    ["nothing", ""],
    ["blanks only", "  "],
    ["161 characters", "é".repeat(161)],
  ])("%s is refused once, though two places share the key", (_, text) => {
    expect(pathsOf([body("{{1}}"), buttons(urlButton)], { templateVariables: { 1: text } })).toEqual([
      "templateVariables.1",
    ]);
  });

  test("four spaces in a row and 160 characters pass", () => {
    expect(pathsOf([body("{{1}}")], { templateVariables: { 1: `a    b${"😀".repeat(154)}` } })).toEqual([]);
  });

  test.each(["https://shop.example/o/8812", "shop.example/o/8812", "HTTPS://shop.example/o/8812"])(
    "the full URL %s is refused with the suffix to send",
    (text) => {
      const [issue] = issuesOf([buttons(urlButton)], { templateVariables: { 1: text } });
      expect(issue?.message).toMatch(/"(o\/)?8812"/);
    },
  );

  test("a suffix is sent as given, percent signs and question marks included", () => {
    const [button] = fillTemplate(define([buttons(urlButton)]), {
      templateVariables: { 1: "a%20b?next=https://x.example" },
    });
    expect(button).toMatchObject({ parameter: { suffix: "a%20b?next=https://x.example" } });
  });
});

describe("a media header", () => {
  const image = [header("IMAGE")];

  test("takes a link under its caller's name, or a WhatsApp media id", () => {
    const link = "https://cdn.example/a.png";
    expect(fillTemplate(define(image), { templateVariables: { header_link: link } })).toEqual([
      { type: "header", parameter: { kind: "link", format: "image", link, field: "templateVariables.header_link" } },
    ]);
    expect(fillTemplate(define(image), { templateVariables: { header: "7790001" } })).toEqual([
      { type: "header", parameter: { kind: "media", format: "image", whatsappMediaId: "7790001" } },
    ]);
  });

  test.each([
    ["neither", {}, "header_link"],
    ["both", { header_link: "https://cdn.example/a.png", header: "7790001" }, "header"],
    ["an internal handle", { header: "4::aW1hZ2U=" }, "header"],
    ["digits of another script", { header: "٣٤٥" }, "header"],
    ["another scheme", { header_link: "ftp://cdn.example/a.png" }, "header_link"],
    ["a line break in the link", { header_link: "https://cdn.example/a\n.png" }, "header_link"],
    ["no address", { header_link: "https://" }, "header_link"],
  ])("%s is refused", (_, templateVariables, key) => {
    expect(pathsOf(image, { templateVariables })).toEqual([`templateVariables.${key}`]);
  });
});

test.each([
  ["a location header", header("LOCATION")],
  ["a product header", header("PRODUCT")],
  ["an expiring offer", { type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: true } }],
  ["a single-product card", { type: "CAROUSEL", cards: [{ components: [buttons({ type: "SPM" })] }] }],
])("%s cannot be filled from simple values, and the answer says what can", (_, component) => {
  const [issue] = issuesOf([component], {});
  expect(issue?.message).toContain("Send `templateComponents` instead");
});
