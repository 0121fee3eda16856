import { z } from "zod";
import type { CarouselCard } from "@/lib/templates/carousel";

/** The fields of a send's body, each by itself; the rules between them are in `send-request`. */
const id = z.string().min(1).max(255);
const values = z.record(z.string(), z.string());

// The specification writes one object; the platform's own shape, an array of one, is the same thing.
const buttonParameters = z.preprocess(
  (given) => (Array.isArray(given) && given.length === 1 ? given[0] : given),
  z.union([
    z.strictObject({ type: z.literal("text"), text: z.string() }).transform(({ text }) => text),
    z.strictObject({ type: z.literal("payload"), payload: z.string() }).transform(({ payload }) => payload),
  ]),
);

const cardHeader = z
  .strictObject({
    format: z.preprocess(
      (given) => (typeof given === "string" ? given.toLowerCase() : given),
      z.enum(["image", "video", "document"]),
    ),
    link: z.string().nullish(),
    id: z
      .string()
      .regex(/^\d+$/, "must be the platform's media id, digits only; internal handles are refused")
      .nullish(),
  })
  .refine(
    ({ link, id }) => (link ?? null) === null || (id ?? null) === null,
    "takes exactly one of `link` and `id`; both are given",
  )
  .refine(
    ({ link, id }) => (link ?? id ?? null) !== null,
    "needs one of `link` (a public address) and `id` (the platform's media id)",
  )
  .transform(({ format, link, id }) => ({ format, ...(link != null ? { link } : {}), ...(id != null ? { id } : {}) }));

const card = z
  .strictObject({
    index: z.int().min(0).max(9),
    bodyValues: values.nullish(),
    buttonValues: z
      .array(
        z.strictObject({ index: z.int().min(0).max(9), sub_type: z.string().min(1), parameters: buttonParameters }),
      )
      .nullish(),
    header: cardHeader.nullish(),
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

export const SEND_FIELDS = {
  type: z.enum(["text", "template", "interactive"]),
  phone: z.string(),
  contactId: id,
  content: z.string(),
  templateName: z.string().min(1).max(512),
  templateLanguage: z.string().min(1).max(20),
  templateVariables: values,
  templateComponents: z.array(z.unknown()),
  bodyParameters: values,
  carousel: z.strictObject({ cards: z.array(card).max(10) }),
  // Read together with the header by `readIdempotencyKey`.
  idempotencyKey: z.unknown(),
  revalidateFlowSession: z.boolean(),
  phoneNumberId: id,
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

export const isSendField = (name: string): name is SendField => Object.hasOwn(SEND_FIELDS, name);
