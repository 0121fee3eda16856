import { z } from "zod";
import { GraphError } from "./graph-error";
import { areUnique, items, link, media, parseShape, text } from "./shape";

/** Checks a message's `interactive` object against the limits of its type; throws the platform's refusal. */
export const checkInteractive = (interactive: unknown): void => {
  const { type } = parseShape(z.looseObject({ type: z.string() }), interactive, ["interactive"]);
  if (PROGRAM_TYPES.has(type)) return;
  const schema = INTERACTIVE.get(type);
  if (!schema) throw new GraphError(131009, `Param interactive['type'] "${type}" is not a known interactive type.`);
  parseShape(schema, interactive, ["interactive"]);
  if (type === "carousel") checkCardActions(parseShape(carousel, interactive).action.cards);
};

/** Types of special programmes and countries: the platform takes them, their rules are not public enough to play. */
const PROGRAM_TYPES = new Set([
  "call_permission_request",
  "voice_call",
  "request_contact_info",
  "address_message",
  "order_details",
  "order_status",
]);

const textHeader = z.strictObject({ type: z.literal("text"), text: text(60) });
const mediaHeader = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("image"), image: media({}) }),
  z.strictObject({ type: z.literal("video"), video: media({}) }),
  z.strictObject({ type: z.literal("document"), document: media({ filename: z.string().optional() }) }),
]);
const anyHeader = z.discriminatedUnion("type", [textHeader, mediaHeader]);
const body = (maxCharacters = 1024) => z.strictObject({ text: text(maxCharacters) });
const footer = z.strictObject({ text: text(60) });

const replyId = (maxCharacters: number) =>
  text(maxCharacters).refine((id) => id === id.trim(), { error: "must not start or end with a space." });

const replyButton = z.strictObject({
  type: z.literal("reply"),
  reply: z.strictObject({ id: replyId(256), title: text(20) }),
});

const linkAction = z.strictObject({
  name: z.literal("cta_url"),
  parameters: z.strictObject({ display_text: text(20), url: link() }),
});

const button = z.strictObject({
  type: z.literal("button"),
  header: anyHeader.optional(),
  body: body(),
  footer: footer.optional(),
  action: z.strictObject({
    buttons: items(replyButton, 1, 3)
      .refine((buttons) => areUnique(buttons.map(({ reply }) => reply.id)), { error: "must have unique ids." })
      .refine((buttons) => areUnique(buttons.map(({ reply }) => reply.title)), { error: "must have unique titles." }),
  }),
});

const listRow = z.strictObject({ id: text(200), title: text(24), description: text(72).optional() });
const listSection = z.strictObject({ title: text(24).optional(), rows: items(listRow, 1, 10) });

const list = z.strictObject({
  type: z.literal("list"),
  header: textHeader.optional(),
  body: body(4096),
  footer: footer.optional(),
  action: z.strictObject({
    button: text(20),
    sections: items(listSection, 1, 10)
      .refine((sections) => sections.length === 1 || sections.every(({ title }) => title !== undefined), {
        error: "must each have a title when there is more than one section.",
        params: { code: 131008 },
      })
      .refine((sections) => sections.flatMap(({ rows }) => rows).length <= 10, {
        error: "must have at most 10 rows in all.",
      })
      .refine((sections) => areUnique(sections.flatMap(({ rows }) => rows.map(({ id }) => id))), {
        error: "must have unique row ids.",
      }),
  }),
});

const callToAction = z.strictObject({
  type: z.literal("cta_url"),
  header: anyHeader.optional(),
  body: body(),
  footer: footer.optional(),
  action: linkAction,
});

const flowParameters = z
  .strictObject({
    flow_message_version: z.literal("3"),
    flow_id: z.string().optional(),
    flow_name: z.string().optional(),
    flow_cta: text(30).refine((label) => !/\p{Extended_Pictographic}/u.test(label), { error: "must not hold emoji." }),
    mode: z.enum(["draft", "published"]).optional(),
    flow_token: z.string().optional(),
    flow_action: z.enum(["navigate", "data_exchange"]).optional(),
    flow_action_payload: z
      .strictObject({
        screen: z.string().optional(),
        data: z
          .record(z.string(), z.unknown())
          .refine((data) => Object.keys(data).length > 0, { error: "must be a non-empty object." })
          .optional(),
      })
      .optional(),
  })
  .refine((flow) => flow.flow_id !== undefined || flow.flow_name !== undefined, {
    error: "needs flow_id or flow_name.",
    params: { code: 131008 },
  })
  .refine((flow) => flow.flow_id === undefined || flow.flow_name === undefined, {
    error: "takes flow_id or flow_name, not both.",
  });

const flow = z.strictObject({
  type: z.literal("flow"),
  header: anyHeader.optional(),
  body: body(),
  footer: footer.optional(),
  action: z.strictObject({ name: z.literal("flow"), parameters: flowParameters }),
});

const productAction = z.strictObject({ catalog_id: text(256), product_retailer_id: text(256) });

const product = z.strictObject({
  type: z.literal("product"),
  body: body().optional(),
  footer: footer.optional(),
  action: productAction,
});

const productSection = z.strictObject({
  title: text(24).optional(),
  product_items: items(z.strictObject({ product_retailer_id: text(256) }), 1, 30),
});

const productList = z.strictObject({
  type: z.literal("product_list"),
  header: textHeader,
  body: body(),
  footer: footer.optional(),
  action: z.strictObject({
    catalog_id: text(256),
    sections: items(productSection, 1, 10)
      .refine((sections) => sections.length === 1 || sections.every(({ title }) => title !== undefined), {
        error: "must each have a title when there is more than one section.",
        params: { code: 131008 },
      })
      .refine((sections) => sections.flatMap(({ product_items }) => product_items).length <= 30, {
        error: "must have at most 30 products in all.",
      }),
  }),
});

const catalogMessage = z.strictObject({
  type: z.literal("catalog_message"),
  body: body(),
  footer: footer.optional(),
  action: z.strictObject({
    name: z.literal("catalog_message"),
    parameters: z.strictObject({ thumbnail_product_retailer_id: text(256).optional() }).optional(),
  }),
});

const locationRequest = z.strictObject({
  type: z.literal("location_request_message"),
  body: body(),
  action: z.strictObject({ name: z.literal("send_location") }),
});

const cardIndex = z.number().refine((index) => Number.isInteger(index) && index >= 0 && index <= 9, {
  error: "must be a whole number from 0 to 9.",
});

const quickReply = z.strictObject({
  type: z.literal("quick_reply"),
  quick_reply: z.strictObject({ id: replyId(256), title: text(20) }),
});
const quickReplyAction = z.strictObject({ buttons: items(quickReply, 1, 3) });

const mediaCard = z.strictObject({
  card_index: cardIndex,
  type: z.literal("cta_url"),
  header: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("image"), image: media({}) }),
    z.strictObject({ type: z.literal("video"), video: media({}) }),
  ]),
  body: z
    .strictObject({
      text: text(160).refine((value) => value.split("\n").length <= 3, { error: "must have at most 2 line breaks." }),
    })
    .optional(),
  /** Checked by `checkCardActions`: its shape hangs on the kind of its buttons. */
  action: z.looseObject({ buttons: z.array(z.unknown()).optional() }),
});

const productCard = z.strictObject({ card_index: cardIndex, type: z.literal("product"), action: productAction });
const card = z.discriminatedUnion("type", [mediaCard, productCard]);
type Card = z.output<typeof card>;

/** What the buttons of a card are, so that cards can be compared: `product:<catalog>`, `cta_url` or `quick_reply:2`. */
const buttonKinds = (one: Card): string => {
  if (one.type === "product") return `product:${one.action.catalog_id}`;
  return one.action.buttons ? `quick_reply:${one.action.buttons.length}` : "cta_url";
};

const checkCardActions = (cards: readonly Card[]): void => {
  for (const [position, { type, action }] of cards.entries()) {
    const path = ["interactive", "action", "cards", position, "action"];
    if (type === "cta_url") parseShape("buttons" in action ? quickReplyAction : linkAction, action, path);
  }
};

const carousel = z.strictObject({
  type: z.literal("carousel"),
  body: body(),
  action: z.strictObject({
    cards: items(card, 2, 10)
      .refine((cards) => areUnique(cards.map(({ card_index }) => card_index)), {
        error: "must have unique card_index values.",
      })
      .refine((cards) => new Set(cards.map(buttonKinds)).size <= 1, {
        error: "must have the same kinds and number of buttons (and one catalog) on all cards.",
      }),
  }),
});

const INTERACTIVE = new Map<string, z.ZodType>([
  ["button", button],
  ["list", list],
  ["cta_url", callToAction],
  ["flow", flow],
  ["product", product],
  ["product_list", productList],
  ["catalog_message", catalogMessage],
  ["location_request_message", locationRequest],
  ["carousel", carousel],
]);
