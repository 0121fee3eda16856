import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { AppError } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { formsOf, templateSendBody } from "@/lib/docs/template-send";
import { mediaKey } from "@/lib/media/media-link";
import { linkedMedia, withUploads } from "@/lib/messages/send/upload-media";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { createSandbox } from "@/lib/sandbox/sandbox";
import type { SandboxTemplate } from "@/lib/sandbox/template-layout";
import { checkDraft } from "@/lib/templates/authoring-rules";
import { readDefinition, type TemplateDefinition } from "@/lib/templates/definition";
import { fillTemplate } from "@/lib/templates/fill";
import { withSamples } from "@/lib/templates/sample-values";
import { listVariables } from "@/lib/templates/variable-keys";
import type { DraftButton, DraftHeader, TemplateDraft } from "@/lib/whatsapp/draft";
import { type OutboundMessage, toGraphMessage } from "@/lib/whatsapp/message-payload";
import { toGraphDraftComponents, toGraphTemplate } from "@/lib/whatsapp/template-payload";
import { callWith } from "../support/calls";
import { call, options } from "../support/sandbox-sends";
import { anyTemplate, TEMPLATE_SHAPES } from "../support/template-shapes";

type Stored = SandboxTemplate & { category: string };
const storedOf = (record: Record<string, unknown>): Stored => JSON.parse(JSON.stringify(record));

const definitionOf = ({ name, language, category, parameter_format: format, components }: Stored) =>
  readDefinition({ name, language, category, parameterFormat: format ?? "POSITIONAL", components: [...components] });

/** The body of a call as it leaves for WhatsApp, once its pictures are uploaded. */
const toWire = (definition: TemplateDefinition, body: unknown) => {
  const { content } = parseSendRequest(JSON.parse(JSON.stringify(body)), callWith()).request;
  if (content.type !== "template") throw new Error("a template was written");
  const { name, filling } = content;
  const components =
    filling.kind === "components" ? { given: filling.components } : { built: fillTemplate(definition, filling) };
  const message: OutboundMessage = {
    to: "447700900003",
    type: "template",
    name,
    language: definition.language,
    components,
  };
  const uploaded = new Map(
    linkedMedia(message).map((link) => [
      mediaKey(link),
      { whatsappMediaId: "7790001", fileName: link.format === "document" ? "Invoice 42.pdf" : null },
    ]),
  );
  return toGraphMessage(withUploads(message, uploaded), { messageId: "msg_1" });
};

const answerTo = async (stored: Stored, wire: unknown) => {
  const sandbox = createSandbox({ ...options, templates: async () => [stored] });
  return call(sandbox, "POST", "106500001/messages", wire);
};

/** Every call that the product writes for a template goes through. */
const expectTaken = async (stored: Stored) => {
  const definition = definitionOf(stored);
  const forms = formsOf(definition);
  expect(forms.length).toBeGreaterThan(0);
  for (const form of forms) {
    const values = withSamples(definition, new Map());
    const body = templateSendBody({ definition, values, phone: "447700900003" }, form);
    const answer = await answerTo(stored, toWire(definition, body));
    expect(answer.status, JSON.stringify([form, body, answer.body])).toBe(200);
  }
};

describe("the calls that the product writes", () => {
  const known = [
    ...TEMPLATE_SHAPES.map(storedOf),
    ...FIXTURE_TEMPLATES.map((one) => storedOf({ ...one, status: "APPROVED" })),
  ];
  test.each(known.map((stored) => [`${stored.name} ${stored.language}`, stored] as const))(
    "for %s are taken by our checks and by the sandbox, in every form",
    (_name, stored) => expectTaken(stored),
  );

  test("for any mixture of those parts, too", async () => {
    await fc.assert(
      fc.asyncProperty(anyTemplate, (record) => expectTaken(storedOf(record))),
      { numRuns: 200 },
    );
  });
});

describe("what we let pass", () => {
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("Ana", "A-42", "SAVE25", "77001", "https://cdn.example/a.png") },
    fc.constantFrom("", " ", "x".repeat(16), "x".repeat(61), "x".repeat(160), "x".repeat(161), "a\nb", "a     b", "😀"),
  );

  test("the sandbox takes: no values that fit our rules are refused for their shape", async () => {
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(
        anyTemplate,
        fc.infiniteStream(text),
        fc.infiniteStream(fc.nat(9)),
        async (record, texts, dice) => {
          const stored = storedOf(record);
          const definition = definitionOf(stored);
          const roll = () => dice.next().value ?? 0;
          const values = withSamples(definition, new Map());
          for (const { key, fillWith } of listVariables(definition)) {
            if (fillWith === undefined && (values.has(key) ? roll() < 3 : roll() < 1))
              values.set(key, texts.next().value ?? "");
            if (roll() < 1) values.delete(key);
          }
          const templateVariables = Object.fromEntries(values);
          const body = { type: "template", phone: "447700900003", templateName: stored.name, templateVariables };
          const wire = wireOrRefusal(definition, body);
          if (!isRecord(wire)) return;
          passed++;
          const answer = await answerTo(stored, wire);
          expect(answer.status, JSON.stringify([templateVariables, answer.body])).toBe(200);
        },
      ),
      { numRuns: 500 },
    );
    expect(passed).toBeGreaterThan(50);
  });

  const wireOrRefusal = (definition: TemplateDefinition, body: unknown) => {
    try {
      return toWire(definition, body);
    } catch (error) {
      if (error instanceof AppError && error.code === "VALIDATION_ERROR") return undefined;
      throw error;
    }
  };
});

describe("a template that the dashboard creates", () => {
  const sample = fc.oneof(
    fc.constantFrom("Ana", "A-42", "x".repeat(70), "y".repeat(200)),
    fc.string({ minLength: 1, maxLength: 30 }),
  );
  const words = (count: number) => `${"word ".repeat(count)}`;
  const bodyText = fc
    .tuple(fc.integer({ min: 3, max: 190 }), fc.nat(3))
    .map(
      ([count, slots]) =>
        `${words(count)}${Array.from({ length: slots }, (_, at) => `a word {{${at + 1}}} `).join("")}end`,
    );
  const none: DraftHeader = { kind: "none", text: "", sample: "" };
  const mediaHeader = fc
    .constantFrom("image" as const, "video" as const)
    .map((kind): DraftHeader => ({ kind, text: "", sample: "https://cdn.example/a.jpg" }));
  const header = fc.oneof(
    fc.constant(none),
    mediaHeader,
    fc.constant<DraftHeader>({ kind: "document", text: "", sample: "https://cdn.example/a.pdf" }),
    fc.tuple(fc.integer({ min: 1, max: 11 }), fc.boolean(), sample).map(
      ([count, isVaried, one]): DraftHeader => ({
        kind: "text",
        text: `${words(count)}${isVaried ? "{{1}}" : "x"}`,
        sample: one,
      }),
    ),
  );
  const button = fc.oneof(
    fc.constant<DraftButton>({ kind: "url", label: "Open", target: "https://shop.example/", sample: "" }),
    fc.constant<DraftButton>({ kind: "phone", label: "Call", target: "+44 20 7946 0123", sample: "" }),
    sample.map(
      (one): DraftButton => ({ kind: "url", label: "Track", target: "https://shop.example/{{1}}", sample: one }),
    ),
    sample.map((one): DraftButton => ({ kind: "copyCode", label: "", target: "", sample: one })),
    fc.constant<DraftButton>({ kind: "quickReply", label: "Yes", target: "", sample: "" }),
  );
  const samples = fc.array(sample, { minLength: 3, maxLength: 3 });
  const card = fc.record({
    header: mediaHeader,
    body: fc.constantFrom("", "Only today {{1}} off this one."),
    samples,
    buttons: fc.array(button, { minLength: 1, maxLength: 2 }),
  });
  const plain = fc.record({ header, body: bodyText, samples, buttons: fc.array(button, { maxLength: 4 }) });
  const draft = fc.oneof(
    plain.map((one) => ({ ...one, cards: [] })),
    fc
      .record({ body: bodyText, samples, card, count: fc.integer({ min: 2, max: 4 }) })
      .map(({ card: one, count, ...main }) => ({ ...main, header: none, buttons: [], cards: Array(count).fill(one) })),
  );

  test("can be sent as its own page writes the call, whatever passes the editor", async () => {
    let created = 0;
    await fc.assert(
      fc.asyncProperty(draft, async (given) => {
        const whole: TemplateDraft = { name: "fresh", language: "en_US", category: "UTILITY", footer: "", ...given };
        if (checkDraft(whole).length > 0) return;
        created++;
        const sandbox = createSandbox({ ...options, templates: async () => [] });
        const answer = await call(
          sandbox,
          "POST",
          "100000000000001/message_templates",
          toGraphTemplate(whole, new Map()),
        );
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const stored = storedOf({
          id: answer.body.id,
          name: "fresh",
          language: "en_US",
          category: "UTILITY",
          status: "APPROVED",
          components: toGraphDraftComponents(whole, new Map()),
        });
        await expectTaken(stored);
      }),
      { numRuns: 200 },
    );
    expect(created).toBeGreaterThan(20);
  });
});
