import { z } from "zod";
import { PHONE_DIGITS, SEPARATORS } from "@/lib/core/phone";
import type { CarouselCard } from "@/lib/templates/carousel";
import { MAX_PARAMETER_CHARACTERS } from "@/lib/templates/lengths";
import { BROKEN_LINE, CATEGORIES, ENTRIES, MAX_CHARACTERS, MAX_INDEX, MEDIA_ID } from "@/lib/whatsapp/limits";

/** The fields of a send's body, one by one; rules between them are in `read-send-request`. */
const id = z.string().min(1).max(255);

/** Limits for the OpenAPI document only; they are checked elsewhere, with their own messages. */
export const STATED = { notBlank: { pattern: "\\S" }, oneLine: { not: { pattern: BROKEN_LINE.source } } };
const values = z.record(
  z.string(),
  z.string().meta({ ...STATED.notBlank, ...STATED.oneLine, maxLength: MAX_PARAMETER_CHARACTERS }),
);

// Accepts one object, or WhatsApp's form, an array of one.
const buttonParameters = z.preprocess(
  (given) => (Array.isArray(given) && given.length === 1 ? given[0] : given),
  z.discriminatedUnion("type", [
    z
      .strictObject({
        type: z.literal("text").describe("Always `text`."),
        text: z.string().describe("The value itself."),
      })
      .transform(({ text }) => text),
    z.strictObject({ type: z.literal("payload"), payload: z.string() }).transform(({ payload }) => payload),
  ]),
);

const cardHeader = z
  .strictObject({
    format: z
      .preprocess(
        (given) => (typeof given === "string" ? given.toLowerCase() : given),
        z.enum(["image", "video", "document"]),
      )
      .describe("What the template’s cards have: WhatsApp’s have a picture or a video."),
    link: z.string().nullish().describe("A public address; what it leads to is uploaded to WhatsApp before the send."),
    id: z
      .string()
      .regex(MEDIA_ID, "must be WhatsApp's media id, digits only; internal handles are refused")
      .nullish()
      .describe("In place of `link`: the id of media that was uploaded to WhatsApp before."),
  })
  .refine(
    ({ link, id }) => (link ?? null) === null || (id ?? null) === null,
    "takes exactly one of `link` and `id`; both are given",
  )
  .refine(
    ({ link, id }) => (link ?? id ?? null) !== null,
    "needs one of `link` (a public address) and `id` (WhatsApp's media id)",
  )
  .meta({
    allOf: [
      { anyOf: ["link", "id"].map((name) => ({ required: [name], properties: { [name]: { type: "string" } } })) },
      { not: { required: ["link", "id"], properties: { link: { type: "string" }, id: { type: "string" } } } },
    ],
  })
  .transform(({ format, link, id }) => ({ format, ...(link != null ? { link } : {}), ...(id != null ? { id } : {}) }));

const card = z
  .strictObject({
    index: z.int().min(0).max(MAX_INDEX).describe("Which card, counted from 0."),
    bodyValues: values
      .nullish()
      .describe(
        "The card’s text, by number or by name. A key that matches a placeholder’s name fills it; other keys fill the remaining placeholders in order.",
      ),
    buttonValues: z
      .array(
        z.strictObject({
          index: z.int().min(0).max(MAX_INDEX).describe("Which button of the card, counted from 0."),
          sub_type: z.string().min(1).describe("`url`, `copy_code`, `quick_reply`, `catalog` or `mpm`."),
          parameters: buttonParameters.describe(
            "The value. For a URL button: only the variable end of its URL, not the whole.",
          ),
        }),
      )
      .nullish()
      .describe("Values of the buttons that take one."),
    header: cardHeader.nullish().describe("The picture or video above the text."),
  })
  .transform(
    (given): CarouselCard => ({
      index: given.index,
      // Pairs, because the order of named values matters and is easily lost in a map.
      bodyValues: Object.entries(given.bodyValues ?? {}),
      buttonValues: (given.buttonValues ?? []).map(({ index, sub_type, parameters }) => ({
        index,
        subType: sub_type.toLowerCase(),
        text: parameters,
      })),
      ...(given.header ? { header: given.header } : {}),
    }),
  );

/** `parameters` of a component, whatever the component is. */
const parameterRules = {
  if: { required: ["type"], properties: { type: { const: "text" } } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: { required: ["text"], properties: { text: { maxLength: MAX_PARAMETER_CHARACTERS } } },
};

const ofType = (pattern: string, rules: Record<string, unknown>) => ({
  if: { required: ["type"], properties: { type: { type: "string", pattern } } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: rules,
});

const componentRules = [
  ofType("^[Bb][Uu][Tt][Tt][Oo][Nn]$", {
    required: ["sub_type", "index"],
    properties: {
      sub_type: { type: "string", minLength: 1 },
      index: { type: ["string", "integer"], pattern: "^\\d$", minimum: 0, maximum: MAX_INDEX },
    },
  }),
  ofType("^[Cc][Aa][Rr][Oo][Uu][Ss][Ee][Ll]$", { required: ["cards"], properties: { cards: { type: "array" } } }),
];

/** The documented schema of a component; other fields and types are passed on. */
const componentSchema = {
  type: "object",
  required: ["type"],
  properties: {
    type: {
      type: "string",
      minLength: 1,
      description: "`body`, `button` or `carousel`; `header` and WhatsApp’s other types are passed on, too.",
    },
    sub_type: { type: "string", description: "Required for a button: `url` for a link." },
    index: {
      type: ["string", "integer"],
      description: "Required for a button: its index on the template, from 0 to 9.",
    },
    parameters: {
      type: "array",
      description: "One item for each value.",
      items: {
        type: "object",
        required: ["type"],
        properties: {
          type: { type: "string", minLength: 1, description: "`text`, or another type of WhatsApp’s." },
          text: {
            type: "string",
            description: `The value, at most ${MAX_PARAMETER_CHARACTERS} characters. Of a link button its end only, percent-encoded.`,
          },
        },
        ...parameterRules,
      },
    },
    cards: {
      type: "array",
      minItems: 1,
      maxItems: ENTRIES.cards[1],
      description: "Required for a carousel: one item for each card.",
      items: {
        type: "object",
        required: ["card_index", "components"],
        properties: {
          card_index: { type: "integer", minimum: 0, maximum: MAX_INDEX, description: "Which card, counted from 0." },
          components: {
            type: "array",
            description: "The card’s own parts, in the same form.",
            items: {
              type: "object",
              required: ["type"],
              properties: { type: { type: "string", minLength: 1, description: "`header`, `body` or `button`." } },
              allOf: [
                ...componentRules,
                {
                  properties: {
                    parameters: {
                      type: "array",
                      items: { required: ["type"], properties: { type: { minLength: 1 } }, ...parameterRules },
                    },
                  },
                },
              ],
            },
          },
        },
      },
    },
  },
  allOf: componentRules,
} as const;

/** What `readPhone` accepts, except for a national "(0)". */
const MARKS = `${SEPARATORS}*`;
const PHONE = `^${MARKS}\\+?${MARKS}[1-9](?:${MARKS}[0-9]){${PHONE_DIGITS[0] - 1},${PHONE_DIGITS[1] - 1}}${MARKS}$`;

export const SEND_FIELDS = {
  type: z.enum(["text", "template", "interactive"]),
  phone: z.string().meta({
    pattern: PHONE,
    description:
      "The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens and parentheses are dropped. This or `contactId`.",
  }),
  contactId: id.describe("The recipient as a contact of the workspace, by its id in the dashboard."),
  content: z
    .string()
    .describe(
      "For `text` the text. For `interactive` WhatsApp’s interactive payload as JSON text: a string, not an object.",
    ),
  templateName: z.string().min(1).max(MAX_CHARACTERS.templateName).describe("The name of an approved template."),
  templateLanguage: z
    .string()
    .min(1)
    .max(20)
    .describe(
      "Its language code, such as `en_US`. Needed where the name is approved in several. `en` finds `en_US` where that is the only approved English one.",
    ),
  expectCategory: z
    .enum(CATEGORIES)
    .describe(
      "The category that you expect the template to have. Where WhatsApp has put it into another since, the send is refused before it costs more.",
    ),
  // A link among them may be longer than a text.
  templateVariables: z
    .record(z.string(), z.string().meta(STATED.notBlank))
    .describe(
      `A value for each key that the template’s record lists in \`variables\` as required, and for one key of each \`oneOf\`; \`{}\` where there is none. At most ${MAX_PARAMETER_CHARACTERS} characters each.`,
    ),
  templateComponents: z
    // Checked by `checkGivenComponents`: parsing would change what must be passed on unchanged.
    .array(z.unknown().meta(componentSchema))
    .describe(
      "WhatsApp’s own components, passed on unchanged, in place of every other way to fill. `templateLanguage` must then be exact, and a card’s picture goes by the id of uploaded media.",
    ),
  bodyParameters: values.describe(
    "Values of the main text by number or name. They take precedence over `templateVariables` there; a link that has the same key keeps its own.",
  ),
  carousel: z
    .strictObject({ cards: z.array(card).max(ENTRIES.cards[1]).describe("One item for each card of the template.") })
    .describe("The cards of a carousel template, by themselves."),
  // Read together with the header by `readIdempotencyKey`.
  idempotencyKey: z.unknown(),
  revalidateFlowSession: z
    .boolean()
    .describe(
      "With `contactId`: closes the contact’s open flow sessions, those of one line where `phoneNumberId` names it.",
    ),
  phoneNumberId: id.describe(
    "The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several lines are active.",
  ),
} as const;

export type SendField = keyof typeof SEND_FIELDS;

/** The fields of each type, in addition to the common ones. */
export const FIELDS_OF_TYPE = {
  text: ["content"],
  interactive: ["content"],
  template: [
    "templateName",
    "templateLanguage",
    "expectCategory",
    "templateVariables",
    "templateComponents",
    "bodyParameters",
    "carousel",
  ],
} as const satisfies Record<string, readonly SendField[]>;

export type SendType = keyof typeof FIELDS_OF_TYPE;
type TypedField = (typeof FIELDS_OF_TYPE)[SendType][number];
export type CommonField = Exclude<SendField, TypedField>;

export const SEND_FIELD_NAMES = Object.keys(SEND_FIELDS) as SendField[];
/** Those that some type has, and not all. */
export const TYPED_FIELDS: readonly TypedField[] = [...new Set(Object.values(FIELDS_OF_TYPE).flat())];

export function isCommon(name: SendField): name is CommonField {
  return !TYPED_FIELDS.some((typed) => typed === name);
}
