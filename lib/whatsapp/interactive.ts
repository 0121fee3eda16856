import { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { ENTRIES, MAX_CARD_LINE_BREAKS, MAX_CHARACTERS, MAX_INDEX } from "./limits";
import {
  address,
  type Check,
  cardIndex,
  type Fault,
  list,
  media,
  mostInAll,
  oneOf,
  report,
  text,
  textThat,
  unique,
  within,
} from "./parts";

const textHeader = z.strictObject({ type: z.literal("text"), text: text(MAX_CHARACTERS.headerText) });
const imageHeader = z.strictObject({ type: z.literal("image"), image: media({}) });
const videoHeader = z.strictObject({ type: z.literal("video"), video: media({}) });
const documentHeader = z.strictObject({
  type: z.literal("document"),
  document: media({ filename: z.string().optional() }),
});

const anyHeader = z.discriminatedUnion("type", [textHeader, imageHeader, videoHeader, documentHeader]).optional();
const onlyText = z.discriminatedUnion("type", [textHeader]);
const body = z.strictObject({ text: text(MAX_CHARACTERS.body) });
const footer = z.strictObject({ text: text(MAX_CHARACTERS.footer) }).optional();
/** A part that this message type does not have. */
const none = z.never().optional();

const title = text(MAX_CHARACTERS.buttonTitle);
const buttonId = textThat(MAX_CHARACTERS.buttonId, { rule: "edges" }, (id) => id === id.trim());

const replyButtons = list(
  z.strictObject({ type: z.literal("reply"), reply: z.strictObject({ id: buttonId, title }) }),
  ENTRIES.buttons,
  unique("id", ["reply", "id"]),
  unique("title", ["reply", "title"]),
);

const sectionTitle = text(MAX_CHARACTERS.sectionTitle).optional();

const titled: Check = (sections, context) => {
  const titles = within(sections, ["title"]);
  const untitled = titles.length > 1 ? titles.filter(({ value }) => value === undefined) : [];
  for (const { path } of untitled) report(context, { rule: "titles" }, path, undefined);
};

const row = z.strictObject({
  id: text(MAX_CHARACTERS.rowId),
  title: text(MAX_CHARACTERS.rowTitle),
  description: text(MAX_CHARACTERS.rowDescription).optional(),
});

const listSections = list(
  z.strictObject({ title: sectionTitle, rows: list(row, ENTRIES.rows) }),
  ENTRIES.sections,
  titled,
  unique("id", ["id"], "rows"),
  mostInAll("rows", "rows", ENTRIES.rows[1]),
);

const linkAction = z.strictObject({
  name: z.literal("cta_url"),
  parameters: z.strictObject({ display_text: title, url: address() }),
});

const filled = z
  .record(z.string(), z.unknown())
  .refine((data) => Object.keys(data).length > 0, { params: { rule: "data" } satisfies Fault });

const flowParameters = oneOf(["flow_id", "flow_name"], {
  flow_message_version: z.literal("3"),
  flow_cta: textThat(
    MAX_CHARACTERS.flowButton,
    { rule: "emoji" },
    (label) => !/\p{Extended_Pictographic}/u.test(label),
  ),
  flow_id: text().optional(),
  flow_name: text().optional(),
  mode: z.enum(["draft", "published"]).optional(),
  flow_token: z.string().optional(),
  flow_action: z.enum(["navigate", "data_exchange"]).optional(),
  flow_action_payload: z.strictObject({ screen: text().optional(), data: filled.optional() }).optional(),
});

const product = z.strictObject({ catalog_id: text(), product_retailer_id: text() });

/** The sections of a multi-product message and of a template's multi-product button. */
export const productSections = list(
  z.strictObject({
    title: sectionTitle,
    product_items: list(z.strictObject({ product_retailer_id: text() }), ENTRIES.products),
  }),
  ENTRIES.sections,
  mostInAll("products", "product_items", ENTRIES.products[1]),
);

const quickReplies = z.strictObject({
  buttons: list(
    z.strictObject({ type: z.literal("quick_reply"), quick_reply: z.strictObject({ id: buttonId, title }) }),
    ENTRIES.quickReplies,
  ),
});

/** A card's action has no type field: with `buttons` it is quick replies, otherwise a link. */
const cardAction = z.unknown().check((payload) => {
  const { value } = payload;
  const schema = isRecord(value) && value.buttons !== undefined ? quickReplies : linkAction;
  const read = schema._zod.run({ value, issues: [] }, { async: false });
  if (!(read instanceof Promise)) payload.issues.push(...read.issues);
});

const cardText = textThat(
  MAX_CHARACTERS.cardBody,
  { rule: "lineBreaks", most: MAX_CARD_LINE_BREAKS },
  (value) => value.split("\n").length - 1 <= MAX_CARD_LINE_BREAKS,
);

const card = z.discriminatedUnion("type", [
  z.strictObject({
    card_index: cardIndex(MAX_INDEX),
    type: z.literal("cta_url"),
    header: z.discriminatedUnion("type", [imageHeader, videoHeader]),
    body: z.strictObject({ text: cardText }).optional(),
    action: cardAction,
  }),
  z.strictObject({ card_index: cardIndex(MAX_INDEX), type: z.literal("product"), action: product }),
]);

/** What all cards of a carousel must share: type, number of quick replies, catalog. */
function kindOf(value: unknown): string {
  if (!isRecord(value) || !isRecord(value.action)) return "";
  const { buttons, catalog_id: catalogId } = value.action;
  return JSON.stringify([
    value.type,
    Array.isArray(buttons) ? buttons.length : 0,
    value.type === "product" && catalogId,
  ]);
}

const alike: Check = (cards, context) => {
  const [first, ...others] = within(cards, []);
  for (const { value, path } of others)
    if (kindOf(value) !== kindOf(first?.value)) report(context, { rule: "alike" }, path, value);
};

/** Where each type differs from the usual header, body and footer, and its action. */
const PARTS: Record<string, z.ZodRawShape> = {
  button: { action: z.strictObject({ buttons: replyButtons }) },
  list: {
    header: onlyText.optional(),
    body: z.strictObject({ text: text(MAX_CHARACTERS.listBody) }),
    action: z.strictObject({ button: title, sections: listSections }),
  },
  cta_url: { action: linkAction },
  flow: { action: z.strictObject({ name: z.literal("flow"), parameters: flowParameters }) },
  product: { header: none, body: body.optional(), action: product },
  product_list: { header: onlyText, action: z.strictObject({ catalog_id: text(), sections: productSections }) },
  catalog_message: {
    header: none,
    action: z.strictObject({
      name: z.literal("catalog_message"),
      parameters: z.strictObject({ thumbnail_product_retailer_id: text().optional() }).optional(),
    }),
  },
  location_request_message: {
    header: none,
    footer: none,
    action: z.strictObject({ name: z.literal("send_location") }),
  },
  carousel: {
    header: none,
    footer: none,
    action: z.strictObject({ cards: list(card, ENTRIES.cards, unique("card_index", ["card_index"]), alike) }),
  },
};

/** The `interactive` object of a message, by its type. */
export const INTERACTIVE: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(PARTS).map(([type, parts]) => [
    type,
    z.strictObject({ type: z.literal(type), header: anyHeader, body, footer, ...parts }),
  ]),
);
