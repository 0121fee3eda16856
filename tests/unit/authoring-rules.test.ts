import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asListedTemplate } from "@/lib/sandbox/one-time-codes";
import { checkNewTemplate } from "@/lib/sandbox/template-creation-rules";
import { checkDraft } from "@/lib/templates/authoring-rules";
import { draftOf } from "@/lib/templates/stored-draft";
import type { DraftButton, DraftCode, DraftHeader, DraftPart, TemplateDraft } from "@/lib/whatsapp/draft";
import { toGraphDraftComponents, toGraphTemplate } from "@/lib/whatsapp/template-payload";

const NO_HEADER: DraftHeader = { kind: "none", text: "", sample: "" };
const DRAFT: TemplateDraft = {
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  header: NO_HEADER,
  body: "Hi {{1}}, order {{2}} is ready.",
  samples: ["Ada", "8812"],
  footer: "",
  buttons: [],
  cards: [],
};
const LINK: DraftButton = { kind: "url", label: "Track", target: "https://shop.example/o/{{1}}", sample: "8812" };
const CARD: DraftPart = {
  header: { kind: "image", text: "", sample: "https://cdn.example/a.jpg" },
  body: "Today {{1}} off this one.",
  samples: ["10 %"],
  buttons: [LINK],
};
const BUTTONS: DraftButton[] = [
  { ...LINK, kind: "quickReply" },
  LINK,
  { ...LINK, kind: "phone", target: "+44 20 7946 0123" },
  { ...LINK, kind: "copyCode", sample: "SAVE25" },
];
const pathsOf = (some: Partial<TemplateDraft>) => checkDraft({ ...DRAFT, ...some }).map(({ path }) => path);
const withButton = (some: Partial<DraftButton>) => pathsOf({ buttons: [{ ...LINK, ...some }] });
const carousel = (...cards: Partial<DraftPart>[]) => pathsOf({ cards: cards.map((card) => ({ ...CARD, ...card })) });

describe("a draft without a fault", () => {
  test.each([
    ["plain", {}],
    ["no variables", { body: "Your order is ready.", samples: [] }],
    ["a fixed link", { buttons: [{ ...LINK, target: "https://shop.example/", sample: "" }] }],
    ["body and link vary independently", { buttons: [LINK] }],
    ["every kind of button", { buttons: BUTTONS }],
    ["a text header", { header: { kind: "text" as const, text: "News for {{1}}", sample: "Ada" } }],
    ["a picture", { header: { kind: "image" as const, text: "", sample: "https://cdn.example/a.jpg" } }],
    ["three cards", { cards: [CARD, CARD, CARD] }],
    ["cards without a body", { cards: [1, 2].map(() => ({ ...CARD, body: "", samples: [] })) }],
  ])("%s", (_name, some) => {
    expect(pathsOf(some)).toEqual([]);
  });
});

describe("the field that is wrong is named", () => {
  test.each(["", "Order", "order-ready", "order ready", "ö"])("name %j", (name) => {
    expect(pathsOf({ name })).toEqual(["name"]);
  });

  test.each([
    ["Order Ready!", "order_ready"],
    ["año-2026", "ano_2026"],
    ["готово", "order_ready"],
  ])("suggests a name that is one for %j", (name, suggested) => {
    expect(checkDraft({ ...DRAFT, name })[0]?.message).toMatch(`only: ${suggested}.`);
    expect(pathsOf({ name: suggested })).toEqual([]);
  });

  test.each(["", "english", "en-US", "EN"])("language %j", (language) => {
    expect(pathsOf({ language })).toEqual(["language"]);
  });

  test.each([
    ["", "no body"],
    ["{{1}}, your order {{2}} is ready now.", "a variable at the start"],
    ["Your order is ready, dear {{1}} and {{2}}", "a variable at the end"],
    ["Hello {{1}} {{2}}, it is ready today.", "two side by side"],
    ["Hello {{1}}, order {{3}} is ready today.", "a gap"],
    ["Hello {{name}}, order {{2}} is ready.", "a name"],
    ["Hello {{1}}, order {{2} is ready for you.", "a broken brace"],
    ["a {{1}} b {{2}}.", "too few words"],
    [`${"a".repeat(1_020)} b c d`, "too long"],
  ])("body %j (%s)", (body) => {
    expect([...new Set(pathsOf({ body }))]).toEqual(["body"]);
  });

  test("each sample that is missing", () => {
    expect(pathsOf({ samples: ["", "8812"] })).toEqual(["samples.0"]);
    expect(pathsOf({ samples: ["Ada"] })).toEqual(["samples.1"]);
  });

  test.each([
    [{ target: "" }, "target"],
    [{ target: "http://shop.example/{{1}}" }, "target"],
    [{ target: " https://shop.example/{{1}}" }, "target"],
    [{ target: "https://shop.example/{{1}} " }, "target"],
    [{ target: "https://shop.example/a b/{{1}}" }, "target"],
    [{ target: "https://shop.example/{{1}}/track" }, "target"],
    [{ target: "https://shop.example/{{2}}" }, "target"],
    [{ target: "https://shop.example/{{1}}{{1}}" }, "target"],
    [{ target: "https://shop.example/{{ 1 }}" }, "target"],
    [{ target: "https://" }, "target"],
    [{ label: "" }, "label"],
    [{ label: "https://shop.example" }, "label"],
    [{ sample: "" }, "sample"],
    [{ sample: "https://shop.example/o/8812" }, "sample"],
    [{ kind: "phone" as const, target: "call us" }, "target"],
  ])("button %j", (some, field) => {
    expect(withButton(some)).toEqual([`buttons.0.${field}`]);
  });

  test("too many buttons of a kind, and quick replies that are not together", () => {
    const reply: DraftButton = { ...LINK, kind: "quickReply" };
    expect(pathsOf({ buttons: [LINK, LINK, LINK] })).toEqual(["buttons"]);
    expect(pathsOf({ buttons: [reply, LINK, reply] })).toEqual(["buttons"]);
  });

  test("header and footer", () => {
    expect(pathsOf({ header: { kind: "text", text: "{{1}} and {{2}}", sample: "a" } })).toEqual(["header.text"]);
    expect(pathsOf({ header: { kind: "text", text: "Hi {{1}}", sample: "" } })).toEqual(["header.sample"]);
    expect(pathsOf({ header: { kind: "video", text: "", sample: "4::abc" } })).toEqual(["header.sample"]);
    expect(pathsOf({ footer: "Bye {{1}}" })).toEqual(["footer"]);
  });

  test("cards: how many, one shape, media, buttons, a short body", () => {
    expect(carousel({})).toEqual(["cards"]);
    expect(carousel({}, { body: "" })).toEqual(["cards.1.shape"]);
    expect(carousel({}, { header: { kind: "video", text: "", sample: "https://cdn.example/a.mp4" } })).toEqual([
      "cards.1.shape",
    ]);
    expect(carousel({ buttons: [] }, { buttons: [] })).toEqual(["cards.0.buttons", "cards.1.buttons"]);
    expect(carousel({}, { body: `${"a".repeat(150)} {{1}} b c d e f` })).toEqual(["cards.1.body"]);
    expect(pathsOf({ cards: [CARD, CARD], footer: "Bye" })).toEqual(["footer"]);
  });
});

const words = fc.array(fc.constantFrom("Hi", "*your*", "order", "is", "👍", "now", "{{1}}", "{{2}}", "."), {
  maxLength: 9,
});
const short = fc.constantFrom("", "Ada", "https://a.example/x", "{{1}}", "a".repeat(61));
const draftButton = fc.record<DraftButton>({
  kind: fc.constantFrom("quickReply", "url", "phone", "copyCode"),
  label: short,
  target: fc.constantFrom("", "https://a.example/{{1}}", "https://a.example/", "http://a.example", "+442079460123"),
  sample: short,
});
const draftPart = fc.record<DraftPart>({
  header: fc.record<DraftHeader>({
    kind: fc.constantFrom("none", "text", "image", "video", "document"),
    text: short,
    sample: short,
  }),
  body: words.map((some) => some.join(" ")),
  samples: fc.array(short, { maxLength: 2 }),
  buttons: fc.array(draftButton, { maxLength: 3 }),
});
const anyDraft = fc
  .tuple(draftPart, fc.oneof(fc.constant<DraftPart[]>([]), fc.array(draftPart, { maxLength: 3 })), short)
  .map(([main, cards, footer]): TemplateDraft => ({ ...DRAFT, ...main, footer, cards }));

test("WhatsApp, as the sandbox plays it, takes every draft that has no fault", () => {
  let taken = 0;
  fc.assert(
    fc.property(anyDraft, (draft) => {
      if (checkDraft(draft).length > 0) return;
      taken++;
      expect(() => checkNewTemplate(toGraphTemplate(draft, new Map()))).not.toThrow();
    }),
    { numRuns: 5_000 },
  );
  expect(taken).toBeGreaterThan(20);
});

test("the sample of a link is posted to the letter", () => {
  const button: DraftButton = { kind: "url", label: "Track", target: "https://shop.example/o/{{1}}", sample: "a$&b$$" };
  const posted = JSON.stringify(toGraphTemplate({ ...DRAFT, buttons: [button] }, new Map()));
  expect(posted).toContain('"example":["https://shop.example/o/a$&b$$"]');
});

describe("a one-time code", () => {
  const CODE: DraftCode = { hasAdvice: true, minutes: "10", button: "copyCode", packageName: "", signatureHash: "" };
  const of = (some: Partial<DraftCode>): TemplateDraft => ({
    ...DRAFT,
    category: "AUTHENTICATION",
    body: "",
    samples: [],
    code: { ...CODE, ...some },
  });

  test.each<[string, Partial<DraftCode>, string[]]>([
    ["as it begins", {}, []],
    ["without an expiry", { minutes: "" }, []],
    ["that expires after 0 minutes", { minutes: "0" }, ["code.minutes"]],
    ["that expires after 91 minutes", { minutes: "91" }, ["code.minutes"]],
    ["for an app that is not named", { button: "oneTap" }, ["code.packageName", "code.signatureHash"]],
    ["for an app", { button: "oneTap", packageName: "com.example.shop", signatureHash: "K8a/AINcGX7" }, []],
  ])("%s is held to WhatsApp’s rules", (_, some, paths) => {
    expect(checkDraft(of(some)).map(({ path }) => path)).toEqual(paths);
    if (paths.length === 0) checkNewTemplate(toGraphTemplate(of(some), new Map()));
    else if (paths[0] === "code.minutes")
      expect(() => checkNewTemplate(toGraphTemplate(of(some), new Map()))).toThrow();
  });

  test("is stored as WhatsApp will list it", () => {
    const posted = checkNewTemplate(toGraphTemplate(of({}), new Map()));
    const listed = asListedTemplate({ ...posted, id: "1", status: "APPROVED" });
    expect(listed.components).toEqual(toGraphDraftComponents(of({}), new Map()));
  });
});

test("a stored template becomes the draft that it was written as", () => {
  fc.assert(
    fc.property(anyDraft, (draft) => {
      if (checkDraft(draft).length > 0) return;
      const components = toGraphDraftComponents(draft, new Map());
      const { name, language, category } = draft;
      const again = draftOf({ name, language, category, parameterFormat: "POSITIONAL", components });
      expect(again && toGraphDraftComponents(again, new Map())).toEqual(components);
    }),
  );
  expect(
    draftOf({ ...DRAFT, parameterFormat: "NAMED", components: [{ type: "BODY", text: "Hi {{name}}." }] }),
  ).toBeUndefined();
});

describe("a stored template is no draft, so that nothing of it is lost when it is submitted again, with", () => {
  const { name, language } = DRAFT;
  test.each([
    ["a component that the editor does not know", "UTILITY", { type: "call_permission_request" }],
    [
      "an offer without a text",
      "MARKETING",
      { type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: true } },
    ],
    ["a code without a tap", "AUTHENTICATION", { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "ZERO_TAP" }] }],
  ])("%s", (_, category, component) => {
    const components = [{ type: "BODY", text: "Ready." }, component];
    expect(draftOf({ name, language, category, parameterFormat: "POSITIONAL", components })).toBeUndefined();
  });
});
