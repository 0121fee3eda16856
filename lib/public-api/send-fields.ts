import { z } from "zod";
import { formatNumber } from "@/lib/core/number";
import type { CarouselCard } from "@/lib/templates/carousel";
import { MAX_PARAMETER_CHARACTERS } from "@/lib/templates/lengths";
import { ENTRIES, LAST_PLACE, MEDIA_ID, MOST_CHARACTERS } from "@/lib/whatsapp/limits";

/** The fields of a send's body, each by itself; the rules between them are in `send-request`. */
const id = z.string().min(1).max(255);
const values = z.record(z.string(), z.string());

// The specification writes one object; WhatsApp's own shape, an array of one, is the same thing.
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
      .describe("What the template’s card has."),
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
  .transform(({ format, link, id }) => ({ format, ...(link != null ? { link } : {}), ...(id != null ? { id } : {}) }));

const card = z
  .strictObject({
    index: z.int().min(0).max(LAST_PLACE).describe("Which card, counted from 0."),
    bodyValues: values
      .nullish()
      .describe(
        "The card’s text, by number or by name. A key that matches a placeholder’s name fills it; other keys fill the remaining placeholders in order.",
      ),
    buttonValues: z
      .array(
        z.strictObject({
          index: z.int().min(0).max(LAST_PLACE).describe("Which button of the card, counted from 0."),
          sub_type: z.string().min(1).describe("`url`, `copy_code`, `quick_reply`, `catalog` or `mpm`."),
          parameters: buttonParameters.describe(
            "The value. For a URL button: only the variable end of its URL, not the whole.",
          ),
        }),
      )
      .nullish()
      .describe("Values of the buttons that take one."),
    header: cardHeader.nullish().describe("The picture, video or document above the text."),
  })
  .transform(
    (given): CarouselCard => ({
      index: given.index,
      // Pairs, because the order of named values is meaning and a map's order is easily lost.
      bodyValues: Object.entries(given.bodyValues ?? {}),
      buttonValues: (given.buttonValues ?? []).map(({ index, sub_type, parameters }) => ({
        index,
        subType: sub_type.toLowerCase(),
        text: parameters,
      })),
      ...(given.header ? { header: given.header } : {}),
    }),
  );

/** What the document says of a component; fields and types beyond it are passed on. */
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
          card_index: { type: "integer", minimum: 0, maximum: LAST_PLACE, description: "Which card, counted from 0." },
          components: {
            type: "array",
            description: "The card’s own parts, in the same form.",
            items: {
              type: "object",
              required: ["type"],
              properties: { type: { type: "string", minLength: 1, description: "`header`, `body` or `button`." } },
            },
          },
        },
      },
    },
  },
} as const;

export const SEND_FIELDS = {
  type: z.enum(["text", "template", "interactive"]),
  phone: z
    .string()
    .describe(
      "The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens and parentheses are dropped. This or `contactId`.",
    ),
  contactId: id.describe("The recipient as a contact of the workspace, by its id in the dashboard."),
  content: z
    .string()
    .describe(
      `For \`text\` the text, 1 to ${formatNumber(MOST_CHARACTERS.text)} characters. For \`interactive\` WhatsApp’s interactive payload as JSON text: a string, not an object.`,
    ),
  templateName: z.string().min(1).max(MOST_CHARACTERS.templateName).describe("The name of an approved template."),
  templateLanguage: z
    .string()
    .min(1)
    .max(20)
    .describe(
      "Its language code, such as `en_US`. Needed where the name is approved in several. `en` finds `en_US` where that is the only approved English one.",
    ),
  templateVariables: values.describe(
    `A value for each key that the template’s record lists in \`variables\` as required, and for one key of each \`oneOf\`; \`{}\` where there is none. At most ${MAX_PARAMETER_CHARACTERS} characters each.`,
  ),
  templateComponents: z
    // Read by `checkGivenComponents`: a parse would change what has to be passed on unchanged.
    .array(z.unknown().meta(componentSchema))
    .describe(
      "WhatsApp’s own components, passed on unchanged, in place of every other way to fill. `templateLanguage` must then be exact, and a card’s picture goes by the id of uploaded media.",
    ),
  bodyParameters: values.describe(
    "Values of the main text by number or name. They take precedence over `templateVariables` there.",
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

/** The fields that each type has beside those that all have. */
export const FIELDS_OF_TYPE = {
  text: ["content"],
  interactive: ["content"],
  template: [
    "templateName",
    "templateLanguage",
    "templateVariables",
    "templateComponents",
    "bodyParameters",
    "carousel",
  ],
} as const satisfies Record<string, readonly SendField[]>;

export function isSendField(name: string): name is SendField {
  return Object.hasOwn(SEND_FIELDS, name);
}
