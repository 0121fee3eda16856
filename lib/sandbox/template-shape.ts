import { z } from "zod";
import { BROKEN_LINE, ENTRIES, MAX_CHARACTERS, MAX_INDEX, TEMPLATE_NAME } from "@/lib/whatsapp/limits";
import { cardIndex, list, media, text, unique } from "@/lib/whatsapp/parts";

const SUB_TYPES = ["url", "quick_reply", "copy_code", "catalog", "mpm", "flow", "order_details", "voice_call"] as const;

/** WhatsApp refuses what would break a template's layout. */
const inlineText = z
  .string()
  .refine((value) => value.trim() !== "", { error: "must not be empty.", params: { code: 131008 }, abort: true })
  .refine((value) => !BROKEN_LINE.test(value), {
    error: "cannot have new-line/tab characters or more than 4 consecutive spaces.",
    params: { code: 132018 },
  });

/** A place on the map. */
export const mapPlace = z.strictObject({
  latitude: z.union([z.number(), z.string()]),
  longitude: z.union([z.number(), z.string()]),
  name: z.string().optional(),
  address: z.string().optional(),
});

/** An object whose `type` is this word. */
const typed = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

const parameter_name = z.string().optional();
const parameter = z.discriminatedUnion("type", [
  typed("text", { text: inlineText, parameter_name }),
  typed("currency", {
    currency: z.strictObject({ fallback_value: inlineText, code: z.string(), amount_1000: z.number() }),
    parameter_name,
  }),
  typed("date_time", { date_time: z.looseObject({ fallback_value: inlineText }), parameter_name }),
  typed("image", { image: media({}) }),
  typed("video", { video: media({}) }),
  typed("document", { document: media({ filename: z.string().optional() }) }),
  typed("location", { location: mapPlace }),
  typed("product", { product: z.strictObject({ product_retailer_id: z.string(), catalog_id: z.string() }) }),
  typed("payload", { payload: z.string() }),
  typed("coupon_code", { coupon_code: text(MAX_CHARACTERS.couponCode) }),
  typed("action", { action: z.record(z.string(), z.unknown()) }),
  typed("limited_time_offer", { limited_time_offer: z.strictObject({ expiration_time_ms: z.int() }) }),
  typed("tap_target_configuration", {
    tap_target_configuration: z.array(z.strictObject({ url: z.string(), title: z.string() })),
  }),
]);

const parameters = z.array(parameter).optional();
const header = typed("header", { parameters });
const body = typed("body", { parameters });
const button = typed("button", {
  sub_type: z.string().toLowerCase().pipe(z.enum(SUB_TYPES)),
  index: z
    .union([z.string(), z.number()])
    .refine((index) => /^\d$/.test(String(index)), { error: "must be a button index from 0 to 9." })
    .transform(Number),
  parameters,
});

const card = z.strictObject({
  card_index: cardIndex(MAX_INDEX),
  components: z.array(z.discriminatedUnion("type", [header, body, button])),
});

const carousel = typed("carousel", {
  cards: list(card, [1, ENTRIES.cards[1]], unique("card_index", ["card_index"])),
});

const offer = typed("limited_time_offer", { parameters: list(parameter, [1, 1]) });
const tapTarget = typed("tap_target_configuration", { parameters: list(parameter, [1, 1]) });

const component = z.discriminatedUnion("type", [header, body, button, carousel, offer, tapTarget]);

/** The `template` object of a send, for any template. */
export const TemplateSend = z.strictObject({
  name: text(MAX_CHARACTERS.templateName).refine((name) => TEMPLATE_NAME.test(name), {
    error: "must hold lower-case letters, digits and underscores only.",
  }),
  language: z.strictObject({ code: z.string(), policy: z.literal("deterministic").optional() }),
  components: z.array(component).optional(),
});

export type TemplateSend = z.output<typeof TemplateSend>;
export type SentComponent = z.output<typeof component>;
export type SentButton = z.output<typeof button>;
export type SentCard = z.output<typeof card>;
export type SentParameter = z.output<typeof parameter>;
