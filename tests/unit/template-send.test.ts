import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { isRecord } from "@/lib/core/json";
import { formsOf, type SendForm, templateSendBody } from "@/lib/docs/template-send";
import { issuesThrownBy } from "@/lib/http/issues";
import { readDefinition, type TemplateDefinition } from "@/lib/templates/definition";
import { fillTemplate } from "@/lib/templates/fill";
import { previewTemplate } from "@/lib/templates/preview";
import { withSamples } from "@/lib/templates/sample-values";
import { groupFields } from "@/lib/templates/value-fields";
import { listVariables } from "@/lib/templates/variable-keys";
import { toGraphComponents } from "@/lib/whatsapp/message-payload";
import { callWith } from "../support/calls";

const define = (components: unknown[]) =>
  readDefinition({ name: "t", language: "en_US", category: "MARKETING", parameterFormat: "POSITIONAL", components });

const sample = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.constant("https://x.example/full"),
  fc.constant("two\nlines"),
);
const slots = fc.integer({ min: 0, max: 3 });
const bodyOf = (count: number, examples: string[]) => ({
  type: "BODY",
  text: `Text ${Array.from({ length: count }, (_, index) => `of {{${index + 1}}}`).join(" and ")} end`,
  example: { body_text: [examples] },
});
const button = fc.oneof(
  fc.record({
    type: fc.constant("URL"),
    text: fc.constant("Go"),
    url: fc.constant("https://s.example/{{1}}"),
    example: fc.tuple(sample),
  }),
  fc.constantFrom(
    { type: "QUICK_REPLY", text: "Yes" },
    { type: "URL", text: "Fixed", url: "https://s.example" },
    { type: "PHONE_NUMBER", text: "Call", phone_number: "+44770" },
    { type: "COPY_CODE", example: ["SAVE"] },
    { type: "CATALOG" },
  ),
);
const header = fc.oneof(
  fc.constant([]),
  fc
    .record({ format: fc.constantFrom("IMAGE", "VIDEO", "DOCUMENT"), link: sample })
    .map(({ format, link }) => [{ type: "HEADER", format, example: { header_handle: [link] } }]),
);
const part = fc
  .tuple(header, slots, fc.array(sample, { maxLength: 3 }), fc.array(button, { maxLength: 3 }))
  .map(([head, count, examples, buttons]) => [...head, bodyOf(count, examples), { type: "BUTTONS", buttons }]);
const template = fc
  .tuple(part, fc.array(part, { maxLength: 3 }))
  .map(([main, cards]) =>
    define(
      cards.length > 0 ? [...main, { type: "CAROUSEL", cards: cards.map((components) => ({ components })) }] : main,
    ),
  );

const wire = (definition: TemplateDefinition, form: SendForm, values: ReadonlyMap<string, string>) => {
  const body = templateSendBody({ definition, values, phone: "447700900003" }, form);
  const { content } = parseSendRequest(JSON.parse(JSON.stringify(body)), callWith()).request;
  if (content.type !== "template") throw new Error("a template was written");
  if (content.filling.kind === "components") return content.filling.components;
  return toGraphComponents(fillTemplate(definition, content.filling), { links: "kept" });
};

/** A card's picture goes by a link in one form and by a media id in another, as WhatsApp documents no link there. */
const withoutCardMedia = (components: unknown[] | undefined) =>
  JSON.parse(
    JSON.stringify(components, (key, value) =>
      key === "cards" ? JSON.parse(JSON.stringify(value).replace(/\{"(id|link)":"[^"]*"\}/g, '"media"')) : value,
    ),
  );

describe("one parse of a template", () => {
  test("what the fields ask for is what the validator wants: all filled it passes, and each that is due is missed", () => {
    fc.assert(
      fc.property(template, (definition) => {
        const variables = listVariables(definition);
        const values = withSamples(definition, new Map());
        expect(() => fillTemplate(definition, { templateVariables: Object.fromEntries(values) })).not.toThrow();
        for (const { key } of variables.filter(({ required }) => required)) {
          const rest = Object.fromEntries([...values].filter(([name]) => name !== key));
          expect(missedBy(definition, rest)).toEqual([`templateVariables.${key}`]);
        }
        for (const oneOf of new Set(variables.flatMap((variable) => (variable.oneOf ? [variable.oneOf.join()] : [])))) {
          const [first = "", ...others] = oneOf.split(",");
          const rest = Object.fromEntries([...values].filter(([name]) => name !== first && !others.includes(name)));
          expect(missedBy(definition, rest)).toEqual([`templateVariables.${first}`]);
        }
      }),
    );
  });

  test("no card of the shown components has a link: WhatsApp documents media ids only there", () => {
    fc.assert(
      fc.property(template, (definition) => {
        const values = withSamples(definition, new Map());
        const [carousel] = wire(definition, "components", values).filter(
          (one) => isRecord(one) && one.type === "carousel",
        );
        expect(JSON.stringify(carousel ?? {})).not.toContain('"link"');
      }),
    );
  });

  test("every slot that the preview shows has a field, and none is left when the fields are filled", () => {
    fc.assert(
      fc.property(template, (definition) => {
        const variables = listVariables(definition);
        const keys = variables.map(({ key }) => key);
        const fields = groupFields(definition).flatMap((group) => group.fields.map(({ key }) => key));
        expect(fields.toSorted()).toEqual(keys.toSorted());
        const open = slotsOf(definition, new Map());
        expect(open.filter((key) => !keys.includes(key))).toEqual([]);
        expect(slotsOf(definition, withSamples(definition, new Map()))).toEqual([]);
      }),
    );
  });

  test("variables, components and carousel cards are three spellings of one message", () => {
    fc.assert(
      fc.property(template, (definition) => {
        const values = withSamples(definition, new Map());
        const [first, ...others] = formsOf(definition).map((form) => wire(definition, form, values));
        for (const other of others) expect(withoutCardMedia(other)).toEqual(withoutCardMedia(first));
      }),
    );
  });
});

test("a media id that is typed takes the place of the link", () => {
  const definition = define([{ type: "HEADER", format: "IMAGE" }]);
  expect([...withSamples(definition, new Map([["header", "12345"]]))]).toEqual([["header", "12345"]]);
});

const slotsOf = (definition: TemplateDefinition, values: ReadonlyMap<string, string>): string[] => {
  const { cards, ...main } = previewTemplate(definition, values);
  return [main, ...cards].flatMap(({ header: head, body, buttons }) =>
    [...(head?.kind === "text" ? head.runs : []), ...body, ...buttons.flatMap(({ target }) => target)].flatMap(
      ({ slot }) => slot ?? [],
    ),
  );
};

const missedBy = (definition: TemplateDefinition, templateVariables: Record<string, string>): string[] =>
  issuesThrownBy(() => void fillTemplate(definition, { templateVariables })).map(({ path }) => path);
