import { isRecord } from "@/lib/text/is-record";
import {
  absent,
  all,
  exactlyOne,
  list,
  object,
  oneOf,
  optional,
  type Rule,
  text,
  unique,
  webAddress,
  within,
} from "./shape-rules";

const MAX_LIST_ROWS = 10;
const MAX_PRODUCTS = 30;
const MAX_CARD_INDEX = 9;
const MAX_CARD_LINE_BREAKS = 2;

const body = (maxCharacters = 1024): Rule => object({ text: text(maxCharacters) });
const footer = object({ text: text(60) });

const header =
  (...kinds: string[]): Rule =>
  (value, path) => {
    const isKnown = isRecord(value) && typeof value.type === "string" && kinds.includes(value.type);
    if (!isKnown) return object({ type: oneOf(...kinds) })(value, path);
    if (value.type === "text") return text(60)(value.text, `${path}.text`);
    return media(value[`${value.type}`], `${path}.${value.type}`);
  };

const media = all(object({ id: optional(text()), link: optional(webAddress) }), exactlyOne("id", "link"));
const anyHeader = header("text", "image", "video", "document");

const trimmed: Rule = (value, path) => {
  if (typeof value !== "string" || value === value.trim()) return [];
  return [{ path, message: "The id begins or ends with a space, which the platform refuses. Remove it." }];
};

const buttonId = all(text(256), trimmed);

const replyButtons = all(
  list(object({ type: oneOf("reply"), reply: object({ id: buttonId, title: text(20) }) }), {
    min: 1,
    max: 3,
    of: "buttons",
  }),
  (value, path) => unique(within(value, path, ["reply", "id"]), "id"),
  (value, path) => unique(within(value, path, ["reply", "title"]), "title"),
);

const row = object({ id: text(200), title: text(24), description: optional(text(72)) });

const listSections = all(
  list(object({ title: optional(text(24)), rows: list(row, { min: 1, max: MAX_LIST_ROWS, of: "rows" }) }), {
    min: 1,
    max: 10,
    of: "sections",
  }),
  (value, path) => {
    const sections = within(value, path, ["title"]);
    const untitled = sections.length > 1 ? sections.filter((title) => title.value === undefined) : [];
    const message = "With several sections each needs a `title`, of at most 24 characters.";
    return untitled.map((title) => ({ path: title.path, message }));
  },
  (value, path) => {
    const lists = within(value, path, ["rows"]);
    const ids = unique(
      lists.flatMap((rows) => within(rows.value, rows.path, ["id"])),
      "id",
    );
    return [...ids, ...atMostInAll(lists, { max: MAX_LIST_ROWS, of: "rows", path })];
  },
);

const atMostInAll = (lists: { value: unknown }[], { max, of, path }: { max: number; of: string; path: string }) => {
  const counts = lists.map(({ value }) => (Array.isArray(value) ? value.length : 0));
  const count = counts.reduce((sum, length) => sum + length, 0);
  // A single list that is too long has said so itself.
  if (count <= max || counts.some((length) => length > max)) return [];
  return [{ path, message: `The sections have ${count} ${of} in all; the whole message may have ${max}.` }];
};

const linkAction = object({
  name: oneOf("cta_url"),
  parameters: object({ display_text: text(20), url: webAddress }),
});

const withoutEmoji: Rule = (value, path) => {
  if (typeof value !== "string" || !/\p{Extended_Pictographic}/u.test(value)) return [];
  return [{ path, message: "The platform refuses emoji in the label of a flow's button. Remove them." }];
};

const filledObject: Rule = (value, path) =>
  isRecord(value) && Object.keys(value).length > 0
    ? []
    : [{ path, message: "The data is not an object with at least one field. Fill it, or leave it out." }];

const flowParameters = all(
  object({
    flow_message_version: oneOf("3"),
    flow_cta: all(text(30), withoutEmoji),
    flow_id: optional(text()),
    flow_name: optional(text()),
    mode: optional(oneOf("draft", "published")),
    flow_action: optional(oneOf("navigate", "data_exchange")),
    flow_action_payload: optional(object({ screen: optional(text()), data: optional(filledObject) })),
  }),
  exactlyOne("flow_id", "flow_name"),
);

const productSections = all(
  list(
    object({
      title: optional(text(24)),
      product_items: list(object({ product_retailer_id: text() }), { min: 1, max: MAX_PRODUCTS, of: "products" }),
    }),
    { min: 1, max: 10, of: "sections" },
  ),
  (value, path) => atMostInAll(within(value, path, ["product_items"]), { max: MAX_PRODUCTS, of: "products", path }),
);

const product = object({ catalog_id: text(), product_retailer_id: text() });

const fewLineBreaks: Rule = (value, path) => {
  if (typeof value !== "string" || value.split("\n").length - 1 <= MAX_CARD_LINE_BREAKS) return [];
  return [{ path, message: `A card's body may have ${MAX_CARD_LINE_BREAKS} line breaks at most. Remove some.` }];
};

const quickReplies = list(
  object({ type: oneOf("quick_reply"), quick_reply: object({ id: buttonId, title: text(20) }) }),
  { min: 1, max: 10, of: "buttons" },
);

const cardAction: Rule = (value, path) =>
  isRecord(value) && value.buttons !== undefined
    ? quickReplies(value.buttons, `${path}.buttons`)
    : linkAction(value, path);

const mediaCard = object({
  header: header("image", "video"),
  body: optional(object({ text: all(text(160), fewLineBreaks) })),
  action: cardAction,
});

const cardIndex: Rule = (value, path) => {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_CARD_INDEX) return [];
  return [{ path, message: `Each card needs a \`card_index\`, a whole number from 0 to ${MAX_CARD_INDEX}.` }];
};

const card: Rule = (value, path) => {
  const rule = isRecord(value) && value.type === "product" ? object({ action: product }) : mediaCard;
  return all(object({ card_index: cardIndex, type: oneOf("cta_url", "product") }), isRecord(value) ? rule : () => [])(
    value,
    path,
  );
};

const cards = all(
  list(card, { min: 2, max: 10, of: "cards" }),
  (value, path) => unique(within(value, path, ["card_index"]), "card_index"),
  (value, path) => {
    const [first, ...others] = within(value, path).map((placed) => ({ ...placed, kind: kindOf(placed.value) }));
    const message = `All cards of a carousel need the same type, and the same kind and number of buttons; this one differs from card 0 of the list.`;
    return others.filter(({ kind }) => kind !== first?.kind).map((other) => ({ path: other.path, message }));
  },
);

/** What all cards of a carousel have in common. */
const kindOf = (value: unknown): string => {
  if (!isRecord(value) || !isRecord(value.action)) return "";
  const { buttons, catalog_id: catalogId } = value.action;
  const buttonCount = Array.isArray(buttons) ? buttons.length : 0;
  return JSON.stringify([value.type, buttonCount, value.type === "product" ? catalogId : null]);
};

/** The platform's limits for each interactive type that we know, on its full shape. */
export const INTERACTIVE_RULES: ReadonlyMap<string, Rule> = new Map([
  [
    "button",
    object({
      header: optional(anyHeader),
      body: body(),
      footer: optional(footer),
      action: object({ buttons: replyButtons }),
    }),
  ],
  [
    "list",
    object({
      header: optional(header("text")),
      body: body(4096),
      footer: optional(footer),
      action: object({ button: text(20), sections: listSections }),
    }),
  ],
  ["cta_url", object({ header: optional(anyHeader), body: body(), footer: optional(footer), action: linkAction })],
  [
    "flow",
    object({
      header: optional(anyHeader),
      body: body(),
      footer: optional(footer),
      action: object({ name: oneOf("flow"), parameters: flowParameters }),
    }),
  ],
  [
    "product",
    object({
      header: absent("A product message has no header."),
      body: optional(body()),
      footer: optional(footer),
      action: product,
    }),
  ],
  [
    "product_list",
    object({
      header: header("text"),
      body: body(),
      footer: optional(footer),
      action: object({ catalog_id: text(), sections: productSections }),
    }),
  ],
  [
    "catalog_message",
    object({
      header: absent("A catalog message has no header."),
      body: body(),
      footer: optional(footer),
      action: object({
        name: oneOf("catalog_message"),
        parameters: optional(object({ thumbnail_product_retailer_id: optional(text()) })),
      }),
    }),
  ],
  [
    "location_request_message",
    object({
      header: absent("A location request has no header."),
      body: body(),
      footer: absent("A location request has no footer."),
      action: object({ name: oneOf("send_location") }),
    }),
  ],
  [
    "carousel",
    object({
      header: absent("A carousel has headers on its cards only."),
      body: body(),
      footer: absent("A carousel has no footer."),
      action: object({ cards }),
    }),
  ],
]);
